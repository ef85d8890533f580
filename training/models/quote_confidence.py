"""Fits the confidence of quoted answers, and shows how well it tells right answers from others on websites left out.

    python -m training.models.quote_confidence [SET=DATA ...] [--companies 59,60]

SET is a folder with a runner (`run.py`) and `questions.jsonl`, DATA the folder in which that runner keeps what it
crawled (`make eval-sites SITES=SET` keeps it in .venv/eval-sites). `--companies` are invented companies by number
(`training/models/companies`), of which the shipped models have learnt from 01 to 36. Each question is asked as by a
visitor of an agent that withholds nothing. An answer is right by the set's own patterns, or if it holds the company's
quote; questions that have no answer are near misses.
"""

import argparse
import asyncio
import importlib.util
import json
import tempfile
from collections import Counter
from collections.abc import AsyncIterator, Iterator, Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path
from types import ModuleType
from typing import Any, Final
from uuid import UUID, uuid4

import numpy as np
import numpy.typing as npt

from app.agents.agent import AgentConfig
from app.agents.records import AgentRecords
from app.answers.page_context import numbered_sources
from app.answers.writing.answer_context import AnswerContext
from app.answers.writing.extractive_writer import ExtractiveWriter
from app.answers.writing.passage_odds import QuoteSignals
from app.answers.writing.passage_readings import PassageReadings
from app.answers.writing.quote_confidence import QuoteConfidence
from app.bootstrap.answering import for_operators, search_parts
from app.bootstrap.infrastructure import Infrastructure, open_infrastructure
from app.bootstrap.knowledge import knowledge_parts
from app.cli.local_operator import local_operator
from app.core.text.turn_language import turn_language
from app.core.turn import TurnRequest
from app.kit.language_guesser import LanguageGuesser
from app.knowledge.context_writer import ContextWriter
from app.knowledge.ingest import Ingest
from app.providers.chat.chat_model import TextDelta
from app.quality.evaluation.retrieval_metrics import auroc
from app.search.retrieval import SearchQuery
from app.settings import read_settings
from app.sources import kinds
from app.sources.records import SourceRecords
from app.sources.source import SourceConfig
from app.store.transaction import Transaction
from training.models.lists import NEAR_MISS_MARK, plain
from training.models.passages import company_pages
from training.models.training_data import COMPANIES

_SIGNALS: Final = tuple(each.name for each in fields(QuoteSignals))
_RIDGE: Final = 30.0
_STEPS: Final = 50
_LOST: Final = 0.05  # of the right answers, at the threshold by which near misses are counted
_PAGE: Final = "http://visitor.test/"

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Judged:
    """One answer: `is_right` is None for a question that has none."""

    group: str
    site: str
    signals: tuple[float, ...]
    is_right: bool | None


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sets", nargs="*", metavar="SET=DATA")
    parser.add_argument("--companies", default="", metavar="NN,NN")
    arguments = parser.parse_args()
    judged = [row for each in arguments.sets for row in asyncio.run(_judged(*each.split("=")))]
    if numbers := [number for number in arguments.companies.split(",") if number]:
        judged += asyncio.run(_judged_companies(numbers))
    if not judged:
        parser.error("name a set or companies")
    rows, right = np.array([row.signals for row in judged]), np.array([bool(row.is_right) for row in judged])
    weights = _weights_of_sets(judged)
    for name, weight in zip(("bias", *_SIGNALS), _fitted(rows, right, weights), strict=True):
        print(f"{name} = {weight:.2f}")
    left_out = np.zeros(len(judged))
    for site in {row.site for row in judged}:
        inside = np.array([row.site == site for row in judged])
        bias, *each = _fitted(rows[~inside], right[~inside], weights[~inside])
        left_out[inside] = bias + rows[inside] @ np.array(each)
    for group in dict.fromkeys(row.group for row in judged):
        _report(group, [(row, float(odds)) for row, odds in zip(judged, left_out, strict=True) if row.group == group])


async def _judged(folder: str, data: str) -> list[Judged]:
    runner, rows = _runner(Path(folder)), []
    questions = [json.loads(line) for line in (Path(folder) / "questions.jsonl").read_text("utf-8").splitlines()]
    for site in dict.fromkeys(question["site"] for question in questions):
        note = json.loads((Path(data) / site / "run.json").read_text("utf-8"))
        asked = [question for question in questions if question["site"] == site]
        async with open_infrastructure(read_settings(data=Path(data) / site / "docent")) as base:
            async for question, signals, text in _answers(base, UUID(note["agent"]), asked):
                is_right = not runner.missing(question["expect"], text) if question["answerable"] else None
                rows.append(Judged(Path(folder).name, f"{folder} {site}", signals, is_right))
    return rows


async def _judged_companies(numbers: Sequence[str]) -> list[Judged]:
    rows = []
    with tempfile.TemporaryDirectory(prefix="docent-bench-") as folder:
        settings = read_settings(data=Path(folder), database_url="", vectors_uri="", redis_url="", log_level="error")
        async with open_infrastructure(settings) as base:
            ingest = knowledge_parts(base, {ContextWriter: None}).get(Ingest)
            workspace_id = (await local_operator(base)).workspace_id
            for number in numbers:
                agent_id = await _learnt(base, ingest, workspace_id, COMPANIES / f"{number}.md")
                async for question, signals, text in _answers(base, agent_id, list(_asked(number))):
                    quote = question["quote"]
                    is_right = plain(quote) in plain(text) if quote else None
                    rows.append(Judged("companies", number, signals, is_right))
    return rows


