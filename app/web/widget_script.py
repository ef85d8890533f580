"""Serves the built widget to any page: the script, the same script for good, what it loads, and the client alone."""

import base64
import gzip
import hashlib
import re
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import NewType

import anyio.to_thread
from starlette.requests import Request
from starlette.responses import Response

from app.core.errors import NotFound
from app.web.access import everyone
from app.web.endpoint import Api, Call, get

SCRIPT_PATH = "/widget/widget.js"
_JAVASCRIPT, _JSON = "text/javascript; charset=utf-8", "application/json"
_TYPES = "text/plain; charset=utf-8"  # TypeScript has no registered media type
_ASKED_AFTER = "no-cache"  # kept, and asked after each time: a fix reaches every page at once
_FOR_GOOD = "public, max-age=31536000, immutable"
_LANGUAGE = "[a-z]{2,3}"
_FINGERPRINT = "[0-9a-f]{16}"
_SCRIPT = "widget|panel|people|page|past|proof|search|inline"


@dataclass(frozen=True, slots=True)
class BuiltFile:
    """`digest` is the SHA-384 of `body`, `zipped` the same body in gzip."""

    modified_ns: int
    body: bytes
    zipped: bytes
    digest: bytes

    @classmethod
    def read(cls, path: Path) -> "BuiltFile":
        """Raises FileNotFoundError."""
        modified_ns, body = path.stat().st_mtime_ns, path.read_bytes()
        return cls(modified_ns, body, gzip.compress(body, 9, mtime=0), hashlib.sha384(body).digest())

    @property
    def fingerprint(self) -> str:
        """What the address of the copy that never changes carries."""
        return self.digest.hex()[:16]

    @property
    def integrity(self) -> str:
        """For the `integrity` attribute; see https://www.w3.org/TR/SRI/."""
        return f"sha384-{base64.b64encode(self.digest).decode()}"

    def etag(self, zipped: bool) -> str:
        return f'"{self.digest.hex()[:32]}{"-gzip" if zipped else ""}"'


WidgetFolder = NewType("WidgetFolder", Path)


def built_widget() -> WidgetFolder:
    """The folder in which the package carries the built widget."""
    return WidgetFolder(Path(str(resources.files("widget"))) / "dist")


def pinned_path(script: BuiltFile, name: str = "widget") -> str:
    """Where exactly this script is, or nothing."""
    return f"/widget/{name}.{script.fingerprint}.js"


