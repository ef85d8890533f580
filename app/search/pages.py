"""The console's page on search: every retrieval setting of the draft, and a question searched with draft and live."""

import asyncio
from collections.abc import Iterable
from dataclasses import replace
from datetime import date
from typing import Any, Final
from uuid import UUID

from app.agents.agents import Agents
from app.agents.retrieval_presets import PRESETS, PresetName
from app.agents.retrieval_settings import Group, RetrievalSettings
from app.core.errors import InvalidInput
from app.core.list_page import PageRequest
from app.core.search_filter import AttributeFilter, SearchFilter
from app.quality.golden_runs import GoldenRuns
from app.search.agent_search import AgentSearch
from app.search.retrieval import SearchQuery
from app.sources.sources import Sources
from app.web.console.forms import blocks, form_fields
from app.web.console.page import Form, Go, NoForm, Pages, Shown, Visit, action, page, read, write
from app.web.console.trace_view import found_by_search, stages_of
from app.web.model import Question

_FOUND: Final = 10
_MANY: Final = PageRequest(limit=200)
_FILTER: Final = "filter_"
_IS: Final = "="


class Try(Form):
    """A question to search for, blank for none."""

    question: Question = ""


class SearchForm(Form, adds=form_fields(RetrievalSettings)):
    """The retrieval settings by their names; those of the filter begin with `filter_`."""

    filter_sources: tuple[UUID, ...] = ()
    filter_path_prefixes: tuple[str, ...] = ()
    filter_languages: tuple[str, ...] = ()
    filter_dated_from: date | None = None
    filter_dated_to: date | None = None
    filter_attributes: tuple[str, ...] = ()

    def settings(self) -> RetrievalSettings:
        """Raises InvalidInput for an attribute that is not written as "name=value"."""
        given: dict[str, Any] = dict(self)
        only = {name.removeprefix(_FILTER): given.pop(name) for name in list(given) if name.startswith(_FILTER)}
        only["attributes"] = _attributes(only["attributes"])
        return RetrievalSettings(**given, filter=SearchFilter(**only))


class PresetForm(Form):
    preset: PresetName | None = None


class SearchSettingsPages(Pages):
    _agents: Agents
    _sources: Sources
    _search: AgentSearch
    _golden: GoldenRuns

    @page("/console/agents/{agent_id}/settings/search", access=read, under="agent_settings")
    async def search_settings(self, visit: Visit[Try]) -> Shown:
        current = visit.agent.draft.retrieval
        sources = (await self._sources.sources(visit.actor, visit.agent.id, _MANY)).items
        question = visit.input.question.strip()
        golden_count, run = await self._golden.comparison(visit.actor, visit.agent.id)
        return Shown(
            "search/search_settings.html",
            {
                "contents": [(title.lower().replace(" ", "-"), title) for title in Group],
                "presets": [
                    (name.value, *_PRESET_WORDS[name], preset.onto(visit.agent.draft) == visit.agent.draft)
                    for name, preset in PRESETS.items()
                ],
                "groups": [(group.value, blocks(current, group)) for group in Group],
                "only": current.filter,
                "attributes": [
                    f"{each.name}{_IS}{value}" for each in current.filter.attributes for value in each.values
                ],
                "sources": {str(source.id): source.config.name for source in sources},
                "ticked": [str(source_id) for source_id in current.filter.sources],
                "question": question,
                "golden_count": golden_count,
                "is_published": visit.agent.live_version is not None,
                "run": run,
                "found": await self._found(visit, question) if question else (),
            },
        )

    @action("/console/agents/{agent_id}/settings/search", access=write, shown_on="search_settings")
    async def save_search_settings(self, visit: Visit[SearchForm]) -> Go:
        settings = visit.input.settings()
        try:
            await self._agents.change_draft(visit.actor, visit.agent.id, lambda c: replace(c, retrieval=settings))
        except InvalidInput as error:
            # "retrieval.filter.languages.0" is the field filter_languages.
            _, *names = error.field.split(".")
            name = _FILTER + names[1] if names[0] == "filter" else names[0]
            raise InvalidInput(name, error.message) from None
        return Go(visit.url("search_settings"), "Draft saved. Publish it to apply your changes.")

    @action("/console/agents/{agent_id}/settings/search/preset", access=write, shown_on="search_settings")
    async def set_retrieval_preset(self, visit: Visit[PresetForm]) -> Go:
        if visit.input.preset is None:
            raise InvalidInput("", "Choose a preset.")
        await self._agents.change_draft(visit.actor, visit.agent.id, PRESETS[visit.input.preset].onto)
        return Go(visit.url("search_settings"), "Draft set to the preset. Publish it to apply your changes.")

    @action("/console/agents/{agent_id}/settings/search/golden", access=write, shown_on="search_settings")
    async def compare_search_settings(self, visit: Visit[NoForm]) -> Go:
        """Ask every golden question with the draft and with the published configuration."""
        run = await self._golden.run(visit.actor, visit.agent.id)
        rest = " A worker is asking the rest." if run.is_running else ""
        outcome = f"Asked {run.asked} of {run.questions} golden questions.{rest}"
        return Go(visit.url("search_settings") + "#golden", outcome)

    async def _found(self, visit: Visit[Try], question: str) -> list[dict[str, Any]]:
        """What the draft finds, and what visitors get."""
        versions = visit.agent.versions
        reports = await asyncio.gather(
            *(
                self._search.search(visit.actor.workspace_id, visit.agent.id, SearchQuery(question), version)
                for version in versions
            )
        )
        found = [report.as_json() for report in reports]
        return [
            {
                "version": version,
                "best": each["best"],
                "why_unsure": each["why_unsure"],
                "rows": found_by_search(each, _FOUND),
                "stages": stages_of(each["trace"]),
            }
            for version, each in zip(versions, found, strict=True)
        ]


def _attributes(lines: Iterable[str]) -> tuple[AttributeFilter, ...]:
    """Parse lines of "name=value"; lines with the same name are its values. Raises InvalidInput."""
    values: dict[str, list[str]] = {}
    for line in lines:
        name, is_, value = line.partition(_IS)
        if not is_:
            raise InvalidInput("filter_attributes", f'Enter "name=value" on each line; "{line[:60]}" has no "=".')
        values.setdefault(name.strip(), []).append(value.strip())
    return tuple(AttributeFilter(name, tuple(given)) for name, given in values.items())


_PRESET_WORDS: Final = {
    PresetName.MEASURED: (
        "Measured defaults",
        "Scores are combined, all signals together give the confidence, and the threshold is 25%.",
    ),
    PresetName.REFERENCE: (
        "Reference",
        "Ranks are combined (k = 60), the reranker decides alone, and the threshold is 50.1% on its own scale. "
        "For a strong reranker of your own.",
    ),
}
