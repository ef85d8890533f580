"""Downloads: lists as CSV or JSON, pages, and uploaded files."""

import csv
import io
import json
from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from datetime import datetime
from enum import Enum
from typing import Any, Final, Literal
from urllib.parse import quote
from uuid import UUID

from pydantic import BaseModel
from starlette.responses import JSONResponse, Response, StreamingResponse

from app.core.delimited_text import as_cell
from app.core.source_file import OpenedFile

DOWNLOAD: Final = "application/octet-stream"  # nothing that a browser would render
ExportFormat = Literal["csv", "json"]


def exported(name: str, form: ExportFormat, columns: Sequence[str], items: Iterable[BaseModel]) -> Response:
    """The items as a download: a CSV with the `columns`, or a JSON with all fields."""
    headers = {"Content-Disposition": f'attachment; filename="{name}.{form}"', "Cache-Control": "no-store"}
    if form == "json":
        return JSONResponse([item.model_dump(mode="json") for item in items], headers=headers)
    rows = ([_cell(getattr(item, column)) for column in columns] for item in items)
    return Response(csv_table(columns, rows), media_type="text/csv", headers=headers)


def page_download(name: str, html: str) -> Response:
    """An HTML page as a download, which browsers save instead of showing it on our origin."""
    headers = {"Content-Disposition": f'attachment; filename="{name}.html"', "Cache-Control": "no-store"}
    return Response(html, media_type="text/html", headers=headers)


def csv_table(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """CSV (RFC 4180) with a header row. Texts of others must pass `as_cell` first, so that none is read as a
    formula."""
    file = io.StringIO(newline="")
    writer = csv.writer(file)
    writer.writerow(columns)
    writer.writerows(rows)
    return file.getvalue()


def _cell(value: Any) -> str:
    match value:
        case None:
            return ""
        case datetime():
            return value.isoformat()
        case Enum():
            return str(value.value)
        case tuple():
            return as_cell(", ".join(map(str, value)))
        case BaseModel():
            return as_cell(", ".join(str(each) for _, each in value if each))
        case Mapping():
            return as_cell(json.dumps(dict(value), ensure_ascii=False))
    return str(value) if isinstance(value, int) else as_cell(str(value))


def public_path(source_id: UUID) -> str:
    return f"/v1/files/{source_id}"


async def served(file: OpenedFile) -> Response:
    """The file as a download in which nothing can run: browsers save it, do not guess its type, and would sandbox it.
    Raises the error of reading the first piece; an error after that ends the response early."""
    first = await anext(file.pieces, b"")

    async def pieces() -> AsyncIterator[bytes]:
        yield first
        async for piece in file.pieces:
            yield piece

    name = file.facts.name
    plain = "".join(sign if sign.isascii() and (sign.isalnum() or sign in " -_.") else "_" for sign in name)
    return StreamingResponse(
        pieces(),
        media_type=DOWNLOAD,
        headers={
            "Content-Length": str(file.facts.size_bytes),
            "Content-Disposition": f"attachment; filename=\"{plain}\"; filename*=UTF-8''{quote(name, safe='')}",
            "Content-Security-Policy": "sandbox; default-src 'none'; frame-ancestors 'none'",
            "X-Content-Type-Options": "nosniff",
            "Cache-Control": "no-store",
        },
    )
