"""A server that accepts whoever comes, and never says anything."""

from __future__ import annotations

import socket
import threading
from types import TracebackType
from typing import Self


class Silent:
    def __init__(self) -> None:
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._connections: list[socket.socket] = []
        self._thread = threading.Thread(target=self._accept, daemon=True)

    @property
    def url(self) -> str:
        return f"git://127.0.0.1:{self._listener.getsockname()[1]}/x"

    @property
    def calls(self) -> int:
        return len(self._connections)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        self._thread.join(10)
        for connection in self._connections:
            connection.close()

    def _accept(self) -> None:
        try:
            while True:
                self._connections.append(self._listener.accept()[0])
        except OSError:
            return
