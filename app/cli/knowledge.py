"""`docent crawl` and `docent reindex`."""

from collections.abc import Mapping
from dataclasses import asdict, replace
from typing import Annotated, Any
from urllib.parse import urlsplit
from uuid import UUID

import typer
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

from app.agents.agent import Agent
from app.agents.records import AgentRecords
from app.bootstrap.infrastructure import Infrastructure, open_infrastructure
from app.bootstrap.knowledge import open_knowledge
from app.cli.local_operator import known_agents, local_operator, meant_agent
from app.cli.sources.run_now import agent_for, run_now
from app.cli.sources.website_address import check_website, website_address, website_identity
from app.cli.terminal import AgentName, Allow, AsJson, err, fail, out, print_json, run, settings_for, table
from app.core.actor import Actor
from app.knowledge.chunk_contexts import ContextEstimate
from app.knowledge.unread_languages import UnreadLanguages
from app.settings import Settings
from app.sources.kinds import FEED, SITE, SITEMAP, URL
from app.sources.records import SourceRecords
from app.sources.source import Source, SourceConfig
from app.store.transaction import Transaction


async def estimate_contexts(settings: Settings, named: str | None, as_json: bool) -> None:
    """Print what contexts for the agent's chunks would cost, or for all agents if `named` is None. Calls no model."""
    found: dict[str, ContextEstimate] = {}
    async with open_infrastructure(settings) as base, open_knowledge(base) as knowledge:
        actor = await local_operator(base)
        agents = await known_agents(base, actor) if named is None else [await meant_agent(base, actor, named)]
        for agent in agents:
            found[str(agent.id)] = await knowledge.contexts.estimate(agent.id)
    total = sum(found.values(), start=ContextEstimate())
    if as_json:
        shown = {name: asdict(estimate) | {"price": _price(settings, estimate)} for name, estimate in found.items()}
        print_json({"agents": shown, "total": asdict(total) | {"price": _price(settings, total)}})
        return
    columns = ("agent", "documents", "chunks", "to write", "prompt tokens", "of them cached", "answer tokens")
    out.print(table(columns, ((name, *asdict(estimate).values()) for name, estimate in found.items())))
    price = _price(settings, total)
    out.print("Set DOCENT_MODEL_PRICE_PROMPT for a price." if price is None else f"At most {price:.2f} in all.")


def _price(settings: Settings, estimate: ContextEstimate) -> float | None:
    """In the currency of the settings; None if no price is set."""
    price = settings.prices.cost(replace(estimate.usage, model=settings.helper_model_name or settings.model_name))
    return None if price is None else round(price, 4)


def crawl(
    url: Annotated[str, typer.Argument(help="A website's root, or one page of it.")],
    agent: AgentName = None,
    page_only: Annotated[bool, typer.Option("--page", help="Read only this page.")] = False,
    as_sitemap: Annotated[bool, typer.Option("--sitemap", help="Read the pages of this sitemap.")] = False,
    as_feed: Annotated[bool, typer.Option("--feed", help="Read the pages of this feed's entries.")] = False,
    with_files: Annotated[
        bool | None,
        typer.Option("--files/--no-files", help="Whether to read linked PDF, DOCX, PPTX and XLSX files."),
    ] = None,
    max_pages: Annotated[int | None, typer.Option(min=1, help="Maximum number of pages. Default: 2,000.")] = None,
    allow: Allow = None,
    as_json: AsJson = False,
) -> None:
    """Read a website now, in this process. Creates an agent if there is none. A website that was read before keeps its
    settings, except for the options given."""
    flags = {URL: page_only, SITEMAP: as_sitemap, FEED: as_feed}
    kinds = [kind for kind, is_set in flags.items() if is_set] or [SITE]
    if len(kinds) > 1:
        fail("Choose one of --page, --sitemap and --feed.", 2)
    kind, url = kinds[0], website_address(url)
    options = {"max_pages": max_pages, "read_files": with_files}
    given = {name: option for name, option in options.items() if option is not None}
    config = SourceConfig(kind, urlsplit(url).hostname or url, url)
    run(_crawl(settings_for(crawl_allow=allow), config, given, agent, as_json))


