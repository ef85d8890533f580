"""One question becomes the wordings to search for."""

from collections.abc import Sequence
from typing import Final, Protocol

from app.agents.retrieval_settings import RetrievalSettings
from app.core.text.asked_details import asked_details, without_details
from app.search.retrieval import SearchQuery, Wording

_DETAIL_WEIGHT: Final = 2.0  # of the question, whose own words are on no page, or on the wrong ones


class QueryPlanner(Protocol):
    async def wordings(self, query: SearchQuery, settings: RetrievalSettings) -> Sequence[Wording]:
        """What to search for beside the question itself; [] where the question is enough, the settings do not ask
        for more, or something went wrong. Never raises what a question can go on without."""
        ...


async def planned(
    planners: Sequence[QueryPlanner], query: SearchQuery, settings: RetrievalSettings
) -> tuple[Wording, ...]:
    """The question first, then what each planner adds."""
    added = [wording for planner in planners for wording in await planner.wordings(query, settings)]
    return Wording(query.text), *added


class DetailWordings:
    """A QueryPlanner that adds what pages call the details that are asked for, where nothing else is asked."""

    async def wordings(self, query: SearchQuery, settings: RetrievalSettings) -> Sequence[Wording]:
        called = " ".join(dict.fromkeys(each.called for each in asked_details(query.text) if each.called))
        return [Wording(called, _DETAIL_WEIGHT, is_meant=False)] if called and not without_details(query.text) else []
