"""Admin API: an agent's documents, their passages, and documents that an operator adds in batches."""

from typing import Annotated, Final
from uuid import UUID

from pydantic import Field

from app.core.actor import Actor
from app.core.chunk import Chunk
from app.knowledge.document import Document
from app.knowledge.passages import Passages
from app.sources.api.sources import TAG, RunOut
from app.sources.document_batches import MAX_LINES, DocumentBatches, LineResult
from app.web.errors import Refusal
from app.web.operation import Api, Call, ListOut, ListQuery, Model, get, post, read, write
from app.web.request_body import read_body

MAX_BODY_BYTES: Final = 16 * 1024 * 1024


class LineOut(Model, shows=LineResult, fields="line url result reason"): ...


class BatchOut(Model):
    results: tuple[LineOut, ...] = Field(description="One for each line that is not blank.")
    run: Annotated[RunOut | None, "The run that reads the changes. Its pages show what became of each document."]


class AdminDocuments(Api):
    tag = TAG
    _batches: DocumentBatches

    @post(
        "/v1/sources/{source_id}/documents",
        f"Add up to {MAX_LINES} documents, one JSON object per line: url (or id), title, text (Markdown), "
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
        return BatchOut.showing(await self._batches.put(call.caller, call.path_id("source_id"), text))


class DocumentsQuery(ListQuery):
    source_id: UUID | None = Field(default=None, description="Only documents of this source.")


class DocumentOut(
    Model, shows=Document, fields="id source_id url title language as_of chunk_count updated_at attributes"
):
    attributes: Annotated[dict[str, tuple[str, ...]], "Attributes that were added with the document, to filter by."]


class PassageOut(Model, shows=Chunk, fields="id position text context breadcrumb link"): ...


class PassagesOut(Model):
    title: str = Field(description='The page\'s title; "" if nothing of the page was indexed.')
    items: list[PassageOut]


class AdminPassages(Api):
    tag = TAG
    _passages: Passages

    @get(
        "/v1/agents/{agent_id}/documents", "List the documents that an agent may answer from, oldest first", access=read
    )
    async def list_documents(self, call: Call[Actor, DocumentsQuery]) -> ListOut[DocumentOut]:
        query = call.input
        page = await self._passages.documents(call.caller, call.path_id("agent_id"), query.page, query.source_id)
        return ListOut[DocumentOut].showing(page)

    @get(
        "/v1/documents/{document_id}/passages",
        "List the passages of a page that an agent may answer from, in page order",
        access=read,
    )
    async def list_passages(self, call: Call[Actor, None]) -> PassagesOut:
        found = await self._passages.of_document(call.caller, call.path_id("document_id"))
        return PassagesOut(
            title=found[0].title if found else "", items=[PassageOut.showing(passage) for passage in found]
        )