class WidgetScript(Api):
    """Reads a file again when it has changed, so that a rebuilt widget needs no restart."""

    tag = "Widget"

    def __init__(self, folder: WidgetFolder) -> None:
        self._folder = folder
        self._read: dict[str, BuiltFile] = {}

    @get(
        "/widget/widget.js",
        "The widget's script, for a script tag",
        access=everyone,
        response_media_type="text/javascript",
        codes=("not_found",),
    )
    async def get_widget_script(self, call: Call[None, None]) -> Response:
        return _answer(call.request, await self._built("widget.js"), _JAVASCRIPT, _ASKED_AFTER)

    @get(
        "/widget/widget.{fingerprint}.js",
        "This one build of the script, for a script tag with `integrity`",
        access=everyone,
        response_media_type="text/javascript",
        path_patterns={"fingerprint": _FINGERPRINT},
        codes=("not_found",),
    )
    async def get_pinned_widget_script(self, call: Call[None, None]) -> Response:
        return await self._pinned(call, "widget.js")

    @get(
        "/widget/panel.{fingerprint}.js",
        "What the script loads for a visitor who opens the panel, as this one build of it",
        access=everyone,
        response_media_type="text/javascript",
        path_patterns={"fingerprint": _FINGERPRINT},
        codes=("not_found",),
    )
    async def get_pinned_widget_panel(self, call: Call[None, None]) -> Response:
        return await self._pinned(call, "panel.js")

    @get(
        "/widget/people.{fingerprint}.js",
        "What the script loads for a visitor who wants people, as this one build of it",
        access=everyone,
        response_media_type="text/javascript",
        path_patterns={"fingerprint": _FINGERPRINT},
        codes=("not_found",),
    )
    async def get_pinned_widget_people(self, call: Call[None, None]) -> Response:
        return await self._pinned(call, "people.js")

    @get(
        "/widget/page.{fingerprint}.js",
        "What the script loads to read the visitor's page, as this one build of it",
        access=everyone,
        response_media_type="text/javascript",
        path_patterns={"fingerprint": _FINGERPRINT},
        codes=("not_found",),
    )
    async def get_pinned_widget_page(self, call: Call[None, None]) -> Response:
        return await self._pinned(call, "page.js")

    @get(
        "/widget/past.{fingerprint}.js",
        "What the script loads for a visitor who looks for an earlier conversation, as this one build of it",
        access=everyone,
        response_media_type="text/javascript",
        path_patterns={"fingerprint": _FINGERPRINT},
        codes=("not_found",),
    )
    async def get_pinned_widget_past(self, call: Call[None, None]) -> Response:
        return await self._pinned(call, "past.js")

    @get(
        "/widget/proof.{fingerprint}.js",
        "What the script loads for a visitor who has to prove work, as this one build of it",
        access=everyone,
        response_media_type="text/javascript",
        path_patterns={"fingerprint": _FINGERPRINT},
        codes=("not_found",),
    )
    async def get_pinned_widget_proof(self, call: Call[None, None]) -> Response:
        return await self._pinned(call, "proof.js")

    @get(
        "/widget/search.js",
        "The script of the page search, for a script tag of its own",
        access=everyone,
        response_media_type="text/javascript",
        codes=("not_found",),
    )
    async def get_widget_search(self, call: Call[None, None]) -> Response:
        return _answer(call.request, await self._built("search.js"), _JAVASCRIPT, _ASKED_AFTER)

    @get(
        "/widget/search.{fingerprint}.js",
        "This one build of that script, for a script tag with `integrity`",
        access=everyone,
        response_media_type="text/javascript",
        path_patterns={"fingerprint": _FINGERPRINT},
        codes=("not_found",),
    )
    async def get_pinned_widget_search(self, call: Call[None, None]) -> Response:
        return await self._pinned(call, "search.js")

    @get(
        "/widget/inline.js",
        "The script of a conversation that stands in the page, for a script tag of its own",
        access=everyone,
        response_media_type="text/javascript",
        codes=("not_found",),
    )
    async def get_widget_inline(self, call: Call[None, None]) -> Response:
        return _answer(call.request, await self._built("inline.js"), _JAVASCRIPT, _ASKED_AFTER)

    @get(
        "/widget/inline.{fingerprint}.js",
        "This one build of that script, for a script tag with `integrity`",
        access=everyone,
        response_media_type="text/javascript",
        path_patterns={"fingerprint": _FINGERPRINT},
        codes=("not_found",),
    )
    async def get_pinned_widget_inline(self, call: Call[None, None]) -> Response:
        return await self._pinned(call, "inline.js")

    async def _pinned(self, call: Call[None, None], name: str) -> Response:
        built = await self._built(name)
        if call.request.path_params["fingerprint"] != built.fingerprint:
            raise NotFound("build of the widget")
        return _answer(call.request, built, _JAVASCRIPT, _FOR_GOOD)

    @get(
        "/widget/{script}.js.map",
        "The source map of one of the scripts, for a browser's tools",
        access=everyone,
        path_patterns={"script": _SCRIPT},
        codes=("not_found",),
    )
    async def get_widget_source_map(self, call: Call[None, None]) -> Response:
        script = str(call.request.path_params["script"])
        if not re.fullmatch(_SCRIPT, script):
            raise NotFound("script of the widget")
        return _answer(call.request, await self._built(f"{script}.js.map"), _JSON, _ASKED_AFTER)

    @get(
        "/widget/docent-client.js",
        "The widget's client without an interface, as an ES module",
        access=everyone,
        response_media_type="text/javascript",
        codes=("not_found",),
    )
    async def get_widget_client(self, call: Call[None, None]) -> Response:
        return _answer(call.request, await self._built("docent-client.js"), _JAVASCRIPT, _ASKED_AFTER)

    @get(
        "/widget/docent-client.d.ts",
        "The types of that module, for TypeScript",
        access=everyone,
        response_media_type="text/plain",
        codes=("not_found",),
    )
    async def get_widget_client_types(self, call: Call[None, None]) -> Response:
        return _answer(call.request, await self._built("docent-client.d.ts"), _TYPES, _ASKED_AFTER)

    @get(
        "/widget/words/{language}.json",
        "The interface in one language; English is in the script",
        access=everyone,
        path_patterns={"language": _LANGUAGE},
        codes=("not_found",),
    )
    async def get_widget_words(self, call: Call[None, None]) -> Response:
        language = str(call.request.path_params["language"])
        if not re.fullmatch(_LANGUAGE, language):
            raise NotFound("language of the widget")
        return _answer(call.request, await self._built(f"words/{language}.json"), _JSON, _ASKED_AFTER)

    async def _built(self, name: str) -> BuiltFile:
        return await anyio.to_thread.run_sync(self._current, name)

    def _current(self, name: str) -> BuiltFile:
        path, known = self._folder / name, self._read.get(name)
        try:
            if known is None or known.modified_ns != path.stat().st_mtime_ns:
                known = self._read[name] = BuiltFile.read(path)
        except FileNotFoundError:
            raise NotFound(f"file of the built widget (widget/dist/{name})") from None
        return known


def _answer(request: Request, built: BuiltFile, media_type: str, caching: str) -> Response:
    zipped = takes_gzip(request)
    headers = {
        "ETag": built.etag(zipped),
        "Cache-Control": caching,
        "Vary": "Accept-Encoding",
        "Cross-Origin-Resource-Policy": "cross-origin",
        "Access-Control-Allow-Origin": "*",
    }
    if _is_known(request, built):
        return Response(status_code=304, headers=headers)
    if zipped:
        headers["Content-Encoding"] = "gzip"
    return Response(built.zipped if zipped else built.body, headers=headers, media_type=media_type)


def _is_known(request: Request, built: BuiltFile) -> bool:
    known = [part.strip().removeprefix("W/") for part in request.headers.get("if-none-match", "").split(",")]
    return "*" in known or built.etag(zipped=True) in known or built.etag(zipped=False) in known


def takes_gzip(request: Request) -> bool:
    for part in request.headers.get("accept-encoding", "").lower().split(","):
        coding, _, weight = part.partition(";")
        if coding.strip() == "gzip":
            return not re.fullmatch(r"\s*q\s*=\s*0(\.0*)?\s*", weight)
    return False
