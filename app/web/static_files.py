"""Serves a folder's style sheets and scripts at addresses that contain a fingerprint and can be cached forever, and the
API's reference, which loads nothing from other hosts.
"""

from collections.abc import Mapping
from functools import cache, cached_property
from pathlib import Path
from typing import Final

import anyio.to_thread
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route

from app.core.errors import NotFound
from app.web.middleware.public_url import root_path_of
from app.web.widget_script import BuiltFile, takes_gzip

_MEDIA_TYPES = {"css": "text/css", "js": "text/javascript", "svg": "image/svg+xml"}
_FOR_GOOD = "public, max-age=31536000, immutable"


class StaticFiles:
    """The files of a folder, read once on first use. `path` is the route, with `{file}` in it."""

    def __init__(self, folder: Path, path: str) -> None:
        self._folder = folder
        self.path = path

    @property
    def _files(self) -> Mapping[str, BuiltFile]:
        return _built_files(self._folder)

    @cached_property
    def _names(self) -> dict[str, str]:
        """The files' names by their names with the fingerprint."""
        return {self._pinned(name): name for name in self._files}

    def url(self, name: str) -> str:
        """The file's path with its fingerprint, without a proxy's prefix."""
        return self.path.format(file=self._pinned(name))

    def answer(self, request: Request) -> Response:
        """Serve the requested file. Raises NotFound."""
        name = self._names.get(str(request.path_params["file"]))
        if name is None:
            raise NotFound("file")
        built, zipped = self._files[name], takes_gzip(request)
        headers = {"Cache-Control": _FOR_GOOD, "Vary": "Accept-Encoding", "ETag": built.etag(zipped)}
        if zipped:
            headers["Content-Encoding"] = "gzip"
        body = built.zipped if zipped else built.body
        return Response(body, headers=headers, media_type=_MEDIA_TYPES[name.rpartition(".")[2]])

    def _pinned(self, name: str) -> str:
        stem, _, suffix = name.rpartition(".")
        return f"{stem}.{self._files[name].fingerprint}.{suffix}"


@cache
def _built_files(folder: Path) -> Mapping[str, BuiltFile]:
    suffixes = tuple(f".{suffix}" for suffix in _MEDIA_TYPES)
    return {path.name: BuiltFile.read(path) for path in folder.iterdir() if path.suffix in suffixes}


API_REFERENCE_PATH: Final = "/docs"
STATIC_FILES = Path(__file__).parent / "api_reference" / "static"
# Swagger UI needs no inline script or style. Its style sheet contains its icons as data URLs.
_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "form-action 'none'; base-uri 'none'; frame-ancestors 'none'"
)
_HEADERS = {
    "Cache-Control": "no-cache",
    "Content-Security-Policy": _POLICY,
    "Cross-Origin-Opener-Policy": "same-origin",
}


def api_reference_routes() -> list[Route]:
    files = StaticFiles(STATIC_FILES, f"{API_REFERENCE_PATH}/static/{{file}}")

    async def page(request: Request) -> Response:
        return HTMLResponse(await anyio.to_thread.run_sync(_page, files, root_path_of(request)), headers=_HEADERS)

    async def static_file(request: Request) -> Response:
        # In a thread, because the first use compresses nearly 2 MB.
        return await anyio.to_thread.run_sync(files.answer, request)

    return [Route(API_REFERENCE_PATH, page, name=API_REFERENCE_PATH), Route(files.path, static_file, name=files.path)]


def _page(files: StaticFiles, root_path: str) -> str:
    return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Docent API</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="{root_path}{files.url("swagger-ui.css")}">
</head>
<body>
<main id="reference">
<noscript>This page needs JavaScript. The API is described at {root_path}/openapi.json.</noscript>
</main>
<script src="{root_path}{files.url("swagger-ui-bundle.js")}"></script>
<script src="{root_path}{files.url("start.js")}"></script>
</body>
</html>
"""
