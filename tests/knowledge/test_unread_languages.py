"""Operators are told which of an agent's pages the embedder does not read."""

from dataclasses import replace

import pytest

from app.agents.agent import AgentConfig
from app.agents.records import AgentRecords
from app.core.errors import NotFound
from app.knowledge.document import PageContent
from app.knowledge.unread_languages import UnreadLanguages
from app.sources import kinds
from app.sources.records import SourceRecords
from app.sources.source import SourceConfig
from tests.doubles.hashing_embedder import HashingEmbedder
from tests.office.office import Office
from tests.store.sample_rows import add_live, an_id

ENGLISH = HashingEmbedder(reads=frozenset({"en"}))


async def told(office: Office, embedder: HashingEmbedder, pinned: str | None, **pages: int) -> list[str]:
    """Of an agent with so many pages in each language."""
    with office.record.writing() as tx:
        agent = AgentRecords(tx).create(office.actor.workspace_id, AgentConfig(name="x", language=pinned))
        source = SourceRecords(tx).create(agent.id, SourceConfig(kinds.SITE, "x", "https://x.example/"))
    for language, count in pages.items():
        for number in range(count):
            url = f"https://x.example/{language}/{number}"
            await add_live(office.record, source, PageContent(url, "Page", url, language=language))
    return await UnreadLanguages(office.record, embedder).languages(office.actor, agent.id)


async def test_pages_in_another_language_are_counted_with_what_helps(office: Office) -> None:
    assert await told(office, ENGLISH, None, de=3, en=1, fr=1) == [
        "3 pages are German: the shipped models read English. Set an embeddings endpoint (DOCENT_EMBEDDINGS_URL) or "
        'expect keyword search. The agent\'s setting language "de" finds other forms of a word.',
        "1 page is French: the shipped models read English. Set an embeddings endpoint (DOCENT_EMBEDDINGS_URL) or "
        'expect keyword search. The agent\'s setting language "fr" finds other forms of a word.',
    ]


async def test_an_agent_whose_language_is_set_is_not_told_to_set_it(office: Office) -> None:
    [said] = await told(office, ENGLISH, "de", de=1)
    assert said.endswith("or expect keyword search.")


async def test_an_embedder_that_reads_every_language_leaves_nothing_to_say(office: Office) -> None:
    assert await told(office, HashingEmbedder(), None, de=3) == []


async def test_a_stray_page_is_nothing_to_act_on(office: Office) -> None:
    assert await told(office, ENGLISH, None, en=20, de=1) == []


async def test_another_workspace_is_told_nothing(office: Office) -> None:
    with pytest.raises(NotFound):
        await UnreadLanguages(office.record, ENGLISH).languages(
            replace(office.actor, workspace_id=an_id()), office.agent
        )
