"""Admin API: what is kept of a visitor, shown or erased at their request."""

from collections.abc import Sequence

from app.operating.actor import Actor
from app.operating.visitor_data import VisitorData
from app.web.admin_access import AdminAccess
from app.web.endpoint import AnyEndpoint, Call, Endpoint
from app.web.visitor_models import ErasureOut, VisitorExportOut

TAG = "Conversations"


class AdminVisitors:
    def __init__(self, data: VisitorData, access: AdminAccess) -> None:
        self._data = data
        self._access = access

    def endpoints(self) -> Sequence[AnyEndpoint]:
        return (
            Endpoint(
                "GET",
                "/v1/visitors/{visitor_id}/export",
                "exportVisitor",
                "All that is kept of a visitor, as one document",
                TAG,
                self._access.read,
                self.export,
                response_model=VisitorExportOut,
                codes=("not_found",),
            ),
            Endpoint(
                "DELETE",
                "/v1/visitors/{visitor_id}",
                "eraseVisitor",
                "Erase all that is kept of a visitor; a receipt counts it",
                TAG,
                self._access.write,
                self.erase,
                response_model=ErasureOut,
                codes=("not_found", "overloaded"),
            ),
            Endpoint(
                "DELETE",
                "/v1/conversations/{conversation_id}",
                "eraseConversation",
                "Erase one conversation; a receipt counts it",
                TAG,
                self._access.write,
                self.erase_conversation,
                response_model=ErasureOut,
                codes=("not_found", "overloaded"),
            ),
        )

    async def export(self, call: Call[Actor, None]) -> VisitorExportOut:
        return VisitorExportOut.of(await self._data.export(call.caller, call.path_id("visitor_id")))

    async def erase(self, call: Call[Actor, None]) -> ErasureOut:
        return ErasureOut.of(await self._data.erase(call.caller, call.path_id("visitor_id")))

    async def erase_conversation(self, call: Call[Actor, None]) -> ErasureOut:
        return ErasureOut.of(await self._data.erase_conversation(call.caller, call.path_id("conversation_id")))
