"""Admin API: questions for visitors to begin with."""

from collections.abc import Sequence

from pydantic import Field

from app.operating.actor import Actor
from app.operating.starter_suggestions import SUGGESTED, StarterSuggestions
from app.web.admin_access import AdminAccess
from app.web.admin_agents import TAG
from app.web.endpoint import AnyEndpoint, Call, Endpoint, Model


class StarterSuggestionOut(Model):
    question: str
    url: str = Field(description="Of the page that answers it.")
    title: str


class StarterSuggestionsOut(Model):
    items: tuple[StarterSuggestionOut, ...] = Field(description=f"{SUGGESTED} at most.")


class AdminStarterSuggestions:
    def __init__(self, suggestions: StarterSuggestions, access: AdminAccess) -> None:
        self._suggestions = suggestions
        self._access = access

    def endpoints(self) -> Sequence[AnyEndpoint]:
        return (
            Endpoint(
                "GET",
                "/v1/agents/{agent_id}/starter-suggestions",
                "suggestStarterPrompts",
                "Questions that the learnt pages ask and answer, for starter_prompts; without those that the draft has",
                TAG,
                self._access.read,
                self.suggest,
                response_model=StarterSuggestionsOut,
                codes=("not_found",),
            ),
        )

    async def suggest(self, call: Call[Actor, None]) -> StarterSuggestionsOut:
        found = await self._suggestions.of_agent(call.caller, call.path_id("agent_id"))
        return StarterSuggestionsOut(items=tuple(map(StarterSuggestionOut.model_validate, found)))
