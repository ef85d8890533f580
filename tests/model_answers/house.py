"""A website that is read once and asked with answers that are written beforehand."""

import re
import tarfile
from collections.abc import AsyncIterator, Iterable, Iterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final
from urllib.parse import urljoin
from uuid import UUID

from app.agents.agent import AgentConfig
from app.agents.records import AgentRecords
from app.agents.retrieval_settings import RetrievalSettings
from app.answers.playground import Playground, PlaygroundAnswer, PlaygroundQuestion
from app.bootstrap.answering import open_answering
from app.bootstrap.infrastructure import Doubles, Infrastructure, open_infrastructure
from app.bootstrap.knowledge import open_knowledge
from app.core.turn import Finish, TokenUsage
from app.knowledge.document import PageContent, SectionHeading
from app.providers.chat.chat_model import ChatEnd, ChatMessage, ChatModel, ChatStream, TextDelta
from app.settings import read_settings
from app.sources import kinds
from app.sources.records import SourceRecords
from app.sources.source import SourceConfig
from app.workspaces.records.tokens import TokenRecords
from crawler.extract.extraction import extract_page

DEMO_PAGES: Final = Path(__file__).resolve().parents[2] / "app" / "demo_site"
_SITE: Final = "https://{}.example/"
_SOURCE: Final = re.compile(
    r'<source id="(\d+)"(?: url="([^"]*)")?(?: title="([^"]*)")?[^\n]*>\n(.*?)\n</source>', re.DOTALL
)
_PLACE: Final = re.compile(r"\{\{(.*?)\}\}")


@dataclass(frozen=True, slots=True)
class GivenSource:
    number: str
    url: str
    title: str
    text: str


class WrittenModel:
    """Writes `reply`, word by word. `{{pattern}}` in it is the number of the first source that has the pattern, and
    goes with its brackets if none has."""

    def __init__(self) -> None:
        self.reply = ""
        self.sources: list[GivenSource] = []

    @asynccontextmanager
    async def stream(self, messages: Sequence[ChatMessage], *, max_tokens: int) -> AsyncIterator[ChatStream]:
        self.sources = [GivenSource(*found) for found in _SOURCE.findall(messages[-1].content)]
        yield self._said(self.filled(self.reply))

    def filled(self, reply: str) -> str:
        return re.sub(r" ?\[missing\]", "", _PLACE.sub(lambda place: self.number(place[1]), reply))

    def number(self, pattern: str) -> str:
        return next((each.number for each in self.sources if re.search(pattern, each.text)), "missing")

    async def _said(self, text: str) -> ChatStream:
        for piece in re.findall(r"\S+\s*|\s+", text):
            yield TextDelta(piece)
        yield ChatEnd(Finish.COMPLETE, TokenUsage(10, 10, "written"))


@dataclass(frozen=True, slots=True)
class ReadSite:
    playground: Playground
    model: WrittenModel
    workspace_id: UUID
    agent_id: UUID

    async def ask(self, question: str, reply: str, **asked: Any) -> PlaygroundAnswer:
        self.model.reply = reply
        return await self.playground.ask(
            self.workspace_id, self.agent_id, PlaygroundQuestion(question, **asked), "live"
        )


@asynccontextmanager
async def read_site(
    folder: Path, name: str, pages: Iterable[tuple[str, bytes]], chat: ChatModel | None = None
) -> AsyncIterator[ReadSite]:
    """`pages` are paths with their HTML; they are read unless `folder` has them already. Answers are written by `chat`
    if there is one."""
    model = WrittenModel()
    async with open_infrastructure(read_settings(data=folder), Doubles({ChatModel: chat or model})) as base:
        workspace_id, agent_id = await _learnt(base, name, pages)
        async with open_answering(base) as answering:
            yield ReadSite(answering.playground, model, workspace_id, agent_id)


async def _learnt(base: Infrastructure, name: str, pages: Iterable[tuple[str, bytes]]) -> tuple[UUID, UUID]:
    with base.record.writing() as tx:
        workspace_id = TokenRecords(tx).default_workspace()
        if read := AgentRecords(tx).published(workspace_id):
            return workspace_id, read[0][0].id
    site = _SITE.format(name)
    with base.record.writing() as tx:
        # However busy the machine is, the reranker reads every passage.
        config = AgentConfig(name=name.capitalize(), retrieval=RetrievalSettings(rerank_budget_ms=30_000))
        agent = AgentRecords(tx).create(workspace_id, config)
        AgentRecords(tx).publish(workspace_id, agent.id)
        source = SourceRecords(tx).create(agent.id, SourceConfig(kinds.SITE, name, site))
    async with open_knowledge(base) as knowledge:
        for path, html in pages:
            page = extract_page(html, urljoin(site, path), "utf-8")
            if not page.is_noindex:
                headings = tuple(SectionHeading(h.level, h.text, h.anchor) for h in page.headings)
                content = PageContent(
                    urljoin(site, path), page.title, page.markdown, headings, site=f"{name}.example", language="en"
                )
                await knowledge.ingest.learn(agent.id, source.id, content)
    return workspace_id, agent.id


def demo_pages() -> Iterator[tuple[str, bytes]]:
    for file in sorted(DEMO_PAGES.rglob("index.html")):
        yield file.relative_to(DEMO_PAGES).as_posix().removesuffix("index.html"), file.read_bytes()


def packed_pages(archive: Path, name: str) -> Iterator[tuple[str, bytes]]:
    """The HTML pages of one website of an archive with a folder for each."""
    with tarfile.open(archive) as packed:
        for member in packed:
            if member.isfile() and member.name.startswith(f"{name}/") and member.name.endswith(".html"):
                file = packed.extractfile(member)
                assert file is not None
                yield member.name.removeprefix(f"{name}/").removesuffix("index.html"), file.read()
