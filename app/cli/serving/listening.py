"""The sockets on which a server listens. Each of several web processes receives them in a hidden option."""

import errno
import json
import socket
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Self

from app.cli.terminal import fail


def bound_sockets(host: str, port: int) -> list[socket.socket]:
    """A socket for each address of the host, bound but not yet listening, which reserves the port while everything
    else is opened. Ends the command if the port cannot be bound."""
    try:
        addresses = dict.fromkeys(
            (family, address) for family, _, _, _, address in socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
        )
    except socket.gaierror:
        fail(f"DOCENT_HOST: there is no address {host}; 127.0.0.1 serves this machine, 0.0.0.0 its networks.", 2)
    bound: list[socket.socket] = []
    for family, address in addresses:
        try:
            bound.append(_bound(family, address))
        except PermissionError:
            fail(
                f"DOCENT_PORT: this account may not listen on {port}; choose a port from 1024 up, such as --port 8000.",
                2,
            )
        except OSError as error:
            if error.errno == errno.EADDRINUSE:
                fail(f"DOCENT_PORT: port {port} is in use; stop what listens there, or choose another with --port.", 2)
    if not bound:
        fail(f"DOCENT_HOST: {host} is not an address of this machine; choose one with --host.", 2)
    return bound


def _bound(family: int, address: tuple[object, ...]) -> socket.socket:
    made = socket.socket(family)
    try:
        made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        if family == socket.AF_INET6:
            made.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
        made.bind(address)
    except OSError:
        made.close()
        raise
    return made


@dataclass(frozen=True, slots=True)
class Member:
    """One of several web processes. `number` counts from 1, `listening` are file descriptors of bound sockets, and
    `folder` contains the sockets over which the processes exchange metrics."""

    number: int
    listening: Sequence[int]
    folder: str

    @classmethod
    def read(cls, written: str) -> Self:
        return cls(**json.loads(written))

    def written(self) -> str:
        return json.dumps(asdict(self))

    @property
    def sockets(self) -> list[socket.socket]:
        return [socket.socket(fileno=descriptor) for descriptor in self.listening]

    @property
    def metrics_socket(self) -> Path:
        return Path(self.folder, f"{self.number}.sock")
