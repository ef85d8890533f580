"""Operators' work on golden questions."""

import csv
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Annotated, Final
from urllib.parse import unquote
from uuid import UUID, uuid4

from app.agents.own_agent import OwnAgent, reads_agent, writes_agent
from app.core.actor import Actor
from app.core.delimited_text import columns_of, table_of
from app.core.errors import InvalidInput
from app.core.field_rules import check_http_url, check_language
from app.core.list_page import ListPage, PageRequest, page_of
from app.core.setting import check_limits
from app.kit.pattern_matcher import PatternMatcher
from app.kit.wiring import Wired
from app.quality.golden_question import GoldenOrigin, GoldenQuestion
from app.quality.records.golden_questions import GoldenQuestionRecords
from app.sources.files.records import FileRecords
from app.sources.records import SourceRecords
from app.sources.source import UNLINKED
from app.store.system_of_record import SystemOfRecord, Transaction
from app.workspaces.audit_entry import changes_of
from app.workspaces.records.audit import AuditRecords

MAX_GOLDEN = 2000  # per agent
MAX_CSV_CHARS = 1_000_000
_FILE_SOURCE: Final = re.compile(rf"{UNLINKED}[0-9a-f-]{{36}}")
COLUMNS = ("question", "pages", "language", "answer_contains", "answer_matches")

changes_of(
    "golden_question",
    "Golden question",
    "Golden questions",
    {
        "create": "Golden question added",
        "edit": "Golden question changed",
        "delete": "Golden question deleted",
        "import": "Golden questions imported",
        "run": "Golden questions run",
    },
)


@dataclass(frozen=True, slots=True)
class ImportReceipt:
    added: int
    changed: Annotated[
        int, "Questions that already existed: their pages, languages and expectations are now those of the file."
    ]


class GoldenQuestions(Wired):
    """Every method raises NotFound for an agent or question that does not exist or belongs to another workspace."""

    _records: SystemOfRecord
    _patterns: PatternMatcher

    async def create(self, actor: Actor, golden: GoldenQuestion) -> GoldenQuestion:
        """If the agent has this wording already, update its pages and language, and its expected words if there are
        any. Raises InvalidInput."""

        def work(tx: Transaction) -> GoldenQuestion:
            whole = with_files(golden, files_by_name(tx, golden.agent_id))
            check_golden(whole, self._patterns)
            created = GoldenQuestionRecords(tx).put(whole)
            check_room(len(GoldenQuestionRecords(tx).questions(golden.agent_id)))
            AuditRecords(tx).acted(actor, "golden_question.create", created.id, **_details(created.agent_id))
            return created

        return await OwnAgent(self._records, actor, golden.agent_id).write(work)

    @writes_agent
    def import_csv(self, tx: Transaction, actor: Actor, agent_id: UUID, text: str) -> ImportReceipt:
        """All rows or none. The first line names the columns: question, and optionally pages (URLs or names of uploaded
        files, separated by blanks, with %20 for a blank in a name), language, answer_contains and answer_matches (one
        text or pattern per line of the cell).

        Raises InvalidInput, naming the line.
        """
        rows = list(_read_csv(agent_id, text, self._patterns, files_by_name(tx, agent_id)))
        before = {golden.id for golden in GoldenQuestionRecords(tx).questions(agent_id)}
        kept = {GoldenQuestionRecords(tx).put(golden).id for golden in rows}
        check_room(len(before | kept))
        AuditRecords(tx).acted(actor, "golden_question.import", agent_id, **_details(agent_id))
        return ImportReceipt(added=len(kept - before), changed=len(kept & before))

    async def questions(self, actor: Actor, agent_id: UUID, page: PageRequest) -> ListPage[GoldenQuestion]:
        """Oldest first."""
        return page_of(await self.all_of_agent(actor, agent_id), page, lambda golden: str(golden.id))

    @reads_agent
    def all_of_agent(self, tx: Transaction, actor: Actor, agent_id: UUID) -> list[GoldenQuestion]:
        """Oldest first."""
        return GoldenQuestionRecords(tx).questions(agent_id)

    @reads_agent
    def question(self, tx: Transaction, actor: Actor, agent_id: UUID, golden_id: UUID) -> GoldenQuestion:
        return GoldenQuestionRecords(tx).question(agent_id, golden_id)

    @writes_agent
    def change(
        self,
        tx: Transaction,
        actor: Actor,
        agent_id: UUID,
        golden_id: UUID,
        change: Callable[[GoldenQuestion], GoldenQuestion],
    ) -> GoldenQuestion:
        """Store what `change` returns. Raises InvalidInput."""
        after = change(GoldenQuestionRecords(tx).question(agent_id, golden_id))
        after = with_files(after, files_by_name(tx, agent_id))
        check_golden(after, self._patterns)
        saved = GoldenQuestionRecords(tx).save(after)
        AuditRecords(tx).acted(actor, "golden_question.edit", golden_id, **_details(agent_id))
        return saved

    @writes_agent
    def delete(self, tx: Transaction, actor: Actor, agent_id: UUID, golden_id: UUID) -> None:
        GoldenQuestionRecords(tx).delete(agent_id, golden_id)
        AuditRecords(tx).acted(actor, "golden_question.delete", golden_id, **_details(agent_id))


