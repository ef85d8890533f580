"""Restores the URL that the caller used behind a proxy: the path's prefix and the scheme."""

from starlette.requests import HTTPConnection, Request
from starlette.types import ASGIApp, Receive, Scope, Send

from app.web.client_address import ClientAddresses


class PublicUrl:
    """Changes the ASGI scope to that of the caller's request: `path` includes the prefix, and `root_path` is the
    prefix, which routes do not see. `request.base_url` is then the public URL.

    The proxy may keep the prefix or strip it; a path without it, such as that of a health check that bypasses the
    proxy, is treated as stripped.
    """

    def __init__(self, app: ASGIApp, *, root_path: str, addresses: ClientAddresses) -> None:
        """`root_path` is empty, or begins with a slash and does not end with one."""
        self._app = app
        self._root_path = root_path
        self._addresses = addresses

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            scope = {**scope, "root_path": self._root_path, "path": self._whole(scope["path"])}
            if self._addresses.came_over_tls(Request(scope)):
                scope["scheme"] = "https"
        await self._app(scope, receive, send)

    def _whole(self, path: str) -> str:
        if path == self._root_path:
            return f"{path}/"
        return path if path.startswith(f"{self._root_path}/") else self._root_path + path


def root_path_of(request: HTTPConnection) -> str:
    """The prefix of all our paths in links, or ""."""
    return str(request.scope.get("root_path", ""))


def base_url_of(request: HTTPConnection) -> str:
    """The public URL of this server, including the prefix, without a trailing slash."""
    return str(request.base_url).rstrip("/")


def path_below(scope: Scope) -> str:
    """The path without the prefix, as routes see it."""
    return str(scope["path"]).removeprefix(scope.get("root_path", ""))
