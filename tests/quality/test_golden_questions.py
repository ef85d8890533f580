"""Golden questions: written, imported, changed."""

from collections.abc import AsyncIterator
from dataclasses import dataclass, replace
from pathlib import Path
from uuid import UUID, uuid4

import pytest

from app.agents.agent import AgentConfig
from app.agents.records import AgentRecords
from app.core.actor import SCOPES, Actor
from app.core.errors import InvalidInput
from app.core.source_file import FileFormat
from app.kit.pattern_matcher import PatternMatcher
from app.quality import golden_questions as rules
from app.quality.golden_question import GoldenOrigin, GoldenQuestion
from app.quality.golden_questions import GoldenQuestions, ImportReceipt
from app.sources import kinds
from app.sources.files.records import FileRecords
from app.sources.records import SourceRecords
from app.sources.source import SourceConfig
from app.store.system_of_record import SystemOfRecord
from tests.doubles.temporary_record import temporary_record
from tests.doubles.visitors import new_agent

PRICES = "https://www.example.com/prices"


@dataclass
class Office:
    golden: GoldenQuestions
    actor: Actor
    agent: UUID
    record: SystemOfRecord

    def question(self, text: str, *pages: str) -> GoldenQuestion:
        return GoldenQuestion(uuid4(), self.agent, text, pages)

    async def all(self) -> list[GoldenQuestion]:
        return await self.golden.all_of_agent(self.actor, self.agent)


@pytest.fixture
async def office(tmp_path: Path) -> AsyncIterator[Office]:
    async with temporary_record(tmp_path) as record:
        agent = new_agent(record)
        yield Office(
            GoldenQuestions(record, PatternMatcher()),
            Actor(agent.workspace_id, "tests", frozenset(SCOPES)),
            agent.id,
            record,
        )


async def test_a_question_is_kept_with_its_pages(office: Office) -> None:
    made = await office.golden.create(office.actor, office.question("What does it cost?", PRICES))
    assert await office.all() == [made]
    assert made.page_keys == ("example.com/prices",)
    assert made.origin is GoldenOrigin.WRITTEN


async def test_an_uploaded_file_is_named_as_a_page(office: Office) -> None:
    with office.record.writing() as tx:
        file = SourceRecords(tx).create(office.agent, SourceConfig(kinds.FILE, "The handbook"))
        FileRecords(tx).put(file.id, "Hand book.pdf", FileFormat.PDF, b"%PDF")
        other = AgentRecords(tx).create(office.actor.workspace_id, AgentConfig(name="Other"))
        foreign = SourceRecords(tx).create(other.id, SourceConfig(kinds.FILE, "Theirs"))
        FileRecords(tx).put(foreign.id, "theirs.pdf", FileFormat.PDF, b"%PDF")
    named = f"urn:uuid:{file.id}"
    made = await office.golden.create(office.actor, office.question("How heavy?", "hand book.PDF", PRICES))
    assert made.pages == (named, PRICES)
    await office.golden.import_csv(office.actor, office.agent, "question,pages\nHow tall?,Hand%20book.pdf\n")
    assert (named,) in [each.pages for each in await office.all()]
    kept = await office.golden.change(office.actor, office.agent, made.id, lambda each: replace(each, language="en"))
    assert kept.pages == (named, PRICES)
    with pytest.raises(InvalidInput, match=r"pages.0: Enter an address .* or the name of an uploaded file"):
        await office.golden.create(office.actor, office.question("How old?", "theirs.pdf"))


async def test_a_wording_is_there_once_whatever_its_case_and_punctuation(office: Office) -> None:
    first = await office.golden.create(office.actor, office.question("What does it cost?"))
    again = await office.golden.create(office.actor, office.question("what does it cost", PRICES))
    assert (again.id, again.pages) == (first.id, (PRICES,))
    other = await office.golden.create(office.actor, office.question("Why?"))
    with pytest.raises(InvalidInput, match="already exists"):
        await office.golden.change(
            office.actor, office.agent, other.id, lambda golden: replace(golden, question="WHAT does it cost")
        )
    assert {golden.question for golden in await office.all()} == {"what does it cost", "Why?"}


async def test_a_csv_adds_and_changes(office: Office) -> None:
    kept = await office.golden.create(office.actor, office.question("What does it cost?"))
    text = f'\ufeffQuestion,Pages,Language\nwhat does it cost,{PRICES} {PRICES}/more,en\n"Is it, really, free?",,\n'

    assert await office.golden.import_csv(office.actor, office.agent, text) == ImportReceipt(added=1, changed=1)

    first, second = sorted(await office.all(), key=lambda golden: golden.origin, reverse=True)
    assert (first.id, first.pages, first.language) == (kept.id, (PRICES, f"{PRICES}/more"), "en")
    assert (second.question, second.pages, second.origin) == ("Is it, really, free?", (), GoldenOrigin.IMPORTED)


