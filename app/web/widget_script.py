"""Serves the built widget to any page: the script, an immutable copy of it, the scripts that it loads, and the client
without the widget."""

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
_ASKED_AFTER = "no-cache"  # revalidated on each use, so that a fix reaches every page at once
_FOR_GOOD = "public, max-age=31536000, immutable"
_LANGUAGE = "[a-z]{2,3}"
_FINGERPRINT = "[A-Za-z0-9_-]{16}"
_SCRIPT = "widget|panel|people|page|past|proof|confirm|code|search|inline|invite|webmcp"
_ASKED_FOR = "widget|search|inline|invite|webmcp|docent-client"


@dataclass(frozen=True, slots=True)
class BuiltFile:
    """A file of the build. `digest` is the SHA-384 of `body`, `zipped` is `body` in gzip."""

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
        """A part of the immutable copy's address. It is the beginning of `integrity`, so that a script with both
        compresses well."""
        return base64.urlsafe_b64encode(self.digest[:12]).decode()

    @property
    def integrity(self) -> str:
        """The value of the `integrity` attribute (https://www.w3.org/TR/SRI/)."""
        return f"sha384-{base64.b64encode(self.digest).decode()}"

    def etag(self, zipped: bool) -> str:
        return f'"{self.digest.hex()[:32]}{"-gzip" if zipped else ""}"'


WidgetFolder = NewType("WidgetFolder", Path)


def built_widget() -> WidgetFolder:
    return WidgetFolder(Path(str(resources.files("widget"))) / "dist")


def pinned_path(script: BuiltFile, name: str = "widget") -> str:
    """The immutable address of exactly this build of the script; other builds have other addresses."""
    return f"/widget/{name}.{script.fingerprint}.js"


class WidgetScript(Api):
    """Serves the widget's files. A changed file is read again, so that a rebuilt widget needs no restart."""

    tag = "Widget"

    def __init__(self, folder: WidgetFolder) -> None:
        self._folder = folder
        self._read: dict[str, BuiltFile] = {}

    @get(
        "/widget/{script}.js",
        "A script for a script tag: the widget, the page search, the inline conversation, invitations; or the client "
        "without an interface, as an ES module",
        access=everyone,
        response_media_type="text/javascript",
        path_patterns={"script": _ASKED_FOR},
        codes=("not_found",),
    )
    async def get_widget_script(self, call: Call[None, None]) -> Response:
        script = _named(call, _ASKED_FOR)
        return _answer(call.request, await self._built(f"{script}.js"), _JAVASCRIPT, _ASKED_AFTER)

    @get(
        "/widget/{script}.{fingerprint}.js",
        "One build of a script, for a script tag with `integrity` or for what the widget's script loads on demand",
        access=everyone,
        response_media_type="text/javascript",
        path_patterns={"script": _SCRIPT, "fingerprint": _FINGERPRINT},
        codes=("not_found",),
    )
    async def get_pinned_widget_script(self, call: Call[None, None]) -> Response:
        built = await self._built(f"{_named(call, _SCRIPT)}.js")
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
        return _answer(call.request, await self._built(f"{_named(call, _SCRIPT)}.js.map"), _JSON, _ASKED_AFTER)

    @get(
        "/widget/docent-client.d.ts",
        "The types of the client's module, for TypeScript",
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


def _named(call: Call[None, None], scripts: str) -> str:
    script = str(call.request.path_params["script"])
    if not re.fullmatch(scripts, script):
        raise NotFound("script of the widget")
    return script


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
