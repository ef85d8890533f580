"""A documentation site as every contender gets it: Docent's chunks of its pages, their vectors, and the questions'."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final
from urllib.parse import quote, unquote, urlsplit
from uuid import UUID

from app.agents.agent import AgentConfig
from app.agents.records import AgentRecords
from app.bootstrap.infrastructure import Infrastructure, open_infrastructure
from app.bootstrap.knowledge import knowledge_parts
from app.cli.local_operator import local_operator
from app.cli.terminal import configure_logging
from app.knowledge.chunker import Chunker
from app.knowledge.context_writer import ContextWriter
from app.knowledge.document import PageContent
from app.knowledge.given_chunks import CutPage, GivenChunks
from app.knowledge.records.live_documents import LiveDocumentRecords
from app.settings import read_settings
from app.sources import kinds
from app.sources.records import SourceRecords
from app.sources.source import SourceConfig
from app.store.stored_vectors import EmbeddingCache
from app.store.transaction import Transaction
from bench.peers.worker import CORPUS, Corpus
from bench.sites.question_set import OWN_SET, Question, Site, read_questions
from crawler.errors import ExtractionFailed
from crawler.extract.extraction import extract_page

DATA: Final = "data"
AGENT: Final = "agent"
_PAGES_A_BATCH: Final = 50


@dataclass(frozen=True, slots=True)
class Prepared:
    """`folder` has what the workers read. `page_of` tells a chunk's page, as the questions name it."""

    folder: Path
    questions: tuple[Question, ...]
    page_of: Mapping[str, str]


async def prepare(site: Site, packages: Path, folder: Path) -> Prepared:
    """`folder` is made of the fetched pages: an agent that has learnt them in Docent's data folder, and a file for the
    others. The questions are those that the site answers."""
    asked = tuple(question for question in read_questions(OWN_SET, site.name) if question.is_answerable)
    settings = read_settings(data=folder / DATA, log_level="error")
    configure_logging(settings)
    async with open_infrastructure(settings) as base:
        agent_id = await _learnt(base, list(_pages(site, packages)))
        chunks = await base.record.read(lambda tx: LiveDocumentRecords(tx).agent_chunks(agent_id))
        texts = {chunk.id: chunk.searchable_text for chunk in chunks}
        model, hashes = base.models.embedder.model_id, [chunk.content_hash for chunk in chunks]
        known = await base.record.read(lambda tx: EmbeddingCache(tx).cached_embeddings(model, hashes))
        vectors = {chunk.searchable_text: known[chunk.content_hash] for chunk in chunks}
        for question in asked:  # one by one, as visitors' are
            [vectors[question.text]] = await base.models.questions.embed([question.text])
        live = await base.record.read(lambda tx: LiveDocumentRecords(tx).live_chunks(agent_id, list(texts)))
        page_of = {key: unquote(urlsplit(chunk.url).path).lstrip("/") for key, chunk in live.items()}
        await base.record.empty_journal()  # which a search would have to look through
    (folder / CORPUS).write_text(json.dumps(asdict(Corpus(texts, vectors))), "utf-8")
    (folder / AGENT).write_text(str(agent_id), "utf-8")
    return Prepared(folder, asked, page_of)


def _pages(site: Site, packages: Path) -> Iterator[PageContent]:
    host = f"{site.name}.example"
    for path, file in site.files(packages).items():
        try:
            page = extract_page(file.read_bytes(), f"https://{host}/{quote(path)}", None)
        except ExtractionFailed:
            continue
        if page.markdown:
            yield PageContent(page.url, page.title, page.markdown, site=host)


async def _learnt(base: Infrastructure, pages: Sequence[PageContent]) -> UUID:
    """The id of a published agent that knows the pages, twins as well."""
    workspace_id = (await local_operator(base)).workspace_id
    parts = knowledge_parts(base, {ContextWriter: None})
    learner, chunker = parts.get(GivenChunks), parts.get(Chunker)

    def work(tx: Transaction) -> tuple[UUID, UUID]:
        agent = AgentRecords(tx).create(workspace_id, AgentConfig(name="peers"))
        AgentRecords(tx).publish(workspace_id, agent.id)
        return agent.id, SourceRecords(tx).create(agent.id, SourceConfig(kinds.TEXT, "pages")).id

    agent_id, source_id = await base.record.write(work)
    for start in range(0, len(pages), _PAGES_A_BATCH):
        cut = [
            CutPage(page, tuple((draft.text, draft.breadcrumb) for draft in chunker.cut(page)))
            for page in pages[start : start + _PAGES_A_BATCH]
        ]
        await learner.learn(agent_id, source_id, cut)
    await base.indexes.vectors.compact()
    return agent_id
