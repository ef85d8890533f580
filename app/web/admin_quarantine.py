"""Admin API: pages that read like instructions to an assistant."""

from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

from pydantic import Field

from app.domain.document import QuarantinedPage
from app.domain.page_lint import FindingKind
from app.operating.actor import Actor
from app.operating.quarantine import PageQuarantine
from app.web.admin_access import AdminAccess
from app.web.endpoint import AnyEndpoint, Call, Endpoint, Model
from app.web.list_models import ListOut, ListQuery, listed

TAG = "Quarantine"


class FindingOut(Model):
    kind: FindingKind
    excerpt: str = Field(description="The text around the sign. Show it as text: it is the page's.")


class QuarantinedPageOut(Model):
    document_id: UUID
    source_id: UUID
    url: str
    title: str
    findings: tuple[FindingOut, ...]
    is_held: bool = Field(description="Its new text is not answered from; false: it is live, and listed.")
    found_at: datetime

    @classmethod
    def of(cls, page: QuarantinedPage) -> "QuarantinedPageOut":
        return cls.model_validate(page)


class AdminQuarantine:
    def __init__(self, quarantine: PageQuarantine, access: AdminAccess) -> None:
        self._quarantine = quarantine
        self._access = access

    def endpoints(self) -> Sequence[AnyEndpoint]:
        return (
            Endpoint(
                "GET",
                "/v1/agents/{agent_id}/quarantine",
                "listQuarantine",
                "Pages that read like instructions to an assistant and that no operator has looked at, latest first",
                TAG,
                self._access.read,
                self.list,
                input_model=ListQuery,
                response_model=ListOut[QuarantinedPageOut],
                codes=("not_found",),
            ),
            Endpoint(
                "POST",
                "/v1/documents/{document_id}/release",
                "releaseDocument",
                "There is nothing wrong with the page: a worker makes a held text live",
                TAG,
                self._access.write,
                self.release,
                status=204,
                codes=("not_found",),
            ),
            Endpoint(
                "POST",
                "/v1/documents/{document_id}/dismiss",
                "dismissDocument",
                "The page was seen: a held text stays out until the page changes, a live one stays live",
                TAG,
                self._access.write,
                self.dismiss,
                status=204,
                codes=("not_found",),
            ),
        )

    async def list(self, call: Call[Actor, ListQuery]) -> ListOut[QuarantinedPageOut]:
        page = await self._quarantine.of_agent(call.caller, call.path_id("agent_id"), call.input.page)
        return listed(ListOut[QuarantinedPageOut], page, QuarantinedPageOut.of)

    async def release(self, call: Call[Actor, None]) -> None:
        await self._quarantine.release(call.caller, call.path_id("document_id"))

    async def dismiss(self, call: Call[Actor, None]) -> None:
        await self._quarantine.dismiss(call.caller, call.path_id("document_id"))