def reindex(
    agent: AgentName = None,
    is_estimate: Annotated[
        bool, typer.Option("--estimate", help="Only estimate what contexts by the chat model would cost.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Rebuild both indexes from the stored pages. For agents whose chunks have contexts by the chat model, missing
    contexts are written first."""
    settings = settings_for()
    run(estimate_contexts(settings, agent, as_json) if is_estimate else _reindex(settings, agent, as_json))


async def _crawl(
    settings: Settings, config: SourceConfig, given: Mapping[str, Any], named: str | None, as_json: bool
) -> None:
    check_website(config.url, settings.crawl_allow)
    async with open_infrastructure(settings) as base, open_knowledge(base) as knowledge:
        actor = await local_operator(base)
        is_first = not await known_agents(base, actor)
        name = config.name
        if is_first and named is None:
            name = (await website_identity(settings, config.url)).name
        agent = await agent_for(base, knowledge, actor, named, name)
        source, is_new = await _source_for(base, actor, agent, config, given)
        reading = await run_now(base, knowledge, actor, source, as_json)
        if reading.problem is None:
            for notice in await UnreadLanguages(base.record, base.models.embedder).languages(actor, agent.id):
                err.print(notice, highlight=False, soft_wrap=True, markup=False)
            return
        kept = "What was read before is kept"
        if is_new and not reading.has_pages:

            def work(tx: Transaction) -> None:
                SourceRecords(tx).delete(agent.id, source.id)
                if is_first:
                    AgentRecords(tx).delete(actor.workspace_id, agent.id)

            await base.record.of_workspace(actor.workspace_id).write(work)
            kept = "Correct the address, or try again later; nothing was kept"
        fail(f"{config.url} was not read: {reading.problem.rstrip('.')}. {kept}.")


async def _source_for(
    base: Infrastructure, actor: Actor, agent: Agent, config: SourceConfig, given: Mapping[str, Any]
) -> tuple[Source, bool]:
    """The agent's source with this kind and URL, updated by `given` or created, and whether it is new. A known source
    is reused, so that crawling again reads only what has changed."""

    def work(tx: Transaction) -> tuple[Source, bool]:
        for source in SourceRecords(tx).sources(agent.id):
            if (source.config.kind, source.config.url) == (config.kind, config.url):
                return SourceRecords(tx).save(agent.id, source.id, replace(source.config, **given)), False
        return SourceRecords(tx).create(agent.id, replace(config, **given)), True

    return await base.record.of_workspace(actor.workspace_id).write(work)


async def _reindex(settings: Settings, named: str | None, as_json: bool) -> None:
    totals: dict[str, dict[str, int]] = {}
    notes: dict[str, str] = {}
    async with open_infrastructure(settings) as base, open_knowledge(base) as knowledge:
        chosen = None
        if named is not None:
            chosen = (await meant_agent(base, await local_operator(base), named)).id
        steps = knowledge.reindex.agent(chosen) if chosen else knowledge.reindex.all_agents()
        with Progress(TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), console=err) as progress:
            bars: dict[UUID, Any] = {}
            async for step in steps:
                if step.agent_id not in bars:
                    bars[step.agent_id] = progress.add_task(f"Agent {step.agent_id}", total=step.total)
                progress.update(bars[step.agent_id], completed=step.done)
                totals[str(step.agent_id)] = {
                    "chunks": step.total,
                    "embedded": step.embedded,
                    "contexts_written": step.contexts.written,
                    "contexts_kept": step.contexts.kept,
                    "contexts_missing": step.contexts.missing,
                }
                notes[str(step.agent_id)] = step.contexts.in_words()
    if as_json:
        print_json({"agents": totals})
    else:
        out.print(f"{sum(row['chunks'] for row in totals.values())} chunks of {len(totals)} agents indexed.")
        for note in filter(None, notes.values()):
            out.print(note, highlight=False)
