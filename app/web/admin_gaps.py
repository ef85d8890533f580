"""Admin API: gaps."""

from collections.abc import Awaitable, Callable, Sequence
from datetime import datetime
from uuid import UUID

from pydantic import Field

from app.domain.gap import Gap, GapFilter, GapOrder, GapReason, GapState
from app.operating.actor import Actor
from app.operating.gaps import MAX_NOTE_CHARS, Gaps
from app.web.admin_access import AdminAccess
from app.web.endpoint import AnyEndpoint, Call, Endpoint, Model
from app.web.list_models import ListOut, ListQuery, listed
from app.web.moments import Moment

TAG = "Gaps"


class GapFilterQuery(Model):
    state: GapState | None = Field(default=None, description="Every state when left out.")
    reason: GapReason | None = Field(default=None, description="What gave it away last.")
    language: str | None = Field(default=None, pattern="^[a-z]{2,3}$", description="Asked in it, at least once.")
    since: Moment | None = Field(default=None, description="Asked then or later.")

    text: str | None = Field(default=None, min_length=1, max_length=200, description="Stands in the question.")

    @property
    def only(self) -> GapFilter:
        return GapFilter(self.reason, self.language, self.since, self.text)


class GapsQuery(GapFilterQuery, ListQuery):
    sort: GapOrder = Field(
        default=GapOrder.ASKED,
        description="What comes first: asked most often; impact (visitors x (1 + askings of the last 7 days)); latest.",
    )


class NoteIn(Model):
    note: str = Field(default="", max_length=MAX_NOTE_CHARS)


class GapOut(Model):
    id: UUID
    agent_id: UUID
    question: str
    state: GapState
    reason: GapReason
    count: int
    first_seen: datetime
    last_seen: datetime
    note: str
    assignee: str

    @classmethod
    def of(cls, gap: Gap) -> "GapOut":
        return cls.model_validate(gap)


class AdminGaps:
    def __init__(self, gaps: Gaps, access: AdminAccess) -> None:
        self._gaps = gaps
        self._access = access

    def endpoints(self) -> Sequence[AnyEndpoint]:
        return (
            Endpoint(
                "GET",
                "/v1/agents/{agent_id}/gaps",
                "listGaps",
                "Questions that could not be answered",
                TAG,
                self._access.read,
                self.of_agent,
                input_model=GapsQuery,
                response_model=ListOut[GapOut],
                codes=("not_found",),
            ),
            self._settling("ignore", "ignoreGap", "It need not be answered", self._gaps.ignore),
            self._settling("reopen", "reopenGap", "It must be answered after all", self._gaps.reopen),
        )

    async def of_agent(self, call: Call[Actor, GapsQuery]) -> ListOut[GapOut]:
        asked = call.input
        page = await self._gaps.of_agent(
            call.caller, call.path_id("agent_id"), asked.state, asked.page, asked.only, asked.sort
        )
        return listed(ListOut[GapOut], page, GapOut.of)

    def _settling(
        self, verb: str, operation: str, summary: str, settle: Callable[[Actor, UUID, str], Awaitable[Gap]]
    ) -> AnyEndpoint:
        async def handler(call: Call[Actor, NoteIn]) -> GapOut:
            return GapOut.of(await settle(call.caller, call.path_id("gap_id"), call.input.note))

        return Endpoint(
            "POST",
            f"/v1/gaps/{{gap_id}}/{verb}",
            operation,
            summary,
            TAG,
            self._access.write,
            handler,
            input_model=NoteIn,
            is_input_optional=True,
            response_model=GapOut,
            codes=("not_found",),
        )
