"""Admin API: an answer to a gap, drafted by the chat model and saved by nobody."""

from datetime import date

from pydantic import Field

from app.domain.suggestion import Suggestion, SuggestionState
from app.operating.actor import Actor
from app.operating.gap_suggestions import GapSuggestions
from app.web.access import write
from app.web.admin_gaps import TAG
from app.web.endpoint import Api, Call, post
from app.web.model import Model


class SuggestedSourceOut(Model):
    url: str
    title: str
    as_of: date | None


class SuggestionOut(Model):
    state: SuggestionState = Field(
        description="drafted; not_said: the pages do not hold the answer; withheld: a filter stopped the draft."
    )
    text: str = Field(description='Fit for a curated answer\'s `answer`; "" unless drafted.')
    sources: tuple[SuggestedSourceOut, ...] = Field(description="The pages that the draft rests on.")

    @classmethod
    def of(cls, suggestion: Suggestion) -> "SuggestionOut":
        return cls.model_validate(suggestion)


class AdminGapSuggestions(Api):
    tag = TAG

    def __init__(self, suggestions: GapSuggestions) -> None:
        self._suggestions = suggestions

    @post(
        "/v1/gaps/{gap_id}/suggestion",
        "Have the chat model draft an answer from the pages; nothing is saved",
        access=write,
        codes=("not_found", "unavailable", "model_interrupted"),
    )
    async def suggest_answer(self, call: Call[Actor, None]) -> SuggestionOut:
        return SuggestionOut.of(await self._suggestions.suggest(call.caller, call.path_id("gap_id")))
