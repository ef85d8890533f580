"""The tutorial's shop, by the shipped models: on four pages, what is on a page is answered without a doubt."""

import re
from collections.abc import AsyncIterator
from pathlib import Path
from uuid import UUID

import pytest

from app.agents.agent import AgentConfig
from app.agents.records import AgentRecords
from app.answers.playground import Playground, PlaygroundAnswer, PlaygroundQuestion
from app.bootstrap.answering import open_playground
from app.bootstrap.infrastructure import Infrastructure, open_infrastructure
from app.bootstrap.knowledge import open_knowledge
from app.core.turn import AnsweredBy
from app.knowledge.document import PageContent, SectionHeading
from app.sources import kinds
from app.sources.records import SourceRecords
from app.sources.source import SourceConfig
from app.workspaces.records.tokens import TokenRecords
from crawler.extract.extraction import extract_page
from tests.doubles.settings_in import settings_in

_TUTORIAL = Path(__file__).resolve().parents[2] / "docs" / "tutorial.md"
_PAGE = re.compile(r"cat > lamps/(\S+) <<'HTML'\n(.*?)\nHTML", re.DOTALL)
_SITE = "https://lamps.example/"


class Shop:
    def __init__(self, playground: Playground, workspace_id: UUID, agent_id: UUID) -> None:
        self._playground = playground
        self._workspace_id = workspace_id
        self._agent_id = agent_id

    async def answer(self, question: str) -> PlaygroundAnswer:
        asked = PlaygroundQuestion(question, _SITE)
        return await self._playground.ask(self._workspace_id, self._agent_id, asked, "live")


@pytest.fixture(scope="module")
async def shop(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Shop]:
    async with open_infrastructure(settings_in(tmp_path_factory.mktemp("shop"))) as base:
        workspace_id, agent_id = await _learnt(base)
        async with open_playground(base) as playground:
            yield Shop(playground, workspace_id, agent_id)


async def _learnt(base: Infrastructure) -> tuple[UUID, UUID]:
    with base.record.writing() as tx:
        workspace_id = TokenRecords(tx).default_workspace()
        agent = AgentRecords(tx).create(workspace_id, AgentConfig(name="Lantern Lamps"))
        AgentRecords(tx).publish(workspace_id, agent.id)
        source = SourceRecords(tx).create(agent.id, SourceConfig(kinds.SITE, "Lamps", _SITE))
    pages = _PAGE.findall(_TUTORIAL.read_text("utf-8"))
    assert len(pages) == 4
    async with open_knowledge(base) as knowledge:
        for name, html in pages:
            page = extract_page(html.encode(), f"{_SITE}{name}", "utf-8")
            headings = tuple(SectionHeading(each.level, each.text, each.anchor) for each in page.headings)
            content = PageContent(
                f"{_SITE}{name}", page.title, page.markdown, headings, site="lamps.example", language="en"
            )
            await knowledge.ingest.learn(agent.id, source.id, content)
    return workspace_id, agent.id


@pytest.mark.parametrize(
    ("question", "words"),
    [
        ("How much does delivery cost?", "7 euros"),
        ("how much is shipping", "7 euros"),
        ("How long does delivery take?", "three working days"),
        ("Is delivery free?", "nothing from 100 euros"),
        ("Do you deliver to Germany?", "the rest of Europe"),
        ("Can I send a lamp back?", "within 30 days"),
        ("how long do I have to return it", "within 30 days"),
        ("Who pays for the return?", "We pay for the way back"),
        ("Which bulb fits?", "E27"),
        ("Are bulbs included?", "not included"),
        ("How do I clean the shade?", "dry cloth"),
        ("can you fix my lamp", "We repair every lamp"),
        ("how long does a repair take", "within two weeks"),
        ("How much does a new cable cost?", "20 euros"),
        ("what are the lamps made of", "oak and brass"),
    ],
)
async def test_what_stands_on_a_page_is_answered_without_a_doubt(shop: Shop, question: str, words: str) -> None:
    given = await shop.answer(question)
    assert words in given.answer
    assert not given.is_low_confidence


@pytest.mark.parametrize(
    "question",
    [
        "Is there a student discount?",
        "Do you have a shop in Berlin?",
        "Can I pay with PayPal?",
        "What is the warranty?",
        "phone number",
        "Do you ship to Canada?",
        "which colours are there",
    ],
)
async def test_what_stands_on_none_is_not_answered(shop: Shop, question: str) -> None:
    given = await shop.answer(question)
    assert given.answered_by is AnsweredBy.FALLBACK