@pytest.mark.parametrize(
    "text",
    [
        f'question;pages;language\r\n"Was kostet XL; und was L?";{PRICES};de\r\n',
        f"sep=;\nquestion;pages;language\nWas kostet XL, und was L?;{PRICES};de\n;;\n",
        f'question,pages,language\n"Was kostet XL, und was L?",{PRICES},de\n,,\n',
    ],
    ids=["semicolons", "as Excel says", "an empty line"],
)
async def test_a_csv_of_another_country_and_with_empty_lines_is_read(office: Office, text: str) -> None:
    assert await office.golden.import_csv(office.actor, office.agent, text) == ImportReceipt(added=1, changed=0)
    [golden] = await office.all()
    assert (golden.pages, golden.language) == ((PRICES,), "de")


async def test_a_semicolon_in_a_question_separates_nothing(office: Office) -> None:
    await office.golden.import_csv(office.actor, office.agent, "question\nWas kostet XL; und was L?\n")
    assert [golden.question for golden in await office.all()] == ["Was kostet XL; und was L?"]


async def test_a_csv_says_what_answers_must_hold(office: Office) -> None:
    text = 'question,answer_contains,answer_matches\nWhat does it cost?,"€12\n a month ","€\\d+"\n'
    await office.golden.import_csv(office.actor, office.agent, text)
    [kept] = await office.all()
    assert (kept.pages, kept.answer_contains, kept.answer_matches) == ((), ("€12", "a month"), (r"€\d+",))


async def test_what_is_expected_of_an_answer_stays_until_something_else_is_said(office: Office) -> None:
    expecting = replace(office.question("What does it cost?", PRICES), answer_contains=("€12",), answer_matches=("€",))
    made = await office.golden.create(office.actor, expecting)
    await office.golden.import_csv(office.actor, office.agent, "question,pages\nWhat does it cost?,\n")
    await office.golden.create(office.actor, replace(office.question("What does it cost"), answer_contains=("€13",)))
    [kept] = await office.all()
    assert (kept.pages, kept.answer_contains, kept.answer_matches) == ((), ("€13",), ("€",))
    cleared = await office.golden.change(
        office.actor, office.agent, made.id, lambda golden: replace(golden, answer_contains=(), answer_matches=())
    )
    assert (cleared.answer_contains, cleared.answer_matches) == ((), ())


@pytest.mark.parametrize(
    ("expected", "says"),
    [
        ({"answer_contains": (" ",)}, "answer_contains.0"),
        ({"answer_contains": ("x",) * 21}, "Use at most 20"),
        ({"answer_matches": ("ok", "(a")}, "answer_matches.1: .*RE2"),
        ({"answer_matches": ("a*",)}, "empty text"),
        ({"answer_matches": ("x" * 501,)}, "Use at most 500"),
    ],
    ids=["blank text", "too many", "broken pattern", "pattern of everything", "too long"],
)
async def test_what_no_answer_can_be_held_to_is_refused(
    office: Office, expected: dict[str, tuple[str, ...]], says: str
) -> None:
    golden = replace(office.question("Why?"), **expected)  # type: ignore[arg-type]
    with pytest.raises(InvalidInput, match=says):
        await office.golden.create(office.actor, golden)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "first line"),
        ("pages\nhttps://a.example/\n", "first line"),
        ("question,colour\nWhy?,red\n", "first line"),
        ("question,pages\nWhy?\n", "Line 2 has more or fewer cells"),
        ("question,pages\nWhy?,a,b\n", "Line 2 has more or fewer cells"),
        ("question,pages\nWhy?,\nHow?,ftp://a.example/\n", "Line 3: pages.0"),
        ("question\n \n", "Line 2: question"),
        ("question,language\nWhy?,English\n", "Line 2: language"),
        ("question,answer_matches\nWhy?,(a\n", "Line 2: answer_matches.0"),
        ('question\n"Why?\n', "is not valid CSV"),
        ("question\n" + "x" * rules.MAX_CSV_CHARS, "characters"),
    ],
    ids=[
        "empty",
        "no question",
        "unknown column",
        "too few",
        "too many",
        "page",
        "blank",
        "language",
        "pattern",
        "quote",
        "long",
    ],
)
async def test_a_csv_with_a_fault_changes_nothing_and_names_the_line(office: Office, text: str, says: str) -> None:
    with pytest.raises(InvalidInput, match=says):
        await office.golden.import_csv(office.actor, office.agent, text)
    assert await office.all() == []


async def test_an_agent_has_a_bounded_number(office: Office, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rules, "MAX_GOLDEN", 2)
    await office.golden.import_csv(office.actor, office.agent, "question\nOne?\nTwo?\n")
    with pytest.raises(InvalidInput, match="at most 2"):
        await office.golden.create(office.actor, office.question("Three?"))
    with pytest.raises(InvalidInput, match="at most 2"):
        await office.golden.import_csv(office.actor, office.agent, "question\nThree?\n")
    assert len(await office.all()) == 2
