"""Reads the server's test stream as a browser would, and reports whether something buffers it on the way."""

import itertools
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from time import perf_counter
from typing import Final

import httpx

from app.web.health import PROBE_EVENTS, PROBE_PATH

# (header, part of its value or "" for any, what it means and the fix); all that match are reported.
_SIGNS: Final = (
    (
        "content-encoding",
        "",
        "Something compresses the stream ({value}), and collects text for that. Switch compression off for "
        "text/event-stream.",
    ),
    (
        "content-length",
        "",
        "Something read the whole stream before it passed it on: it came with a Content-Length. Switch response "
        "buffering off there.",
    ),
    (
        "server",
        "nginx",
        "nginx buffers, though Docent asks it not to with X-Accel-Buffering: no. Remove `proxy_ignore_headers "
        "X-Accel-Buffering`, or set `proxy_buffering off;` for Docent's location.",
    ),
    (
        "server",
        "openresty",
        "OpenResty buffers, though Docent asks it not to with X-Accel-Buffering: no. Set `proxy_buffering off;` for "
        "Docent's location.",
    ),
    (
        "server",
        "apache",
        "Apache httpd buffers. Set `flushpackets=on` on the ProxyPass line and keep mod_deflate from "
        "text/event-stream.",
    ),
    (
        "server",
        "iis",
        "IIS with Application Request Routing buffers. Set its responseBufferLimit to 0.",
    ),
    ("server", "caddy", "Caddy buffers. Set `flush_interval -1` in its reverse_proxy block."),
    ("via", "caddy", "Caddy buffers. Set `flush_interval -1` in its reverse_proxy block."),
    (
        "cf-ray",
        "",
        "Cloudflare is on the way. Switch off what rewrites responses for Docent's host (Rocket Loader, response "
        "buffering, Workers that read the whole body).",
    ),
    (
        "x-amz-cf-id",
        "",
        "CloudFront is on the way. Use a behaviour with caching and compression disabled for Docent's paths.",
    ),
    ("x-varnish", "", "Varnish is on the way. Set `beresp.do_stream = true` and pass text/event-stream."),
    ("server", "akamai", "Akamai is on the way. Switch on chunked streaming for Docent's paths."),
    ("x-azure-ref", "", "Azure Front Door is on the way. Switch caching and compression off for Docent's route."),
    ("server", "envoy", "Envoy is on the way. Remove its buffer filter from Docent's route."),
    ("via", "squid", "Squid is on the way. Keep Docent's host out of it."),
)
_UNKNOWN: Final = (
    "Something on the way holds the stream back and leaves no name in the headers. Switch response buffering and "
    "compression off for text/event-stream in each proxy, and try again from behind each of them."
)


def likely_causes(headers: Mapping[str, str]) -> tuple[str, ...]:
    """The likely causes of buffering, at least one. `headers` are the stream's response headers; case is ignored."""
    folded = {name.casefold(): value for name, value in headers.items()}
    found = tuple(
        text.replace("{value}", folded[name])
        for name, part, text in _SIGNS
        if name in folded and part in folded[name].casefold()
    )
    return found or (_UNKNOWN,)


_TOGETHER_MS = 10.0  # events that arrive within this time count as one piece
_WORST_DELAY_MS = 500.0
_SECONDS = 20.0


class StreamUnreadable(Exception):
    """The test stream could not be read; the message says why."""


@dataclass(frozen=True, slots=True)
class Arrival:
    """When the server sent an event and when it arrived, in milliseconds since the first one."""

    sent_ms: float
    came_ms: float


@dataclass(frozen=True, slots=True)
class StreamReport:
    """`events` events arrived in `pieces` pieces: as many if nothing buffers them, 1 if all are buffered to the end.
    `worst_delay_ms` is how much longer the slowest event took than the fastest."""

    url: str
    events: int
    pieces: int
    worst_delay_ms: float
    causes: tuple[str, ...]

    @property
    def is_live(self) -> bool:
        return not self.causes

    def in_words(self) -> str:
        seen = f"{self.events} events came in {self.pieces} pieces, the slowest {self.worst_delay_ms:.0f} ms late."
        return "\n".join((seen, *(self.causes or ("Nothing on the way holds the stream back.",))))


async def check_stream(base_url: str, transport: httpx.AsyncBaseTransport | None = None) -> StreamReport:
    """Read the test stream of the server at `base_url`. Raises StreamUnreadable."""
    url = base_url.rstrip("/") + PROBE_PATH
    # Browsers accept compression, and a proxy that compresses may buffer.
    headers = {"Accept": "text/event-stream", "Accept-Encoding": "gzip"}
    try:
        async with (
            httpx.AsyncClient(timeout=_SECONDS, transport=transport) as http,
            http.stream("GET", url, headers=headers) as response,
        ):
            if response.status_code != 200 or "text/event-stream" not in response.headers.get("content-type", ""):
                kind = response.headers.get("content-type", "no type")
                raise StreamUnreadable(f"{url} answered {response.status_code} ({kind}), and not with a test stream.")
            return _report(url, await _arrivals(response), response.headers)
    except httpx.ConnectError as error:
        raise StreamUnreadable(f"{url} could not be read: nothing answers there.") from error
    except (httpx.HTTPError, httpx.InvalidURL) as error:
        raise StreamUnreadable(f"{url} could not be read: {str(error) or type(error).__name__}.") from error


async def _arrivals(response: httpx.Response) -> list[Arrival]:
    arrivals: list[Arrival] = []
    began: float | None = None
    pending = b""
    async for piece in response.aiter_bytes():
        now = perf_counter()
        began = now if began is None else began
        *blocks, pending = (pending + piece).split(b"\n\n")
        for block in blocks:
            data = [line[6:] for line in block.split(b"\n") if line.startswith(b"data: ")]
            if data:
                arrivals.append(Arrival(json.loads(data[0])["sent_ms"], (now - began) * 1000))
    return arrivals


def _report(url: str, arrivals: Sequence[Arrival], headers: Mapping[str, str]) -> StreamReport:
    if len(arrivals) <= PROBE_EVENTS:
        raise StreamUnreadable(f"{url} broke off after {len(arrivals)} of {PROBE_EVENTS + 1} events.")
    delays = [arrival.came_ms - arrival.sent_ms for arrival in arrivals]
    worst = max(delays) - min(delays)
    moments = [arrival.came_ms for arrival in arrivals]
    pieces = 1 + sum(after - before > _TOGETHER_MS for before, after in itertools.pairwise(moments))
    is_held_back = pieces * 2 < len(arrivals) or worst > _WORST_DELAY_MS
    causes = likely_causes(headers) if is_held_back else ()
    return StreamReport(url, len(arrivals), pieces, round(worst, 1), causes)