async def _learnt(base: Infrastructure, ingest: Ingest, workspace_id: UUID, file: Path) -> UUID:
    """The id of an agent that knows the company's pages, each of which begins with a heading of the first level."""

    def made(tx: Transaction) -> tuple[UUID, UUID]:
        agent_id = AgentRecords(tx).create(workspace_id, AgentConfig(name=file.stem)).id
        AgentRecords(tx).publish(workspace_id, agent_id)
        return agent_id, SourceRecords(tx).create(agent_id, SourceConfig(kinds.TEXT, file.stem)).id

    agent_id, source_id = await base.record.write(made)
    for page in company_pages(file):
        await ingest.learn(agent_id, source_id, page)
    return agent_id


def _asked(number: str) -> Iterator[dict[str, Any]]:
    """The company's questions, each with the quote that answers it, and near misses, whose `quote` is empty."""
    for line in (COMPANIES / f"{number}.tsv").read_text("utf-8").splitlines():
        quote, *asked = (cell.strip() for cell in line.split("\t"))
        for text in asked:
            is_near_miss = text.startswith(NEAR_MISS_MARK)
            yield {"question": text.removeprefix(NEAR_MISS_MARK).strip(), "quote": "" if is_near_miss else quote}


async def _answers(
    base: Infrastructure, agent_id: UUID, questions: Sequence[dict[str, Any]]
) -> AsyncIterator[tuple[dict[str, Any], tuple[float, ...], str]]:
    """Those that a passage is quoted for, with the mean signals of their passages."""
    models, search = base.models, for_operators(base, search_parts(base, None))
    readings = PassageReadings(models.questions, base.indexes.keywords, models.token_embedder, models.reranker)
    writer, confidence, guesser = ExtractiveWriter(readings), QuoteConfidence(readings), LanguageGuesser()
    agent = await base.record.read(lambda tx: AgentRecords(tx).live(agent_id))
    giving = replace(agent.config, confidence_threshold=0.0)
    for question in questions:
        text = question["question"]
        guess = guesser.guess(text)
        language = turn_language(pinned=giving.language, locale="", guess=guess, known=guesser.languages)
        query = SearchQuery(text, _PAGE, asked_in=language, bare=text)
        found = (await search.search(agent.workspace_id, agent_id, query, "live")).retrieval
        context = AnswerContext(
            giving,
            text,
            found.question or text,
            numbered_sources(TurnRequest(uuid4(), text, _PAGE), found.sources),
            language=language,
            agent_id=agent_id,
            read_as=found.read_as,
            read_in=found.read_in,
        )
        written = "".join([item.text async for item in writer.write(context) if isinstance(item, TextDelta)])
        signals = [await confidence.signals(each.context, each.judged) for each in await writer.readings(context)]
        if kept := [each for each in signals if each]:
            means = (float(np.mean([getattr(each, name) for each in kept])) for name in _SIGNALS)
            yield question, tuple(means), written


def _runner(folder: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(folder.name, folder / "run.py")
    if spec is None or spec.loader is None:
        raise SystemExit(f"{folder} has no run.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _weights_of_sets(judged: Sequence[Judged]) -> Floats:
    """Each set counts the same, however many questions it has."""
    counts = Counter(row.group for row in judged)
    return np.array([len(judged) / len(counts) / counts[row.group] for row in judged])


def _fitted(rows: Floats, right: npt.NDArray[np.bool_], weights: Floats) -> Floats:
    """The bias and the weight of each signal, by logistic regression (Newton's method) over standardised signals."""
    mean, spread = rows.mean(axis=0), rows.std(axis=0) + 1e-9
    scaled = np.column_stack([np.ones(len(rows)), (rows - mean) / spread])
    ridge = np.diag([0.0] + [_RIDGE] * rows.shape[1])
    found = np.zeros(scaled.shape[1])
    for _ in range(_STEPS):
        chance = 1 / (1 + np.exp(-scaled @ found))
        slope = scaled.T @ (weights * (chance - right)) + ridge @ found
        curve = (scaled * (weights * chance * (1 - chance))[:, np.newaxis]).T @ scaled + ridge
        found -= np.linalg.solve(curve, slope)
    each = found[1:] / spread
    return np.concatenate([[found[0] - each @ mean], each])


def _report(group: str, scored: Sequence[tuple[Judged, float]]) -> None:
    right = sorted(odds for row, odds in scored if row.is_right)
    wrong = [odds for row, odds in scored if row.is_right is False]
    near = [odds for row, odds in scored if row.is_right is None]
    least = right[int(_LOST * len(right))]
    held = sum(odds < least for odds in near)
    print(
        f"{group}: AUROC of {len(right)} right answers over {len(wrong)} wrong {auroc(right, wrong):.3f}, "
        f"over {len(near)} near misses {auroc(right, near):.3f}; {held} of these held back where {_LOST:.0%} are lost"
    )


if __name__ == "__main__":
    main()
