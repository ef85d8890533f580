"""One question becomes the wordings to search for."""

from collections.abc import Sequence
from typing import Protocol

from app.agents.retrieval_settings import RetrievalSettings
from app.search.retrieval import SearchQuery, Wording


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
