"""An uploaded file as it was sent, for whoever may have it: as a download, and never as a page of our own origin."""

from urllib.parse import quote
from uuid import UUID

from starlette.responses import Response

from app.operating.source_files import OpenedFile

DOWNLOAD = "application/octet-stream"  # nothing that a browser would draw


def public_path(source_id: UUID) -> str:
    return f"/v1/files/{source_id}"


def served(file: OpenedFile) -> Response:
    """Whatever is in it runs nowhere: the browser saves it, guesses no other type, and would sandbox it."""
    name = file.facts.name
    plain = "".join(sign if sign.isascii() and (sign.isalnum() or sign in " -_.") else "_" for sign in name)
    return Response(
        file.body,
        media_type=DOWNLOAD,
        headers={
            "Content-Disposition": f"attachment; filename=\"{plain}\"; filename*=UTF-8''{quote(name, safe='')}",
            "Content-Security-Policy": "sandbox; default-src 'none'; frame-ancestors 'none'",
            "X-Content-Type-Options": "nosniff",
            "Cache-Control": "no-store",
        },
    )
