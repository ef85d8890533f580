"""`python -m bench.answer_path`: what each stage of an answer costs, beside its floor in the same run."""

import argparse
import asyncio
import itertools
import json
import os
import tempfile
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from uuid import uuid4

from rich.console import Console
from rich.table import Table

from app.agents.agent import LiveAgent
from app.agents.retrieval_settings import RerankMode
from app.bootstrap.answering import Answering, open_answering, search_parts
from app.bootstrap.infrastructure import Infrastructure, open_infrastructure
from app.cli.local_operator import local_operator
from app.cli.terminal import configure_logging
from app.conversations.conversations import Conversations
from app.core.search_filter import SearchFilter
from app.core.turn import Channel, TurnRequest
from app.core.turn_events import Token
from app.knowledge.records.live_documents import LiveDocumentRecords
from app.page_search.page_search import PageSearch
from app.search.retrieval import SearchQuery
from app.settings import read_settings
from bench.demo_corpus import DemoCorpus
from bench.stages.floors import RawEmbedder, RawKeywords, RawRecord, RawReranker, agent_matrix
from bench.stages.times import StageTime, timed

_QUESTIONS = (
    "How much does the Plus plan cost per month?",
    "What is the price of the Nimbrel One Wind?",
    "How long is the warranty on a station?",
    "What does error code E42 mean?",
    "How many days do I have to return a station?",
    "How do I change the batteries in winter?",
    "Can I share my station with neighbours?",
    "Does the hub work without the internet?",
    "What is the API rate limit?",
    "How do I verify the signature of a webhook?",
    "Where should I put the rain gauge?",
    "How do I delete my account?",
)
_RECALLED = 60  # what 50 a list with the over-fetch for retired rows comes to
_PAIRS = 18
_BUDGET_MS = 30_000  # else a busy machine would skip the reranker, and be the faster for it
_EMBED = "embed the question"
_RERANK = f"rerank {_PAIRS} pairs"
_RERANKED = "whole retrieval, reranked"


async def measure(chunk_count: int, rounds: int) -> list[StageTime]:
    with tempfile.TemporaryDirectory(prefix="docent-bench-") as folder:
        settings = read_settings(data=Path(folder), database_url="", vectors_uri="", redis_url="", log_level="error")
        configure_logging(settings)
        async with open_infrastructure(settings) as base, open_answering(base) as answering:
            workspace_id = (await local_operator(base)).workspace_id
            agent = await DemoCorpus(base).agent_of(workspace_id, chunk_count)
            await base.indexes.vectors.compact()
            return await _stages(base, answering, agent, _QUESTIONS * rounds)


