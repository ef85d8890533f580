"""The page and its files. It loads nothing from other hosts."""

from pathlib import Path
from typing import Final

import anyio.to_thread
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route

from app.web.middleware.public_url import root_path_of
from app.web.static_files import StaticFiles

PATH: Final = "/docs"
STATIC_FILES = Path(__file__).parent / "static"
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
    files = StaticFiles(STATIC_FILES, f"{PATH}/static/{{file}}")

    async def page(request: Request) -> Response:
        return HTMLResponse(await anyio.to_thread.run_sync(_page, files, root_path_of(request)), headers=_HEADERS)

    async def static_file(request: Request) -> Response:
        # In a thread, because the first use compresses nearly 2 MB.
        return await anyio.to_thread.run_sync(files.answer, request)

    return [Route(PATH, page, name=PATH), Route(files.path, static_file, name=files.path)]


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
