"""Admin API: what is kept of a visitor, shown or erased at their request."""

from app.conversations.api.conversations import TAG
from app.conversations.privacy.api.visitor_models import ErasureOut, VisitorExportOut
from app.conversations.privacy.visitor_data import VisitorData
from app.core.actor import Actor
from app.web.access import read, write
from app.web.endpoint import Api, Call, delete, get


class AdminVisitors(Api):
    tag = TAG

    def __init__(self, data: VisitorData) -> None:
        self._data = data

    @get("/v1/visitors/{visitor_id}/export", "All that is kept of a visitor, as one document", access=read)
    async def export_visitor(self, call: Call[Actor, None]) -> VisitorExportOut:
        return VisitorExportOut.of(await self._data.export(call.caller, call.path_id("visitor_id")))

    @delete(
        "/v1/visitors/{visitor_id}",
        "Erase all that is kept of a visitor; a receipt counts it",
        access=write,
        codes=("overloaded",),
    )
    async def erase_visitor(self, call: Call[Actor, None]) -> ErasureOut:
        return ErasureOut.of(await self._data.erase(call.caller, call.path_id("visitor_id")))

    @delete(
        "/v1/conversations/{conversation_id}",
        "Erase one conversation; a receipt counts it",
        access=write,
        codes=("overloaded",),
    )
    async def erase_conversation(self, call: Call[Actor, None]) -> ErasureOut:
        return ErasureOut.of(await self._data.erase_conversation(call.caller, call.path_id("conversation_id")))
