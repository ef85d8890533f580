"""Who on the way holds a stream back, by the headers that each leaves behind, and what to tell them."""

from collections.abc import Mapping
from typing import Final

# (header, part of its value or "" for any, what it means and the fix); all that fit are named.
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
    """Never empty. `headers` are the stream's response headers, found whatever their case."""
    folded = {name.casefold(): value for name, value in headers.items()}
    found = tuple(
        text.replace("{value}", folded[name])
        for name, part, text in _SIGNS
        if name in folded and part in folded[name].casefold()
    )
    return found or (_UNKNOWN,)