def _read_csv(
    agent_id: UUID, text: str, patterns: PatternMatcher, files: Mapping[str, str]
) -> Iterator[GoldenQuestion]:
    """Raises InvalidInput, naming the line."""
    if len(text) > MAX_CSV_CHARS:
        raise InvalidInput("csv", f"This has {len(text)} characters. Use at most {MAX_CSV_CHARS}.")
    reader = table_of(text, lines=1)
    try:
        columns = columns_of(reader)
        if "question" not in columns or not set(columns) <= set(COLUMNS):
            raise InvalidInput(
                "csv", f"Name the columns in the first line: {', '.join(COLUMNS)}. The column question is required."
            )
        for row in reader:
            if not any(row.values()):  # such as Excel leaves below a table
                continue
            yield _row(agent_id, row, reader.line_num, patterns, files)
    except csv.Error as error:
        raise InvalidInput("csv", f"Line {reader.line_num} is not valid CSV: {error}.") from None


def check_golden(golden: GoldenQuestion, patterns: PatternMatcher) -> None:
    """Raises InvalidInput, naming the field and the fix."""
    check_language("language", golden.language)
    check_limits("", golden)
    for number, page in enumerate(golden.pages):
        if _FILE_SOURCE.fullmatch(page):
            continue
        if "//" not in page:
            raise InvalidInput(f"pages.{number}", "Enter an address (https://...) or the name of an uploaded file.")
        check_http_url(f"pages.{number}", page)
    for number, pattern in enumerate(golden.answer_matches):
        if problem := patterns.problem(pattern):
            raise InvalidInput(f"answer_matches.{number}", problem)


def _row(
    agent_id: UUID, row: dict[str, str | None], line: int, patterns: PatternMatcher, files: Mapping[str, str]
) -> GoldenQuestion:
    if None in row or None in row.values():
        raise InvalidInput("csv", f"Line {line} has more or fewer cells than the first line.")
    golden = GoldenQuestion(
        uuid4(),
        agent_id,
        (row["question"] or "").strip(),
        tuple((row.get("pages") or "").split()),
        (row.get("language") or "").strip() or None,
        GoldenOrigin.IMPORTED,
        answer_contains=_lines(row.get("answer_contains")),
        answer_matches=_lines(row.get("answer_matches")),
    )
    try:
        golden = with_files(golden, files)
        check_golden(golden, patterns)
    except InvalidInput as error:
        raise InvalidInput("csv", f"Line {line}: {error}") from None
    return golden


def file_names(tx: Transaction, agent_id: UUID) -> dict[str, str]:
    """The names of the agent's uploaded files, by the form in which pages are stored."""
    sources = SourceRecords(tx).sources(agent_id)
    files = [source for source in sources if source.config.kind.has_file]
    return {f"{UNLINKED}{file.id}": FileRecords(tx).facts(file.id).name for file in files}


def files_by_name(tx: Transaction, agent_id: UUID) -> dict[str, str]:
    """The stored form of the agent's uploaded files, by their names in lower case."""
    return {name.casefold(): stored for stored, name in file_names(tx, agent_id).items()}


def with_files(golden: GoldenQuestion, files: Mapping[str, str]) -> GoldenQuestion:
    """Replaces pages that are file names instead of addresses with those files."""
    return replace(golden, pages=tuple(files.get(unquote(page).casefold(), page) for page in golden.pages))


def with_names(golden: GoldenQuestion, names: Mapping[str, str]) -> GoldenQuestion:
    """The inverse: `names` are those of `file_names`."""
    pages = (
        names.get(page, page).replace("%", "%25").replace(" ", "%20") if page in names else page
        for page in golden.pages
    )
    return replace(golden, pages=tuple(pages))


def _lines(cell: str | None) -> tuple[str, ...]:
    return tuple(line.strip() for line in (cell or "").splitlines() if line.strip())


def check_room(count: int) -> None:
    if count > MAX_GOLDEN:
        raise InvalidInput("", f"An agent can have at most {MAX_GOLDEN} golden questions. Delete some first.")


def _details(agent_id: UUID) -> dict[str, str]:
    return {"agent_id": str(agent_id)}
