"""Serves the widget's one script to any page that embeds it."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from importlib import resources
from pathlib import Path

import anyio.to_thread
from starlette.requests import Request
from starlette.responses import Response

from app.domain.errors import NotFound
from app.web.endpoint import AnyEndpoint, Call, Endpoint, Everyone

PATH = "/widget/widget.js"
MEDIA_TYPE = "text/javascript; charset=utf-8"


@dataclass(frozen=True, slots=True)
class _Built:
    modified_ns: int
    body: bytes
    etag: str


def built_script() -> Path:
    """Where the package carries the built script."""
    return Path(str(resources.files("widget"))) / "dist" / "widget.js"


class WidgetScript:
    """Reads the file again when it has changed, so that a rebuilt widget needs no restart."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._built: _Built | None = None

    def endpoints(self) -> Sequence[AnyEndpoint]:
        return (
            Endpoint(
                "GET",
                PATH,
                "getWidgetScript",
                "The widget's script, for a script tag",
                "Widget",
                Everyone(),
                self.script,
                response_media_type="text/javascript",
                codes=("not_found",),
            ),
        )

    async def script(self, call: Call[None, None]) -> Response:
        built = await anyio.to_thread.run_sync(self._current)
        headers = {
            "ETag": built.etag,
            "Cache-Control": "no-cache",  # kept, and asked after each time: a fix reaches every page at once
            "Cross-Origin-Resource-Policy": "cross-origin",
            "Access-Control-Allow-Origin": "*",
        }
        if _matches(call.request, built.etag):
            return Response(status_code=304, headers=headers)
        return Response(built.body, headers=headers, media_type=MEDIA_TYPE)

    def _current(self) -> _Built:
        try:
            modified_ns = self._path.stat().st_mtime_ns
            if self._built is None or self._built.modified_ns != modified_ns:
                body = self._path.read_bytes()
                etag = f'"{hashlib.sha256(body).hexdigest()[:32]}"'
                self._built = _Built(modified_ns, body, etag)
        except FileNotFoundError:
            raise NotFound("built widget script (widget/dist/widget.js)") from None
        return self._built


def _matches(request: Request, etag: str) -> bool:
    known = request.headers.get("if-none-match", "")
    return known.strip() == "*" or etag in [part.strip().removeprefix("W/") for part in known.split(",")]
