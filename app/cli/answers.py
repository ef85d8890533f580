"""`docent ask` and `docent search`: the pipeline that visitors get, in a terminal.

If a server runs on the data folder, it answers, because its indexes and models are open already. Otherwise the command
opens them itself.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from datetime import date
from time import perf_counter
from typing import TYPE_CHECKING, Annotated, Any

import typer

from app.agents.agent import Version
from app.cli.command_question import AnswerReport, CommandFilter, CommandQuestion, answer_events, found
from app.cli.serving.server_socket import ServerRefused, replies_of_server
from app.cli.terminal import AgentName, AsJson, fail, out, print_json, run, settings_for, table

if TYPE_CHECKING:
    from app.settings import Settings

PageUrl = Annotated[str, typer.Option("--page", help="The page the visitor is on.")]
Sources = Annotated[
    list[str] | None, typer.Option("--source", help="Only this source's pages, by its name or id. May be repeated.")
]
Below = Annotated[list[str] | None, typer.Option("--path", help="Only pages below this path, such as /docs/.")]
PageLanguage = Annotated[list[str] | None, typer.Option("--language", help="Only pages in this language, such as en.")]
Attribute = Annotated[
    list[str] | None,
    typer.Option("--attribute", help="Only documents with this attribute: NAME=VALUE. May be repeated."),
]


def _day(written: str) -> date:
    try:
        return date.fromisoformat(written)
    except ValueError:
        raise ValueError("Enter a day as 2026-01-31.") from None


Since = Annotated[
    date | None, typer.Option("--since", parser=_day, metavar="YYYY-MM-DD", help="Only pages of this day or later.")
]
Until = Annotated[
    date | None, typer.Option("--until", parser=_day, metavar="YYYY-MM-DD", help="Only pages of this day or before.")
]
Here = Annotated[bool, typer.Option("--here", help="Search in this process, even if a server uses the data folder.")]
_SHOWN = 12


def ask(
    question: Annotated[str, typer.Argument(help="What a visitor would ask.")],
    agent: AgentName = None,
    page: PageUrl = "",
    source: Sources = None,
    path: Below = None,
    language: PageLanguage = None,
    attribute: Attribute = None,
    since: Since = None,
    until: Until = None,
    here: Here = False,
    as_json: AsJson = False,
) -> None:
    """Ask an agent a question and stream its answer."""
    only = _filter(source, path, language, attribute, since, until)
    command = CommandQuestion("ask", _text_of(question), agent, page, only=only)
    report = AnswerReport(question)
    asked_at = perf_counter()

    def take(event: dict[str, Any]) -> None:
        text = report.take(event, perf_counter() - asked_at)
        if text and not as_json:
            out.print(text, end="", highlight=False, markup=False, soft_wrap=True)

    answered_in = _put(settings_for(), command, take, here=here)
    if as_json:
        print_json({**report.as_json(), "answered_in": answered_in})
    else:
        report.print_end(out)
    if report.error:
        raise typer.Exit(1)


def search(
    question: Annotated[str, typer.Argument(help="What to look for.")],
    agent: AgentName = None,
    page: PageUrl = "",
    draft: Annotated[bool, typer.Option("--draft", help="Use the draft instead of the published version.")] = False,
    source: Sources = None,
    path: Below = None,
    language: PageLanguage = None,
    attribute: Attribute = None,
    since: Since = None,
    until: Until = None,
    explain: Annotated[bool, typer.Option("--explain", help="Show every stage with its scores and times.")] = False,
    here: Here = False,
    as_json: AsJson = False,
) -> None:
    """Show which chunks an agent would answer from."""
    only = _filter(source, path, language, attribute, since, until)
    version: Version = "draft" if draft else "live"
    command = CommandQuestion("search", _text_of(question), agent, page, version, only)
    report: dict[str, Any] = {}
    answered_in = _put(settings_for(), command, report.update, here=here)
    if as_json:
        shown = report if explain else {key: value for key, value in report.items() if key != "trace"}
        print_json({"question": command.text, **shown, "answered_in": answered_in})
        return
    _print_found(report, explain=explain)


def _filter(
    sources: Sequence[str] | None,
    paths: Sequence[str] | None,
    languages: Sequence[str] | None,
    attributes: Sequence[str] | None,
    since: date | None,
    until: date | None,
) -> CommandFilter:
    """An attribute that is given several times matches any of its values."""
    named: dict[str, list[str]] = {}
    for attribute in attributes or ():
        name, equals, value = attribute.partition("=")
        if not (name and equals):
            fail(f"--attribute: {attribute!r} is not NAME=VALUE, such as edition=pro.", 2)
        named.setdefault(name, []).append(value)
    return CommandFilter(
        tuple(sources or ()),
        tuple(paths or ()),
        tuple(languages or ()),
        named,
        since.isoformat() if since else None,
        until.isoformat() if until else None,
    )


def _text_of(question: str) -> str:
    return question.strip() or fail("The question is empty.", 2)


def _put(settings: "Settings", question: CommandQuestion, take: Callable[[dict[str, Any]], None], *, here: bool) -> str:
    """Ask the question and pass each reply to `take`. Returns who answered: "server" or "command"."""
    try:
        replies = None if here else replies_of_server(settings.data, asdict(question))
        for reply in replies or ():
            take(reply)
    except ServerRefused as error:
        fail(str(error), error.code)
    if replies is None:
        run(_put_here(settings, question, take))
    return "command" if replies is None else "server"


async def _put_here(settings: "Settings", question: CommandQuestion, take: Callable[[dict[str, Any]], None]) -> None:
    from app.bootstrap.answering import open_answering, open_search
    from app.bootstrap.infrastructure import open_infrastructure

    async with open_infrastructure(settings) as base:
        if question.kind == "search":
            async with open_search(base) as search:
                take(await found(base, search, question))
            return
        async with open_answering(base) as answering:
            async for event in answer_events(base, answering, question):
                take(event)


def _print_found(found: Mapping[str, Any], *, explain: bool) -> None:
    rows = (("●" if row["is_source"] else "", *_cells(row)) for row in found["chunks"][:_SHOWN])
    out.print(table(("", "order", "conf.", "cosine", "bm25", "cover", "logit", "section"), rows))
    out.print("● used for the answer", highlight=False)
    if found["why_unsure"]:
        out.print(f"Not enough to answer: {found['why_unsure']}", highlight=False)
    else:
        out.print(f"Enough to answer: the best has {found['best']:.0%} of {found['threshold']:.0%}.", highlight=False)
    if explain:
        _print_stages(found["trace"])


def _cells(row: Mapping[str, Any]) -> list[str]:
    numbers = (row[key] for key in ("order", "confidence", "cosine", "bm25", "coverage", "logit"))
    where = " › ".join(dict.fromkeys((row["title"], *row["breadcrumb"])))
    page = " (current page)" if row["is_current_page"] else ""
    return [*("" if n is None else f"{n:.2f}" for n in numbers), f"{where}{page}\n{row['url']}"]


def _print_stages(trace: Mapping[str, Any]) -> None:
    """Print each stage with its time, what it did, and the top of the ranking after it."""
    for stage in trace["stages"]:
        facts = ", ".join(f"{key} {value}" for key, value in stage.items() if key not in {"stage", "ms", "head"})
        out.print(f"  {stage['stage']:<12}{stage['ms']:>8.1f} ms  {facts}", highlight=False)
        if stage.get("head"):
            out.print(f"{'':<26}{' '.join(stage['head'])}", style="dim", highlight=False)
    out.print(f"  a visitor's turn would find this ranking {trace['cache']} in the cache", highlight=False)
    if trace["missing"]:
        out.print(f"  unavailable: {', '.join(trace['missing'])}")
