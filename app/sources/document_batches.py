"""Operators add their own documents in batches: one JSON object per line, with attributes to filter by."""

import json
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from datetime import date
from io import StringIO
from typing import Annotated, Any, Final, Literal
from urllib.parse import quote
from uuid import UUID

from app.agents.agent_rules import check_attribute
from app.core.actor import Actor
from app.core.errors import InvalidInput
from app.core.field_rules import check_http_url, check_language, check_line
from app.core.setting import limits_of
from app.kit.job_queue import JobQueue
from app.kit.wiring import Wired
from app.knowledge.document import PageContent
from app.sources.files.records import GivenDocumentRecords
from app.sources.records import SourceRecords
from app.sources.runs.records.crawl_pages import CrawlPageRecords
from app.sources.runs.records.crawl_runs import CrawlRunRecords
from app.sources.source import CrawlRun, RunState, SourceConfig
from app.store.system_of_record import SystemOfRecord, Transaction
from app.workspaces.records.audit import AuditRecords

MAX_LINES: Final = 1000
MAX_ID_CHARS: Final = 500
MAX_ATTRIBUTES: Final = 50
_FIELDS: Final = frozenset({"url", "id", "title", "text", "language", "date", "attributes", "delete"})


@dataclass(frozen=True, slots=True)
class LineResult:
    """The result for one line; `line` counts from 1."""

    line: int
    url: Annotated[str, '"" for a refused line.']
    result: Literal["accepted", "unchanged", "deleted", "refused"]
    reason: Annotated[str, "Why the line was refused, with the name of the field."] = ""


@dataclass(frozen=True, slots=True)
class BatchReceipt:
    """`run` learns the accepted documents and removes the deleted ones; None if there are neither."""

    results: tuple[LineResult, ...]
    run: CrawlRun | None


@dataclass(frozen=True, slots=True)
class _Line:
    number: int
    url: str
    document: PageContent | None  # None: delete it


class DocumentBatches(Wired):
    """Without `jobs`, runs wait until the caller reads the source."""

    _records: SystemOfRecord
    _jobs: JobQueue | None

    async def put(self, actor: Actor, source_id: UUID, body: str) -> BatchReceipt:
        """Store the documents of the lines, each replacing the one at its URL, and have them learnt. Repeating a batch
        changes nothing. A refused line does not affect the others.

        Raises NotFound, and InvalidInput for a source of another kind or too many lines.
        """
        lines, results = _read(body)

        def work(tx: Transaction) -> CrawlRun | None:
            source = SourceRecords(tx).find(actor.workspace_id, source_id)
            if not source.config.kind.takes_documents:
                raise InvalidInput(
                    "source_id", 'This source takes no documents. Send them to a source of kind "documents".'
                )
            changed = []
            for line in lines:
                if line.document is None:
                    did = "deleted" if GivenDocumentRecords(tx).remove(source_id, line.url) else "unchanged"
                else:
                    did = "accepted" if GivenDocumentRecords(tx).put(source_id, line.document) else "unchanged"
                results[line.number] = LineResult(line.number, line.url, did)  # type: ignore[arg-type]
                if did != "unchanged":
                    changed.append(line.url)
            if not changed:
                return None
            run = CrawlRunRecords(tx).start_run(source.agent_id, source.id, only_asked=True)
            CrawlPageRecords(tx).ask_again(run.id, changed)
            facts = {"run_id": str(run.id), "documents": len(changed)}
            AuditRecords(tx).acted(actor, "source.give_documents", source_id, **facts)
            return CrawlRunRecords(tx).run(run.id)

        run = await self._records.of_workspace(actor.workspace_id).write(work)
        if self._jobs is not None and run is not None and run.state is not RunState.PAUSED:
            await self._jobs.crawl(run.agent_id, run.id, run.leg)
        return BatchReceipt(tuple(results[number] for number in sorted(results)), run)


def _read(body: str) -> tuple[Collection[_Line], dict[int, LineResult]]:
    """Parse the lines: the accepted ones, one per URL, and the refused ones by line number."""
    # Unlike `splitlines`, only at line ends: U+2028 and U+2029 may stand in a JSON string.
    filled = [(number, text) for number, text in enumerate(StringIO(body, newline=None), start=1) if text.strip()]
    if not 1 <= len(filled) <= MAX_LINES:
        raise InvalidInput("", f"Send 1 to {MAX_LINES} lines, each a JSON object.")
    refused: dict[int, LineResult] = {}
    lines: dict[str, _Line] = {}  # for a duplicate URL, the last line counts
    for number, text in filled:
        try:
            line = _line(number, text)
        except InvalidInput as error:
            refused[number] = LineResult(number, "", "refused", str(error))
            continue
        if line.url in lines:
            before = lines[line.url].number
            refused[before] = LineResult(
                before, line.url, "refused", f"url: line {number} has the same url or id, and replaces this line."
            )
        lines[line.url] = line
    return lines.values(), refused


def _line(number: int, text: str) -> _Line:
    """Parse one line. Raises InvalidInput, naming the field and the fix."""
    try:
        fields = json.loads(text)
    except (ValueError, RecursionError):
        raise InvalidInput("", "This line is not valid JSON. Send one JSON object per line.") from None
    if not isinstance(fields, dict):
        raise InvalidInput("", "This line is not a JSON object. Send one JSON object per line.")
    if unknown := sorted(set(fields) - _FIELDS):
        raise InvalidInput(str(unknown[0])[:60], f"There is no such field. Use one of {', '.join(sorted(_FIELDS))}.")
    url = _url(fields)
    if fields.get("delete", False) is True:
        return _Line(number, url, None)
    title, markdown = _text(fields, "title"), _text(fields, "text")
    limits_of(SourceConfig)["name"].check("title", title)
    replace(limits_of(SourceConfig)["text"], is_required=True).check("text", markdown)
    language = _text(fields, "language") or None
    check_language("language", language)
    return _Line(
        number,
        url,
        PageContent(url, title, markdown, language=language, modified=_day(fields), attributes=_attributes(fields)),
    )


def _url(fields: Mapping[str, Any]) -> str:
    url, name = _text(fields, "url"), _text(fields, "id")
    if bool(url) == bool(name):
        raise InvalidInput("url", "Send either url, to which citations link, or an id of your own.")
    if url:
        check_http_url("url", url)
        return url
    check_line("id", name, MAX_ID_CHARS)
    return f"urn:docent:{quote(name, safe='')}"


def _text(fields: Mapping[str, Any], field: str) -> str:
    value = fields.get(field) or ""
    if not isinstance(value, str):
        raise InvalidInput(field, "Send a string.")
    return value


def _day(fields: Mapping[str, Any]) -> date | None:
    written = _text(fields, "date")
    try:
        return date.fromisoformat(written) if written else None
    except ValueError:
        raise InvalidInput("date", 'Send a date such as "2027-01-31".') from None


def _attributes(fields: Mapping[str, Any]) -> dict[str, tuple[str, ...]]:
    given = fields.get("attributes") or {}
    if not isinstance(given, dict) or len(given) > MAX_ATTRIBUTES:
        raise InvalidInput("attributes", f"Send an object with at most {MAX_ATTRIBUTES} names, each with its values.")
    found: dict[str, tuple[str, ...]] = {}
    for name, value in given.items():
        values = value if isinstance(value, list) else [value]
        if not all(isinstance(each, str) for each in values):
            raise InvalidInput(f"attributes.{name}"[:80], "Send a string or a list of strings.")
        check_attribute(f"attributes.{name}"[:80], name, values)
        found[name] = tuple(values)
    return found
