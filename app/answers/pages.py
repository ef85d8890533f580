"""The agent asked as a visitor would ask it, draft beside live."""

import asyncio
from typing import Any

from pydantic import Field

from app.agents.agent import Version
from app.agents.agents import Agents
from app.answers.api.playground import MAX_QUESTION_CHARS
from app.answers.playground import Playground, PlaygroundAnswer, PlaygroundQuestion
from app.conversations.api.page_context import MAX_BYTES, flattened
from app.core.field_rules import check_http_url, check_language, check_text
from app.web.access import read, write
from app.web.console.page import Form, MenuEntry, NoForm, Pages, Shown, Visit, action, page
from app.web.console.trace_view import found_by_search, stages_of

_FOUND = 10


class PlaygroundForm(Form):
    question: str = Field(max_length=MAX_QUESTION_CHARS)
    page_url: str = Field(default="", max_length=2048)
    language: str | None = Field(default=None, max_length=3)
    page_context: str = Field(default="", max_length=MAX_BYTES)


class PlaygroundPages(Pages):
    def __init__(self, playground: Playground, agents: Agents) -> None:
        self._playground = playground
        self._agents = agents

    @page("/console/agents/{agent_id}/playground", access=read, menu=MenuEntry("Playground", 30, "play"))
    async def playground(self, visit: Visit[NoForm]) -> Shown:
        return Shown("playground.html", {"asked": PlaygroundForm(question=""), "told": ()})

    @action("/console/agents/{agent_id}/playground", access=write, shown_on="playground", under="playground")
    async def ask_playground(self, visit: Visit[PlaygroundForm]) -> Shown:
        given = visit.input
        check_text("question", given.question, MAX_QUESTION_CHARS, may_be_empty=False)
        if given.page_url:
            check_http_url("page_url", given.page_url)
        check_language("language", given.language)
        asked = PlaygroundQuestion(
            given.question, given.page_url, given.language, flattened(given.page_context or None)
        )
        versions = visit.agent.versions
        answers = await asyncio.gather(
            *(self._playground.ask(visit.agent.workspace_id, visit.agent.id, asked, version) for version in versions)
        )
        await self._agents.tried(visit.actor, visit.agent.id)
        told = [_told(version, answer) for version, answer in zip(versions, answers, strict=True)]
        return Shown("playground.html", {"asked": given, "told": told})


def _told(version: Version, answer: PlaygroundAnswer) -> dict[str, Any]:
    return {
        "version": version,
        "answer": answer,
        "found": found_by_search(answer.search, _FOUND) if answer.search else (),
        "stages": stages_of(answer.search["trace"]) if answer.search else (),
    }
