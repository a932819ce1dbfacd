"""A wire to a server that can be cut between any two words, in either direction."""

from __future__ import annotations

import re
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from urllib.parse import urlsplit

_CHUNK = 1 << 16


class Wire:
    """Passes on what is said to a server. `cut` ends the connection at the word with that number:
    before the server has it, or once the server has answered it, so that the answer is lost. What
    connects again after that is served."""

    def __init__(self, address: str | tuple[str, int]) -> None:
        """The server's: the path of a socket, or host and port."""
        self._address = address
        self._family = socket.AF_UNIX if isinstance(address, str) else socket.AF_INET
        self._door = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._door.getsockname()[1]
        self._one = threading.Lock()
        self._said, self._at, self._heard = 0, 0, False
        threading.Thread(target=self._serve, daemon=True).start()

    def cut(self, at: int, heard: bool) -> None:
        with self._one:
            self._said, self._at, self._heard = 0, at, heard

    @property
    def is_cut(self) -> bool:
        """Whether it came to that."""
        return bool(self._at) and self._said >= self._at

    def close(self) -> None:
        self._door.close()

    def _serve(self) -> None:
        with suppress(OSError):
            while True:
                client, _ = self._door.accept()
                threading.Thread(target=self._connect, args=(client,), daemon=True).start()

    def _connect(self, client: socket.socket) -> None:
        server, lost = socket.socket(self._family), threading.Event()
        with client, server, suppress(OSError):
            server.connect(self._address)
            _at_once(client, server)
            back = threading.Thread(target=self._answer, args=(server, client, lost), daemon=True)
            back.start()
            while word := client.recv(_CHUNK):
                ends = self._is_last()
                if ends and not self._heard:
                    break
                if ends:
                    lost.set()
                server.sendall(word)
                if ends:
                    back.join(0.2)
                    break
            _hang_up(client, server)

    def _answer(self, server: socket.socket, client: socket.socket, lost: threading.Event) -> None:
        with suppress(OSError):
            while (word := server.recv(_CHUNK)) and not lost.is_set():
                client.sendall(word)
        _hang_up(client, server)

    def _is_last(self) -> bool:
        with self._one:
            self._said += 1
            return self._said == self._at


def _at_once(*ends: socket.socket) -> None:
    """Do not wait whether there is more to send."""
    for end in ends:
        if end.family == socket.AF_INET:
            end.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)


def _hang_up(*ends: socket.socket) -> None:
    for end in ends:
        with suppress(OSError):
            end.shutdown(socket.SHUT_RDWR)


@contextmanager
def wire(address: str) -> Iterator[tuple[Wire, str]]:
    """To the server at that address, and the address by which it is reached."""
    if path := re.search(r"@(/.*\.sock)", address):
        made = Wire(path[1])
        through = re.sub(
            r"unix://(.*@)/.*\.sock(\?db=\d)?", rf"redis://\g<1>127.0.0.1:{made.port}", address
        )
    else:
        parts = urlsplit(address)
        assert parts.hostname and parts.port
        made = Wire((parts.hostname, parts.port))
        through = address.replace(f":{parts.port}", f":{made.port}")
    try:
        yield made, through
    finally:
        made.close()
