"""`docent ask` and `docent search`: the pipeline that visitors get, in a terminal."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from time import perf_counter
from typing import Annotated, Any, Literal
from uuid import UUID, uuid4

import typer
from rich.table import Table

from app.answering.retrieval import SearchQuery
from app.cli.agents import AgentId
from app.cli.answer_report import AnswerReport
from app.cli.local_operator import live_agent, local_operator, meant_agent
from app.cli.terminal import AsJson, fail, out, print_json, run, settings_for
from app.domain.errors import InvalidInput
from app.domain.search_filter import AttributeFilter, SearchFilter
from app.domain.turn import Channel, TurnRequest
from app.domain.turn_events import event_payload
from app.operating.agent_rules import check_filter
from app.rooms import open_answering, open_foundation
from app.settings import Settings

PageUrl = Annotated[str, typer.Option("--page", help="The page that the visitor is looking at.")]
Version = Literal["live", "draft"]
Source = Annotated[list[UUID] | None, typer.Option(help="Only this source's pages. May be repeated.")]
Below = Annotated[list[str] | None, typer.Option("--path", help="Only pages below this path, such as /docs/.")]
PageLanguage = Annotated[list[str] | None, typer.Option("--language", help="Only pages in this language, such as en.")]
Attribute = Annotated[
    list[str] | None,
    typer.Option("--attribute", help="Only documents with this attribute: NAME=VALUE. May be repeated."),
]
_DAY = ["%Y-%m-%d"]
Since = Annotated[datetime | None, typer.Option("--since", formats=_DAY, help="Only pages dated so or later.")]
Until = Annotated[datetime | None, typer.Option("--until", formats=_DAY, help="Only pages dated so or before.")]
_SHOWN = 12


def ask(
    question: Annotated[str, typer.Argument(help="What a visitor would ask.")],
    agent: AgentId = None,
    page: PageUrl = "",
    source: Source = None,
    path: Below = None,
    language: PageLanguage = None,
    attribute: Attribute = None,
    since: Since = None,
    until: Until = None,
    as_json: AsJson = False,
) -> None:
    """Ask an agent and watch the answer come."""
    only = _filter(source, path, language, attribute, since, until)
    run(_ask(settings_for(), question, agent, page, only, as_json))


def search(
    question: Annotated[str, typer.Argument(help="What to look for.")],
    agent: AgentId = None,
    page: PageUrl = "",
    draft: Annotated[bool, typer.Option("--draft", help="By the agent's draft, not by what visitors get.")] = False,
    source: Source = None,
    path: Below = None,
    language: PageLanguage = None,
    attribute: Attribute = None,
    since: Since = None,
    until: Until = None,
    explain: Annotated[bool, typer.Option("--explain", help="Show every stage with its scores and times.")] = False,
    as_json: AsJson = False,
) -> None:
    """Show which chunks an agent would answer from."""
    if not question.strip():
        fail("The question is empty.", 2)
    only = _filter(source, path, language, attribute, since, until)
    query = SearchQuery(question.strip(), page, filters=(only,))
    run(_search(settings_for(), agent, query, "draft" if draft else "live", explain, as_json))


def _filter(
    sources: Sequence[UUID] | None,
    paths: Sequence[str] | None,
    languages: Sequence[str] | None,
    attributes: Sequence[str] | None,
    since: datetime | None,
    until: datetime | None,
) -> SearchFilter:
    """Values of one attribute stand for each other. Ends the command where one of them is wrong."""
    named: dict[str, list[str]] = {}
    for attribute in attributes or ():
        name, _, value = attribute.partition("=")
        named.setdefault(name, []).append(value)
    only = SearchFilter(
        tuple(sources or ()),
        tuple(paths or ()),
        tuple(languages or ()),
        since and since.date(),
        until and until.date(),
        tuple(AttributeFilter(name, tuple(values)) for name, values in named.items()),
    )
    try:
        check_filter("filter", only)
    except InvalidInput as error:
        fail(str(error), 2)
    return only


async def _ask(settings: Settings, question: str, agent_id: Any, page: str, only: SearchFilter, as_json: bool) -> None:
    if not question.strip():
        fail("The question is empty.", 2)
    async with open_foundation(settings) as base, open_answering(base) as answering:
        agent = await live_agent(base, await meant_agent(base, await local_operator(base), agent_id))
        opened = await answering.conversations.open(agent, None, Channel.CLI)
        asked_at = perf_counter()
        live = await answering.turns.ask(opened.session, TurnRequest(uuid4(), question.strip(), page, only=only))
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


async def _search(
    settings: Settings, agent_id: UUID | None, query: SearchQuery, version: Version, explain: bool, as_json: bool
) -> None:
    async with open_foundation(settings) as base, open_answering(base) as answering:
        actor = await local_operator(base)
        agent = await meant_agent(base, actor, agent_id)
        if version == "live":
            await live_agent(base, agent)
        report = await answering.search.search(actor.workspace_id, agent.id, query, version)
    found = report.as_json()
    if as_json:
        shown = found if explain else {key: value for key, value in found.items() if key != "trace"}
        print_json({"question": query.text, **shown})
        return
    table = Table("", "order", "conf.", "cosine", "bm25", "cover", "logit", "section")
    for row in found["chunks"][:_SHOWN]:
        table.add_row("●" if row["is_source"] else "", *_cells(row))
    out.print(table)
    out.print(
        f"● answers from it: confidence at least {found['threshold']:g}. "
        f"Best {found['best']:.2f}{', too little to rely on' if found['low_confidence'] else ''}."
    )
    if explain:
        _print_stages(found["trace"])


def _cells(row: Mapping[str, Any]) -> list[str]:
    numbers = (row[key] for key in ("order", "confidence", "cosine", "bm25", "coverage", "logit"))
    where = " › ".join(dict.fromkeys((row["title"], *row["breadcrumb"])))
    page = " (current page)" if row["is_current_page"] else ""
    return [*("" if n is None else f"{n:.2f}" for n in numbers), f"{where}{page}\n{row['url']}"]


def _print_stages(trace: Mapping[str, Any]) -> None:
    """Each stage with its time, what it did, and how the first places stood after it."""
    for stage in trace["stages"]:
        facts = ", ".join(f"{key} {value}" for key, value in stage.items() if key not in {"stage", "ms", "head"})
        out.print(f"  {stage['stage']:<12}{stage['ms']:>8.1f} ms  {facts}", highlight=False)
        if stage.get("head"):
            out.print(f"{'':<26}{' '.join(stage['head'])}", style="dim", highlight=False)
    out.print(f"  a visitor's turn would find this ranking {trace['cache']} in the cache", highlight=False)
    if trace["missing"]:
        out.print(f"  away: {', '.join(trace['missing'])}")
