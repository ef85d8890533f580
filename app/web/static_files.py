"""Style sheets and scripts of a folder, at addresses that contain their fingerprint and can be cached forever."""

from collections.abc import Mapping
from functools import cache, cached_property
from pathlib import Path

from starlette.requests import Request
from starlette.responses import Response

from app.core.errors import NotFound
from app.web.widget_script import BuiltFile, takes_gzip

_MEDIA_TYPES = {"css": "text/css", "js": "text/javascript", "svg": "image/svg+xml"}
_FOR_GOOD = "public, max-age=31536000, immutable"


class StaticFiles:
    """Read on first use, and once in a process. `path` is the route's, with `{file}` in it."""

    def __init__(self, folder: Path, path: str) -> None:
        self._folder = folder
        self.path = path

    @property
    def _files(self) -> Mapping[str, BuiltFile]:
        return _built_files(self._folder)

    @cached_property
    def _names(self) -> dict[str, str]:
        """By the name with the fingerprint."""
        return {self._pinned(name): name for name in self._files}

    def url(self, name: str) -> str:
        """Without a proxy's prefix."""
        return self.path.format(file=self._pinned(name))

    def answer(self, request: Request) -> Response:
        """Raises NotFound."""
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
