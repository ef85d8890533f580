"""Where a server is to listen."""

import errno
import socket

from app.cli.terminal import fail


def bound_sockets(host: str, port: int) -> list[socket.socket]:
    """One for each address of the host, bound and not listening yet, so that nobody else takes the port while all else
    is opened. Ends the command where nobody could listen there."""
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