async def _stages(
    base: Infrastructure, answering: Answering, agent: LiveAgent, questions: Sequence[str]
) -> list[StageTime]:
    threads = base.settings.threads
    embedder, reranker = RawEmbedder(threads), RawReranker(threads)
    matrix = await agent_matrix(base.settings.vector_uri, agent.id)
    keywords = RawKeywords(next((base.settings.keyword_dir / str(agent.id)).iterdir()))
    record = RawRecord(base.settings.data / "docent.sqlite")
    vectors = dict(zip(_QUESTIONS, await base.models.embedder.embed(_QUESTIONS), strict=True))
    hits = {
        q: [hit.chunk_id for hit in await base.indexes.vectors.search(agent.id, v, _RECALLED)]
        for q, v in vectors.items()
    }
    read = await base.record.read(
        lambda tx: {q: list(LiveDocumentRecords(tx).live_chunks(agent.id, ids).values()) for q, ids in hits.items()}
    )
    texts = {q: [f"{chunk.title}\n{chunk.text}" for chunk in chunks] for q, chunks in read.items()}

    async def live_chunks(question: str) -> None:
        await base.record.read(lambda tx: LiveDocumentRecords(tx).live_chunks(agent.id, hits[question]))

    def bare_retrieval(question: str) -> None:
        vector = embedder.run([question])[0]
        matrix.nearest(vector, _RECALLED)
        keywords.search(question, _RECALLED)
        record.read(hits[question])

    def bare_reranked(question: str) -> None:
        bare_retrieval(question)
        reranker.score(question, texts[question][:_PAIRS])

    voting = replace(agent.config.retrieval, rerank=RerankMode.VOTE, rerank_budget_ms=_BUDGET_MS)
    reranking = replace(agent, config=replace(agent.config, retrieval=voting))
    search = search_parts(base, None).fresh()
    numbers = itertools.count()
    conversations = Conversations(base.record, answering.history)

    async def first_token(question: str) -> None:
        fresh = f"{question} {next(numbers)}"  # else the ranking would be remembered
        opened = await conversations.open(agent, None, Channel.CLI)
        live = await answering.turns.ask(opened.session, TurnRequest(uuid4(), fresh, ""))
        async for numbered in live.events():
            if isinstance(numbered.event, Token):
                return

    async def retrieve(question: str) -> None:
        await search.retrieve(agent, SearchQuery(question))

    async def retrieve_reranked(question: str) -> None:
        await search.retrieve(reranking, SearchQuery(question))

    pages = PageSearch(base.record, base.indexes.keywords)

    async def search_pages(question: str) -> None:
        """The last words, of which the last is not yet whole."""
        await pages.find(agent, " ".join(question.split()[-3:])[:-2], SearchFilter())

    def bare_page_search(question: str) -> None:
        keywords.search(question, _RECALLED)
        record.read(hits[question])

    rows = [
        await timed(
            _EMBED,
            questions,
            lambda q: base.models.embedder.embed([q]),
            lambda q: embedder.run([q]),
            "onnxruntime and tokenizers",
        ),
        await timed(
            f"vectors, {_RECALLED} of an agent",
            questions,
            lambda q: base.indexes.vectors.search(agent.id, vectors[q], _RECALLED),
            lambda q: matrix.nearest(vectors[q], _RECALLED),
            "numpy on a matrix in memory",
        ),
        await timed(
            f"keywords, {_RECALLED} of an agent",
            questions,
            lambda q: base.indexes.keywords.search(agent.id, None, q, _RECALLED),
            lambda q: keywords.search(q, _RECALLED),
            "tantivy, index open, text field alone",
        ),
        await timed(
            f"read {_RECALLED} chunks", questions, live_chunks, lambda q: record.read(hits[q]), "sqlite3, one table"
        ),
        await timed(
            f"coverage of {_RECALLED} texts",
            questions,
            lambda q: base.indexes.keywords.coverage(agent.id, None, q, texts[q]),
        ),
        await timed(
            _RERANK,
            questions,
            lambda q: base.models.reranker.score(q, texts[q][:_PAIRS], budget_seconds=60),
            lambda q: reranker.score(q, texts[q][:_PAIRS]),
            "onnxruntime and tokenizers",
        ),
        await timed("whole retrieval", questions, retrieve, bare_retrieval, "the floors above, one after the other"),
        await timed(_RERANKED, questions, retrieve_reranked, bare_reranked, "the floors above, one after the other"),
        await timed(
            "page search while typing",
            questions,
            search_pages,
            bare_page_search,
            "tantivy and sqlite3, one after the other",
        ),
        await timed("first token of a turn", questions[: len(_QUESTIONS)], first_token, None),
    ]
    record.close()
    return rows


def overhead_vs_models(rows: Sequence[StageTime]) -> float:
    """Whole retrieval with the reranker, to what its two models take by themselves."""
    by_stage = {row.stage: row for row in rows}
    return by_stage[_RERANKED].p50 / sum(by_stage[stage].floor or 0 for stage in (_EMBED, _RERANK))


def print_table(chunk_count: int, rows: Sequence[StageTime]) -> None:
    table = Table("stage", "p50 ms", "p95 ms", "floor ms", "ratio", "floor", title=f"{chunk_count} chunks")
    for row in rows:
        floor = "" if row.floor is None else f"{row.floor:.2f}"
        ratio = "" if row.ratio is None else f"{row.ratio:.1f}"
        table.add_row(row.stage, f"{row.p50:.2f}", f"{row.p95:.2f}", floor, ratio, row.floor_is)
    Console(width=118).print(table)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--chunks", type=int, nargs="+", default=[1_000, 10_000], help="sizes of agents")
    parser.add_argument("--rounds", type=int, default=3, help="times each question is asked")
    parser.add_argument("--json", action="store_true", help="one object on one line; its ratio is of the first size")
    arguments = parser.parse_args()
    measured = {count: asyncio.run(measure(count, arguments.rounds)) for count in arguments.chunks}
    if arguments.json:
        stages = {
            count: {row.stage: {"p50": row.p50, "p95": row.p95, "floor": row.floor} for row in rows}
            for count, rows in measured.items()
        }
        ratios = {"overhead_vs_models": overhead_vs_models(measured[arguments.chunks[0]])}
        figures = {"cores": os.cpu_count(), "load": os.getloadavg()[0], "chunks": stages}
        print(json.dumps({"ratios": ratios, **figures}))
        return
    for count, rows in measured.items():
        print_table(count, rows)
    print(f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}")


if __name__ == "__main__":
    main()
