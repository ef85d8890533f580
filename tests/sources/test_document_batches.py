"""Documents are given in batches: a result a line, and the same batch once more changes nothing."""

import json
from collections.abc import AsyncIterator
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from uuid import UUID, uuid4

import pytest

from app.agents.agent import AgentConfig
from app.agents.records import AgentRecords
from app.core.actor import SCOPES, Actor
from app.core.errors import InvalidInput, NotFound
from app.sources import kinds
from app.sources.document_batches import MAX_LINES, BatchReceipt, DocumentBatches
from app.sources.files.records import GivenDocumentRecords
from app.sources.records import SourceRecords
from app.sources.source import SourceConfig
from app.store.system_of_record import SystemOfRecord
from app.workspaces.records.tokens import TokenRecords
from tests.doubles.recording_job_queue import RecordingJobQueue
from tests.doubles.temporary_record import temporary_record

TARIFF = {
    "url": "https://www.example.com/tariff",
    "title": "Tariff",
    "text": "The tariff costs €5.",
    "language": "en",
    "date": "2026-05-01",
    "attributes": {"plan": "pro", "country": ["at", "de"]},
}


@dataclass
class Office:
    record: SystemOfRecord
    jobs: RecordingJobQueue
    actor: Actor
    agent: UUID
    source: UUID

    async def put(self, *lines: object) -> BatchReceipt:
        body = "\n".join(line if isinstance(line, str) else json.dumps(line) for line in lines)
        return await DocumentBatches(self.record, self.jobs).put(self.actor, self.source, body)


@pytest.fixture
async def office(tmp_path: Path) -> AsyncIterator[Office]:
    async with temporary_record(tmp_path) as record:
        with record.writing() as tx:
            workspace = TokenRecords(tx).default_workspace()
            agent = AgentRecords(tx).create(workspace, AgentConfig(name="Docs"))
            source = SourceRecords(tx).create(agent.id, SourceConfig(kinds.DOCUMENTS, "Tariffs"))
        actor = Actor(workspace, "tests", frozenset(SCOPES))
        yield Office(record, RecordingJobQueue(), actor, agent.id, source.id)


def results(receipt: BatchReceipt) -> list[tuple[int, str]]:
    return [(each.line, each.result) for each in receipt.results]


async def test_each_line_has_a_result_and_what_is_new_is_to_be_learnt(office: Office) -> None:
    receipt = await office.put(TARIFF, {"id": "note 7", "title": "Note", "text": "Hello."})
    assert results(receipt) == [(1, "accepted"), (2, "accepted")]
    assert receipt.results[1].url == "urn:docent:note%207"
    assert receipt.run is not None
    assert (receipt.run.only_asked, receipt.run.counts) == (True, {"queued": 2})
    with office.record.reading() as tx:
        kept = GivenDocumentRecords(tx).find(office.source, TARIFF["url"])  # type: ignore[arg-type]
    assert kept is not None
    assert (kept.title, kept.modified, kept.language) == ("Tariff", date(2026, 5, 1), "en")
    assert kept.attributes == {"plan": ("pro",), "country": ("at", "de")}


async def test_a_text_may_hold_what_other_programs_break_lines_at(office: Office) -> None:
    lines = [
        json.dumps({"id": f"{n}", "title": "T", "text": "One\u2028two\u2029three."}, ensure_ascii=False) for n in "ab"
    ]
    assert results(await office.put("\r\n".join(lines))) == [(1, "accepted"), (2, "accepted")]


async def test_the_same_batch_once_more_changes_nothing(office: Office) -> None:
    await office.put(TARIFF)
    receipt = await office.put(TARIFF)
    assert (results(receipt), receipt.run) == ([(1, "unchanged")], None)


async def test_other_attributes_are_a_change(office: Office) -> None:
    await office.put(TARIFF)
    assert results(await office.put(TARIFF | {"attributes": {"plan": "basic"}})) == [(1, "accepted")]


async def test_a_document_is_taken_away(office: Office) -> None:
    await office.put(TARIFF)
    receipt = await office.put({"url": TARIFF["url"], "delete": True}, {"id": "never there", "delete": True})
    assert results(receipt) == [(1, "deleted"), (2, "unchanged")]
    with office.record.reading() as tx:
        assert GivenDocumentRecords(tx).urls(office.source) == []


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("{", "not valid JSON"),
        ("[1]", "not a JSON object"),
        (TARIFF | {"colour": "red"}, "colour: There is no such field"),
        ({"title": "T", "text": "t"}, "url: Send either url"),
        (TARIFF | {"id": "x"}, "url: Send either url"),
        (TARIFF | {"url": "ftp://x"}, "url: Enter a full address"),
        (TARIFF | {"title": ""}, "title: This cannot be empty"),
        (TARIFF | {"text": 7}, "text: Send a string"),
        (TARIFF | {"date": "May"}, "date: Send a date"),
        (TARIFF | {"language": "English"}, "language"),
        (TARIFF | {"attributes": {"a b": "x"}}, "attributes.a b: Use up to 64 letters"),
        (TARIFF | {"attributes": {"a": 7}}, "attributes.a: Send a string or a list"),
    ],
)
async def test_a_line_that_is_wrong_is_refused_and_the_others_are_not(office: Office, line: object, says: str) -> None:
    receipt = await office.put(line, "", {"id": "fine", "title": "Fine", "text": "Fine."})
    assert results(receipt) == [(1, "refused"), (3, "accepted")]
    assert says in receipt.results[0].reason


async def test_of_an_address_that_stands_twice_the_last_line_holds(office: Office) -> None:
    receipt = await office.put(TARIFF, TARIFF | {"title": "New tariff"})
    assert results(receipt) == [(1, "refused"), (2, "accepted")]
    assert receipt.results[0].reason == "url: line 2 has the same url or id, and replaces this line."


async def test_only_a_source_of_documents_takes_them(office: Office) -> None:
    with office.record.writing() as tx:
        note = SourceRecords(tx).create(office.agent, SourceConfig(kinds.TEXT, "Note", text="Hello."))
    batches = DocumentBatches(office.record, office.jobs)
    with pytest.raises(InvalidInput, match="documents"):
        await batches.put(office.actor, note.id, json.dumps(TARIFF))
    with pytest.raises(NotFound):
        await batches.put(Actor(uuid4(), "stranger", frozenset(SCOPES)), office.source, json.dumps(TARIFF))
    for body in ("", "{}\n" * (MAX_LINES + 1)):
        with pytest.raises(InvalidInput, match="lines"):
            await batches.put(office.actor, office.source, body)
