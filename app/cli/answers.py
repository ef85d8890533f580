"""`docent ask` and `docent search`: the pipeline that visitors get, in a terminal."""

from dataclasses import asdict
from time import perf_counter
from typing import Annotated, Any
from uuid import uuid4

import typer
from rich.table import Table

from app.answering.retrieval import Retrieval, SearchQuery
from app.cli.agents import AgentId
from app.cli.answer_report import AnswerReport
from app.cli.local_operator import live_agent, local_operator, meant_agent
from app.cli.terminal import AsJson, fail, out, print_json, run, settings_for
from app.domain.chunk import RankedChunk
from app.domain.turn import Channel, TurnRequest
from app.domain.turn_events import event_payload
from app.main import open_answering, open_foundation
from app.settings import Settings

PageUrl = Annotated[str, typer.Option("--page", help="The page that the visitor is looking at.")]
_SHOWN = 12


def register(cli: typer.Typer) -> None:
    cli.command()(ask)
    cli.command()(search)


def ask(
    question: Annotated[str, typer.Argument(help="What a visitor would ask.")],
    agent: AgentId = None,
    page: PageUrl = "",
    as_json: AsJson = False,
) -> None:
    """Ask an agent and watch the answer come."""
    run(_ask(settings_for(), question, agent, page, as_json))


def search(
    question: Annotated[str, typer.Argument(help="What to look for.")],
    agent: AgentId = None,
    page: PageUrl = "",
    explain: Annotated[bool, typer.Option("--explain", help="Show every stage with its scores and times.")] = False,
    as_json: AsJson = False,
) -> None:
    """Show which chunks an agent would answer from."""
    run(_search(settings_for(), question, agent, page, explain, as_json))


async def _ask(settings: Settings, question: str, agent_id: Any, page: str, as_json: bool) -> None:
    if not question.strip():
        fail("The question is empty.", 2)
    async with open_foundation(settings) as base, open_answering(base) as answering:
        agent = await live_agent(base, await meant_agent(base, await local_operator(base), agent_id))
        opened = await answering.conversations.open(agent, None, Channel.CLI)
        asked_at = perf_counter()
        live = await answering.turns.ask(opened.session, TurnRequest(uuid4(), question.strip(), page))
        report = AnswerReport(question)
        async for numbered in live.events():
            text = report.take(event_payload(numbered.event), perf_counter() - asked_at)
            if text and not as_json:
                out.print(text, end="", highlight=False, markup=False, soft_wrap=True)
    if as_json:
        print_json(report.as_json())
    else:
        report.print_end(out)
    if report.error:
        raise typer.Exit(1)


async def _search(settings: Settings, question: str, agent_id: Any, page: str, explain: bool, as_json: bool) -> None:
    async with open_foundation(settings) as base, open_answering(base) as answering:
        agent = await live_agent(base, await meant_agent(base, await local_operator(base), agent_id))
        query = SearchQuery(question, page, agent.config.language)
        found = await answering.retriever.retrieve(agent, query)
    if as_json:
        print_json(_search_json(question, agent.config.confidence_threshold, found, explain))
        return
    used = {item.chunk.id for item in found.sources}
    table = Table("", "order", "conf.", "cosine", "bm25", "cover", "logit", "section")
    for item in found.ranked[:_SHOWN]:
        table.add_row("●" if item.chunk.id in used else "", *_cells(item))
    out.print(table)
    out.print(
        f"● answers from it: confidence at least {agent.config.confidence_threshold:g}. "
        f"Best {found.best:.2f}{', too little to rely on' if found.is_low_confidence else ''}."
    )
    if explain:
        for stage in found.trace.get("stages", []):
            facts = ", ".join(f"{key} {value}" for key, value in stage.items() if key not in {"stage", "ms"})
            out.print(f"  {stage['stage']:<10}{stage['ms']:>8.1f} ms  {facts}", highlight=False)
        if found.trace.get("missing"):
            out.print(f"  away: {', '.join(found.trace['missing'])}")


def _cells(item: RankedChunk) -> list[str]:
    numbers = (item.order, item.calibrated, item.cosine, item.bm25, item.coverage, item.logit)
    where = " › ".join(dict.fromkeys((item.chunk.title, *item.chunk.breadcrumb)))
    page = " (current page)" if item.is_current_page else ""
    return [*("" if n is None else f"{n:.2f}" for n in numbers), f"{where}{page}\n{item.chunk.link}"]


def _search_json(question: str, threshold: float, found: Retrieval, explain: bool) -> dict[str, Any]:
    used = {item.chunk.id for item in found.sources}
    rows = [
        {
            "chunk_id": item.chunk.id,
            "url": item.chunk.link,
            "title": item.chunk.title,
            "order": item.order,
            "confidence": item.calibrated,
            "fused": item.fused,
            "cosine": item.cosine,
            "bm25": item.bm25,
            "coverage": item.coverage,
            "logit": item.logit,
            "is_current_page": item.is_current_page,
            "is_source": item.chunk.id in used,
            "text": item.chunk.text,
            "tables": [asdict(table) for table in item.chunk.tables],
        }
        for item in found.ranked
    ]
    result: dict[str, Any] = {
        "question": question,
        "threshold": threshold,
        "best": found.best,
        "low_confidence": found.is_low_confidence,
        "chunks": rows,
    }
    return result | ({"trace": found.trace} if explain else {})
