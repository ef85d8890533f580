"""A visitor's data in the console: an export, and erasure at a person's request."""

from uuid import UUID

from starlette.responses import JSONResponse, Response

from app.conversations.inbox import ConversationReview
from app.conversations.privacy.api import VisitorExportOut
from app.conversations.privacy.visitor_data import VisitorData
from app.core.errors import NotFound
from app.web.console.filters import plural
from app.web.console.page import Go, NoForm, Pages, Visit, action, page, read, write


class VisitorPages(Pages):
    _data: VisitorData
    _review: ConversationReview

    @page("/console/agents/{agent_id}/visitors/{visitor_id}/export", access=read, under="conversations", is_file=True)
    async def export_visitor(self, visit: Visit[NoForm]) -> Response:
        visitor_id = await self._own(visit)
        export = VisitorExportOut.showing(await self._data.export(visit.actor, visitor_id))
        name = f'attachment; filename="visitor-{visitor_id}.json"'
        return JSONResponse(
            export.model_dump(mode="json"), headers={"Content-Disposition": name, "Cache-Control": "no-store"}
        )

    @action("/console/agents/{agent_id}/visitors/{visitor_id}/erase", access=write, under="conversations")
    async def erase_visitor(self, visit: Visit[NoForm]) -> Go:
        erased = await self._data.erase(visit.actor, await self._own(visit))
        what = f"{plural(erased.rows['conversations'], 'conversation')} and {plural(erased.rows['turns'], 'turn')}"
        return Go(visit.url("conversations"), f"The visitor is erased, with {what}. Receipt: {erased.id}")

    @action("/console/agents/{agent_id}/conversations/{conversation_id}/erase", access=write, under="conversations")
    async def erase_conversation(self, visit: Visit[NoForm]) -> Go:
        thread = await self._review.thread(visit.actor, visit.path_id("conversation_id"))
        if thread.conversation.agent_id != visit.agent.id:
            raise NotFound("conversation")
        erased = await self._data.erase_conversation(visit.actor, thread.conversation.id)
        return Go(visit.url("conversations"), f"The conversation is erased. Receipt: {erased.id}")

    async def _own(self, visit: Visit[NoForm]) -> UUID:
        """The path's visitor, of the path's agent. Raises NotFound."""
        facts = await self._review.visitor(visit.actor, visit.path_id("visitor_id"))
        if facts.visitor.agent_id != visit.agent.id:
            raise NotFound("visitor")
        return facts.visitor.id
