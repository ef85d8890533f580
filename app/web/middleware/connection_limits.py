"""Limits of a connection, and the choice of the connection to close when there are too many."""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

import prometheus_client


@dataclass(frozen=True, slots=True)
class ConnectionLimits:
    """`header_bytes` limits the size of the request line, headers and trailers together, `headers` their number. The
    head must arrive within `header_seconds` of its first byte (or of the connection), the body within `body_seconds`
    plus one second for each KiB received. A client that reads less than 1 KiB/s of an answer, over `stall_seconds`, is
    disconnected.
    `per_address` limits connections from an IPv4 address or IPv6 /64 network other than a trusted proxy."""

    header_bytes: int = 32 * 1024
    headers: int = 100
    header_seconds: float = 10
    body_seconds: float = 30
    stall_seconds: float = 10
    connections: int = 2000
    per_address: int = 200


class Refused(StrEnum):
    """Why a connection was closed before its client received an answer."""

    MALFORMED = "malformed"
    HOST = "host"
    HEADER = "header"
    HEADER_LATE = "header_late"
    BODY_LATE = "body_late"
    PIPELINED = "pipelined"
    STALLED = "stalled"
    ADDRESS = "address"
    FULL = "full"


class ConnectionMeter:
    def __init__(self, registry: prometheus_client.CollectorRegistry) -> None:
        self._refused = prometheus_client.Counter(
            "docent_connections_refused", "Connections closed by a limit of the server.", ["reason"], registry=registry
        )

    def refused(self, reason: Refused) -> None:
        self._refused.labels(reason).inc()


class Connection(Protocol):
    def leave(self) -> None:
        """Close at once, without a response, to make room."""
        ...


class OpenConnections:
    """The connections of one server. `key_of` maps a host to the key under which it is counted, or None if it is not
    counted."""

    def __init__(self, limits: ConnectionLimits, key_of: Callable[[str], str | None], meter: ConnectionMeter) -> None:
        self.limits = limits
        self.meter = meter
        self._key_of = key_of
        self._by_address: Counter[str] = Counter()
        self._keys: dict[Connection, str | None] = {}
        self._waiting: dict[Connection, None] = {}  # waiting for their client to send, longest first
        self._stalled: dict[Connection, None] = {}  # waiting for their client to read, longest first

    def enter(self, connection: Connection, host: str | None) -> Refused | None:
        """Count a connection; return the reason if it is refused. Beyond the total limit, the connection that has
        waited longest for its client to send is closed, else the one that has waited longest for its client to read.
        Call `left` for every connection that enters, also for refused ones."""
        key = self._key_of(host) if host else None
        self._keys[connection] = key
        if key is not None:
            self._by_address[key] += 1
            if self._by_address[key] > self.limits.per_address:
                return Refused.ADDRESS
        if len(self._keys) > self.limits.connections and not self._make_room():
            return Refused.FULL
        self.waits(connection)
        return None

    def left(self, connection: Connection) -> None:
        self._waiting.pop(connection, None)
        self._stalled.pop(connection, None)
        key = self._keys.pop(connection, None)
        if key is not None:
            self._by_address[key] -= 1
            if not self._by_address[key]:
                del self._by_address[key]

    def waits(self, connection: Connection) -> None:
        """The connection has no complete request, so its client has to send."""
        self._waiting.setdefault(connection)

    def works(self, connection: Connection) -> None:
        """The connection has a complete request, so we have to respond."""
        self._waiting.pop(connection, None)

    def stalls(self, connection: Connection) -> None:
        """The client reads more slowly than we send."""
        if connection in self._keys:
            self._stalled.setdefault(connection)

    def flows(self, connection: Connection) -> None:
        """The client has caught up after `stalls`."""
        self._stalled.pop(connection, None)

    def _make_room(self) -> bool:
        longest = next(iter(self._waiting), None) or next(iter(self._stalled), None)
        if longest is None:
            return False
        self.left(longest)
        self.meter.refused(Refused.FULL)
        longest.leave()
        return True
