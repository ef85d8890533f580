"""The visitor API: visitors see what is kept of them, and have it erased."""

from collections.abc import Sequence

from app.operating.visitor_data import VisitorData
from app.web.access import VisitorAccess, VisitorCaller
from app.web.endpoint import AnyEndpoint, Call, Endpoint
from app.web.visitor_models import ErasureOut, VisitorExportOut

PATH = "/v1/widget/me"
TAG = "Visitors"


class WidgetMe:
    """Whose data it is says the visitor token alone."""

    def __init__(self, data: VisitorData, access: VisitorAccess) -> None:
        self._data = data
        self._access = access

    def endpoints(self) -> Sequence[AnyEndpoint]:
        return (
            Endpoint(
                "GET",
                f"{PATH}/export",
                "exportMe",
                "All that is kept of the visitor, as one document",
                TAG,
                self._access,
                self.export,
                response_model=VisitorExportOut,
            ),
            Endpoint(
                "DELETE",
                PATH,
                "eraseMe",
                "Erase all that is kept of the visitor; a receipt counts it",
                TAG,
                self._access,
                self.erase,
                response_model=ErasureOut,
                codes=("overloaded",),
            ),
        )

    async def export(self, call: Call[VisitorCaller, None]) -> VisitorExportOut:
        return VisitorExportOut.of(await self._data.export_own(call.caller.session))

    async def erase(self, call: Call[VisitorCaller, None]) -> ErasureOut:
        return ErasureOut.of(await self._data.erase_own(call.caller.session))
