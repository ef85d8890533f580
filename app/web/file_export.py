"""Lists as one file, for a spreadsheet or a program."""

import csv
import io
from collections.abc import Callable, Iterable, Sequence
from typing import Literal

from pydantic import BaseModel
from starlette.responses import JSONResponse, Response

ExportFormat = Literal["csv", "json"]


def exported(name: str, form: ExportFormat, as_csv: Callable[[], str], items: Iterable[BaseModel]) -> Response:
    """A download; `items` are what its JSON holds."""
    headers = {"Content-Disposition": f'attachment; filename="{name}.{form}"'}
    if form == "json":
        return JSONResponse([item.model_dump(mode="json") for item in items], headers=headers)
    return Response(as_csv(), media_type="text/csv", headers=headers)


def csv_table(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """RFC 4180 with a header row. Texts of others go through `as_cell` first, so that no cell starts a formula."""
    file = io.StringIO(newline="")
    writer = csv.writer(file)
    writer.writerow(columns)
    writer.writerows(rows)
    return file.getvalue()
