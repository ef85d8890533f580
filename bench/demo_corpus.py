"""Agents of a chosen size, made of the demonstration site's real chunks, again and again."""

import asyncio
import os
import re
import sqlite3
import subprocess
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import replace
from importlib.resources import files
from itertools import islice
from pathlib import Path
from typing import Any, Final
from uuid import UUID

import numpy as np

from app.agents.agent import Agent, AgentConfig, LiveAgent
from app.agents.records import AgentRecords
from app.bootstrap.infrastructure import Infrastructure, open_infrastructure
from app.bootstrap.knowledge import knowledge_parts
from app.cli.local_operator import local_operator
from app.cli.terminal import configure_logging
from app.knowledge.chunker import Chunker
from app.knowledge.context_writer import ContextWriter
from app.knowledge.document import PageContent
from app.knowledge.given_chunks import CutPage, GivenChunks
from app.providers.embedding.embedder import Embedder, WrappedEmbedder
from app.settings import read_settings
from app.sources import kinds
from app.sources.records import SourceRecords
from app.sources.source import Source, SourceConfig
from app.store.transaction import Transaction
from bench.serving.client import SITE
from crawler.extract.extraction import extract_page

_HOST = "nimbrel.example"
_NOISE = 0.01  # on each number of a copy's vector: near its original, as pages of one site are, and never the same
_PAGES_A_BATCH = 100
COPY_MARK = re.compile(r" \(copy (\d+)\)$")


class CopyingEmbedder(WrappedEmbedder):
    """Embeds an original once; a copy of it gets the same vector with a little noise."""

    def __init__(self, inner: Embedder) -> None:
        super().__init__(inner)
        self._known: dict[str, list[float]] = {}
        self._random = np.random.default_rng(0)

    async def embed(self, texts: Sequence[str]) -> list[list[float]]:
        originals = [COPY_MARK.sub("", text) for text in texts]
        fresh = [text for text in dict.fromkeys(originals) if text not in self._known]
        self._known |= dict(zip(fresh, await self._embedder.embed(fresh), strict=True))
        noisy = np.asarray([self._known[text] for text in originals])
        noisy += self._random.normal(0, _NOISE, noisy.shape)
        vectors: list[list[float]] = (noisy / np.linalg.norm(noisy, axis=1, keepdims=True)).tolist()
        return vectors


class DemoCorpus:
    """The pages of the demonstration site, or other `pages`, cut as ingest cuts them. `embedder` gets each text of a
    page, with a mark where it is a copy."""

    def __init__(
        self, base: Infrastructure, pages: Iterable[PageContent] | None = None, embedder: Embedder | None = None
    ) -> None:
        self._base = base
        models = replace(base.models, embedder=embedder or CopyingEmbedder(base.models.embedder))
        parts = knowledge_parts(replace(base, models=models), {ContextWriter: None})
        self._learner, chunker = parts.get(GivenChunks), parts.get(Chunker)
        pages = site_pages() if pages is None else pages
        self._cut = [(page, [(draft.text, draft.breadcrumb) for draft in chunker.cut(page)]) for page in pages]

    @property
    def texts(self) -> list[str]:
        """Of all chunks, in the pages' order."""
        return [text for _, chunks in self._cut for text, _ in chunks]

    @property
    def chunk_count(self) -> int:
        """Of all pages, before any is copied."""
        return sum(len(chunks) for _, chunks in self._cut)

    async def agent_of(
        self, workspace_id: UUID, chunk_count: int, origins: tuple[str, ...] = (), **more: Any
    ) -> LiveAgent:
        """A published agent that knows `chunk_count` chunks, may be embedded in `origins`, and has `more` settings."""
        config = AgentConfig(name=f"{chunk_count} chunks", allowed_origins=origins, **more)

        def work(tx: Transaction) -> tuple[Source, Agent]:
            made = AgentRecords(tx).create(workspace_id, config)
            AgentRecords(tx).publish(workspace_id, made.id)
            source = SourceRecords(tx).create(made.id, SourceConfig(kinds.TEXT, "demo"))
            return source, made

        source, made = await self._base.record.write(work)
        copies = self._copies(chunk_count)
        while pages := list(islice(copies, _PAGES_A_BATCH)):
            await self._learner.learn(made.id, source.id, pages)
        return await self._base.record.read(lambda tx: AgentRecords(tx).live(made.id))

    def _copies(self, chunk_count: int) -> Iterator[CutPage]:
        left, copy = chunk_count, 0
        while left > 0:
            for page, chunks in self._cut:
                own = tuple((f"{text} (copy {copy})", headings) for text, headings in chunks[:left])
                left -= len(own)
                if own:
                    url = f"https://{_HOST}/{copy}{page.url}"
                    yield CutPage(PageContent(url, page.title, "", site=_HOST), own)
            copy += 1


def site_pages() -> Iterator[PageContent]:
    """The pages of the demonstration site as its crawl reads them, each under its path."""
    root = Path(str(files("app") / "demo_site"))
    for file in sorted(root.rglob("index.html")):
        path = "/" + file.relative_to(root).as_posix().removesuffix("index.html")
        page = extract_page(file.read_bytes(), f"https://{_HOST}{path}", "utf-8")
        if page.markdown and not page.is_noindex:
            yield PageContent(path, page.title, page.markdown, site=_HOST)


async def learnt(data: Path, chunks: int) -> str:
    """Make a data folder with one agent of so many chunks, which servers may be given copies of; return its id."""
    settings = read_settings(data=data, log_level="error")
    configure_logging(settings)
    async with open_infrastructure(settings) as base:
        workspace_id = (await local_operator(base)).workspace_id
        agent = await DemoCorpus(base).agent_of(workspace_id, chunks, (SITE,))
        await base.indexes.vectors.compact()
    with closing(sqlite3.connect(data / "docent.sqlite")) as record:
        record.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    return str(agent.id)


_LEARN: Final = """
import asyncio, pathlib, sys
from bench.demo_corpus import learnt
print(asyncio.run(learnt(pathlib.Path(sys.argv[1]), int(sys.argv[2]))))
"""


async def learnt_by(tree: Path, data: Path, chunks: int) -> str:
    """The same, made by a tree: a server opens what an older one has made, and not what a newer one has."""
    command = [sys.executable, "-c", _LEARN, str(data), str(chunks)]
    environment = {**os.environ, "PYTHONPATH": str(tree)}
    made = await asyncio.to_thread(subprocess.check_output, command, cwd=tree, env=environment, text=True)
    return made.split()[-1]
