"""The console's pages on what an agent knows: starter questions, whose candidates the pages themselves ask; texts that
read like instructions to an assistant; and indexing again, with what it would cost.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from pydantic import Field

from app.agents.agent import AgentConfig
from app.agents.agents import Agents
from app.core.errors import NotFound
from app.core.setting import settings_of
from app.core.text.untrusted_text import without_controls
from app.knowledge.document import PageReview, QuarantinedPage
from app.knowledge.injection_scan import IN_WORDS
from app.knowledge.quarantine import PageQuarantine, quarantined_pages
from app.knowledge.reindex import Reindexing
from app.knowledge.starter_suggestions import StarterSuggestions
from app.web.console.filters import plural
from app.web.console.page import Form, Go, ListWanted, NoForm, Pages, Shown, Visit, action, page, read, write

_TICKED: Final = 4  # if the agent has none so far


class QuestionsForm(Form):
    starter_prompts: tuple[str, ...] = Field(default=(), max_length=100)
    own: tuple[str, ...] = ()

    @property
    def all(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys((*self.starter_prompts, *self.own)))


class FirstQuestionPages(Pages):
    _agents: Agents
    _suggestions: StarterSuggestions

    @page("/console/agents/{agent_id}/settings/questions", access=write, under="agent_settings")
    async def first_questions(self, visit: Visit[NoForm]) -> Shown:
        suggested = await self._suggestions.suggestions(visit.actor, visit.agent.id)
        chosen = visit.agent.draft.starter_prompts
        context = {
            "chosen": chosen,
            "suggested": suggested,
            "ticked": 0 if chosen else _TICKED,
            "most": settings_of(AgentConfig)["starter_prompts"].most,
        }
        return Shown("knowledge/pages/first_questions.html", context)

    @action("/console/agents/{agent_id}/settings/questions", access=write, shown_on="first_questions")
    async def set_first_questions(self, visit: Visit[QuestionsForm]) -> Go:
        questions = visit.input.all
        await self._agents.change_draft(
            visit.actor, visit.agent.id, lambda draft: replace(draft, starter_prompts=questions)
        )
        outcome = (
            "Starter questions removed." if not questions else f"{plural(len(questions), 'starter question')} saved."
        )
        return Go(visit.url("agent_versions"), f"{outcome} Publish the draft to apply it.")


_SHOWN: Final = 50


class QuarantinePages(Pages):
    _quarantine: PageQuarantine

    @page("/console/agents/{agent_id}/quarantine", access=read, under="sources", waiting=quarantined_pages)
    async def quarantine(self, visit: Visit[ListWanted]) -> Shown:
        page = await self._quarantine.pages(visit.actor, visit.agent.id, visit.input.part(_SHOWN))
        context = {"page": page, "wanted": visit.input, "in_words": IN_WORDS}
        return Shown("knowledge/pages/quarantine.html", context)

    @page("/console/agents/{agent_id}/quarantine/{document_id}", access=read, under="sources")
    async def quarantined_page(self, visit: Visit[NoForm]) -> Shown:
        return Shown(
            "knowledge/pages/quarantined_page.html", {"reviews": await self._reviews(visit), "in_words": IN_WORDS}
        )

    @action("/console/agents/{agent_id}/quarantine/{document_id}/release", access=write, shown_on="quarantined_page")
    async def release_page(self, visit: Visit[NoForm]) -> Go:
        page = (await self._reviews(visit))[0].page
        await self._quarantine.release(visit.actor, page.document_id)
        outcome = "released. A worker makes its text live" if page.is_held else "marked as safe"
        return Go(visit.url("quarantine"), f"{_name(page)} {outcome}.")

    @action("/console/agents/{agent_id}/quarantine/{document_id}/dismiss", access=write, shown_on="quarantined_page")
    async def dismiss_page(self, visit: Visit[NoForm]) -> Go:
        page = (await self._reviews(visit))[0].page
        await self._quarantine.dismiss(visit.actor, page.document_id)
        outcome = "stays out until its text changes" if page.is_held else "dismissed; it stays live"
        return Go(visit.url("quarantine"), f"{_name(page)} {outcome}.")

    async def _reviews(self, visit: Visit[Form]) -> Sequence[PageReview]:
        """Only for this agent's pages. Raises NotFound."""
        found = await self._quarantine.reviews(visit.actor, visit.path_id("document_id"))
        if found[0].agent_id != visit.agent.id:
            raise NotFound("page with open findings")
        return found


def _name(page: QuarantinedPage) -> str:
    return without_controls(page.title or page.url)


_PATH = "/console/agents/{agent_id}/reindex"


class ReindexPages(Pages):
    _reindexing: Reindexing

    @page(_PATH, access=write, under="sources")
    async def reindex(self, visit: Visit[NoForm]) -> Shown:
        found = await self._reindexing.estimate(visit.actor, visit.agent.id)
        return Shown("knowledge/pages/reindexing.html", {"contexts": found.contexts, "price": found.price})

    @action(_PATH, access=write, shown_on="reindex", under="sources")
    async def start_reindex(self, visit: Visit[NoForm]) -> Go:
        await self._reindexing.start(visit.actor, visit.agent.id)
        return Go(visit.url("sources"), "A worker indexes the agent again. Answers may find less until it is done.")
