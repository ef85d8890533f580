"""Replies that operators saved: listed, written, changed, deleted."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Final
from uuid import UUID, uuid4

from pydantic import Field

from app.agents.agents import Agents
from app.conversations.people.live_chat import MAX_TEXT_CHARS
from app.conversations.people.saved_replies import SavedReplies
from app.conversations.people.saved_reply import MAX_TITLE_CHARS, VARIABLES, SavedReply
from app.core.list_page import PageRequest
from app.web.console.page import Form, Go, NoForm, Pages, Shown, Visit, action, page, read, write

_AGENTS: Final = 200


class SavedReplyForm(Form):
    title: str = Field(max_length=MAX_TITLE_CHARS)
    text: str = Field(max_length=MAX_TEXT_CHARS)
    agent: UUID | None = None

    def written(self, reply: SavedReply) -> SavedReply:
        return replace(reply, title=self.title, text=self.text, agent_id=self.agent)


class SavedReplyPages(Pages):
    def __init__(self, replies: SavedReplies, agents: Agents) -> None:
        self._replies = replies
        self._agents = agents

    @page("/console/saved-replies", access=read, under="live")
    async def saved_replies(self, visit: Visit[NoForm]) -> Shown:
        replies = await self._replies.of_workspace(visit.actor)
        return await self._shown(visit, "saved_replies.html", {"replies": replies})

    @action("/console/saved-replies", access=write, shown_on="saved_replies")
    async def add_saved_reply(self, visit: Visit[SavedReplyForm]) -> Go:
        blank = SavedReply(uuid4(), visit.actor.workspace_id, None, "", "")
        await self._replies.create(visit.actor, visit.input.written(blank))
        return Go(visit.url("saved_replies"), "The reply is saved.")

    @page("/console/saved-replies/{reply_id}", access=read, under="live")
    async def saved_reply(self, visit: Visit[NoForm]) -> Shown:
        reply = await self._replies.get(visit.actor, visit.path_id("reply_id"))
        return await self._shown(visit, "saved_reply.html", {"reply": reply})

    @action("/console/saved-replies/{reply_id}", access=write, shown_on="saved_reply")
    async def save_saved_reply(self, visit: Visit[SavedReplyForm]) -> Go:
        await self._replies.change(visit.actor, visit.path_id("reply_id"), visit.input.written)
        return Go(visit.url("saved_replies"), "The reply is saved.")

    @action("/console/saved-replies/{reply_id}/delete", access=write, shown_on="saved_reply")
    async def delete_saved_reply(self, visit: Visit[NoForm]) -> Go:
        await self._replies.delete(visit.actor, visit.path_id("reply_id"))
        return Go(visit.url("saved_replies"), "The reply is deleted.")

    async def _shown(self, visit: Visit[NoForm], template: str, values: dict[str, Any]) -> Shown:
        agents = (await self._agents.page(visit.actor, PageRequest(_AGENTS))).items
        names: Sequence[tuple[str, str]] = [(str(agent.id), agent.draft.name) for agent in agents]
        told = {"agent_options": [("", "All agents"), *names], "agent_names": dict(names), "variables": VARIABLES}
        return Shown(template, {**told, **values})
