"""The console's page for starter questions: candidates are questions that the pages themselves ask."""

from dataclasses import replace
from typing import Final

from pydantic import Field

from app.agents.agent import AgentConfig
from app.agents.agents import Agents
from app.core.setting import settings_of
from app.knowledge.starter_suggestions import StarterSuggestions
from app.web.console.filters import plural
from app.web.console.page import Form, Go, NoForm, Pages, Shown, Visit, action, page, write

_TICKED: Final = 4  # if the agent has none so far


class QuestionsForm(Form):
    starter_prompts: tuple[str, ...] = Field(default=(), max_length=100)
    own: tuple[str, ...] = ()

    @property
    def all(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys((*self.starter_prompts, *self.own)))


class FirstQuestionPages(Pages):
    def __init__(self, agents: Agents, suggestions: StarterSuggestions) -> None:
        self._agents = agents
        self._suggestions = suggestions

    @page("/console/agents/{agent_id}/settings/questions", access=write, under="agent_settings")
    async def first_questions(self, visit: Visit[NoForm]) -> Shown:
        suggested = await self._suggestions.suggestions(visit.actor, visit.agent.id)
        chosen = visit.agent.draft.starter_prompts
        told = {
            "chosen": chosen,
            "suggested": suggested,
            "ticked": 0 if chosen else _TICKED,
            "most": settings_of(AgentConfig)["starter_prompts"].most,
        }
        return Shown("knowledge/pages/first_questions.html", told)

    @action("/console/agents/{agent_id}/settings/questions", access=write, shown_on="first_questions")
    async def set_first_questions(self, visit: Visit[QuestionsForm]) -> Go:
        questions = visit.input.all
        await self._agents.change_draft(
            visit.actor, visit.agent.id, lambda draft: replace(draft, starter_prompts=questions)
        )
        told = "Starter questions removed." if not questions else f"{plural(len(questions), 'starter question')} saved."
        return Go(visit.url("agent_versions"), f"{told} Publish the draft to apply it.")
