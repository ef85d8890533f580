"""A network in memory: names that resolve as scripted, servers that answer as scripted, every dial written down."""

import ssl
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import httpcore

from crawler.address_policy import AddressPolicy
from crawler.fetch.fetch_result import FetchLimits
from crawler.fetch.fetcher import Fetcher
from crawler.fetch.guarded_dialler import SocketOptions
from crawler.fetch.guarded_transport import GuardedTransport, GuardedWire
from crawler.fetch.pacing import HostPacing

PUBLIC_ADDRESS = "93.184.215.14"
AGENT = "DocentBot"
USER_AGENT = f"{AGENT}/0.0 (+https://docent.example/bot)"


@dataclass
class FakeClock:
    """Time that passes only when somebody sleeps."""

    now: float = 1000.0
    slept: list[float] = field(default_factory=list)

    def __call__(self) -> float:
        return self.now

    async def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.now += seconds


@dataclass
class FakeResolver:
    """`rounds` per host: the k-th look-up gets the k-th round, the last one repeats."""

    rounds: dict[str, Sequence[Sequence[str]]] = field(default_factory=dict)
    default: Sequence[Sequence[str]] = ((PUBLIC_ADDRESS,),)
    lookups: list[str] = field(default_factory=list)

    async def __call__(self, host: str, port: int) -> Sequence[str]:
        rounds = self.rounds.get(host, self.default)
        answer = rounds[min(self.lookups.count(host), len(rounds) - 1)]
        self.lookups.append(host)
        return answer


@dataclass(frozen=True)
class FakeRequest:
    """What reached a fake server."""

    target: str
    headers: Mapping[str, str]


def response(
    status: int, body: bytes = b"", headers: Mapping[str, str] | None = None, reason: str = "Scripted"
) -> list[bytes]:
    """The network reads of one answer that closes its connection."""
    lines = {"Content-Type": "text/html", "Connection": "close", **(headers or {})}
    head = "".join(f"{name}: {value}\r\n" for name, value in lines.items())
    return [f"HTTP/1.1 {status} {reason}\r\n{head}\r\n".encode(), body]


Respond = Callable[[FakeRequest], Iterable[bytes]]


@dataclass
class FakeConnector:
    """Every address runs the same server. The first `fail_first` dials fail; `failure` makes all of them fail."""

    respond: Respond
    fail_first: int = 0
    failure: Exception | None = None
    first_failure: Exception = field(default_factory=lambda: httpcore.ConnectError("scripted failure"))
    dialled: list[tuple[str, int]] = field(default_factory=list)
    requests: list[FakeRequest] = field(default_factory=list)
    tls_names: list[str | None] = field(default_factory=list)

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,  # noqa: ASYNC109
        local_address: str | None = None,
        socket_options: SocketOptions | None = None,
    ) -> httpcore.AsyncNetworkStream:
        self.dialled.append((host, port))
        if self.failure is not None:
            raise self.failure
        if len(self.dialled) <= self.fail_first:
            raise self.first_failure
        return _FakeStream(self)


class _FakeStream(httpcore.AsyncNetworkStream):
    def __init__(self, connector: FakeConnector) -> None:
        self._connector = connector
        self._received = b""
        self._reads: Iterator[bytes] = iter(())

    async def write(self, buffer: bytes, timeout: float | None = None) -> None:  # noqa: ASYNC109
        self._received += buffer
        if b"\r\n\r\n" in self._received:
            request = _parsed(self._received)
            self._received = b""
            self._connector.requests.append(request)
            self._reads = (chunk for chunk in self._connector.respond(request) if chunk)

    async def read(self, max_bytes: int, timeout: float | None = None) -> bytes:  # noqa: ASYNC109
        return next(self._reads, b"")

    async def aclose(self) -> None:
        pass

    async def start_tls(
        self,
        ssl_context: ssl.SSLContext,
        server_hostname: str | None = None,
        timeout: float | None = None,  # noqa: ASYNC109
    ) -> httpcore.AsyncNetworkStream:
        self._connector.tls_names.append(server_hostname)
        return self


def _parsed(received: bytes) -> FakeRequest:
    request_line, *lines = received.decode("latin-1").split("\r\n\r\n")[0].split("\r\n")
    headers = dict(line.split(": ", 1) for line in lines)
    return FakeRequest(request_line.split(" ")[1], {name.lower(): value for name, value in headers.items()})


@dataclass
class FakeNetwork:
    """A fetcher over the real guarded transport, with fake names, fake servers and fake time."""

    connector: FakeConnector
    resolver: FakeResolver = field(default_factory=FakeResolver)
    clock: FakeClock = field(default_factory=FakeClock)
    policy: AddressPolicy = field(default_factory=AddressPolicy)
    limits: FetchLimits = field(default_factory=FetchLimits)

    def __post_init__(self) -> None:
        transport = GuardedTransport(
            self.policy, self.resolver, self.connector, ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        )
        self.pacing = HostPacing(0.0, clock=self.clock, sleep=self.clock.sleep)
        self.wire = GuardedWire(transport)
        self.fetcher = Fetcher(self.wire, USER_AGENT, self.pacing, self.policy, self.limits, jitter=lambda: 0.0)
