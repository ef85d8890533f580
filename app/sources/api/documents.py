"""Admin API: documents that an operator gives, in batches."""

from typing import Final, Literal

from pydantic import Field

from app.core.actor import Actor
from app.sources.api.sources import TAG, RunOut
from app.sources.document_batches import MAX_LINES, DocumentBatches
from app.web.errors import Refusal
from app.web.json_body import read_body
from app.web.operation import Api, Call, Model, post, write

MAX_BODY_BYTES: Final = 16 * 1024 * 1024


class LineOut(Model):
    line: int
    url: str = Field(description='"" for a line that was refused.')
    result: Literal["accepted", "unchanged", "deleted", "refused"]
    reason: str = Field(description="Why it was refused, naming the field.")


class BatchOut(Model):
    results: tuple[LineOut, ...] = Field(description="One for each line that is not blank.")
    run: RunOut | None = Field(description="Learns what changed; its pages say how each document ended.")


class AdminDocuments(Api):
    tag = TAG

    def __init__(self, batches: DocumentBatches) -> None:
        self._batches = batches

    @post(
        "/v1/sources/{source_id}/documents",
        f"Give up to {MAX_LINES} documents, one JSON object a line: url (or id), title, text (Markdown), "
        "language, date, attributes; or url and delete",
        access=write,
        text_body="application/x-ndjson",
        max_body_bytes=MAX_BODY_BYTES,
        codes=("too_large", "malformed_json", "invalid_request"),
    )
    async def put_documents(self, call: Call[Actor, None]) -> BatchOut:
        body = await read_body(call.request, MAX_BODY_BYTES)
        try:
            text = body.decode("utf-8")
        except UnicodeDecodeError:
            raise Refusal("malformed_json", "The body is not UTF-8. Send JSON lines.") from None
        return BatchOut.of(await self._batches.put(call.caller, call.path_id("source_id"), text))
