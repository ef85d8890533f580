"""Admin API: conversations of another help desk, asked again."""

from collections.abc import Sequence
from dataclasses import replace

from pydantic import Field

from app.core.actor import Actor
from app.past_questions.exports import Export
from app.past_questions.kept_questions import Kept
from app.past_questions.past_imports import MOST_BYTES, PastImports
from app.site_report.api import OrderedReportOut
from app.site_report.ordered_report import ReportKind
from app.site_report.report_orders import ReportOrders
from app.web.operation import AnyEndpoint, Api, Call, Model, example, get, post, read, write


@example(kind="csv", file="question,answer\nCan I pay by invoice?,Yes. Write to us.\n", gaps=True)
class PastConversationsIn(Model, takes=Kept, fields="top gaps answers golden"):
    kind: Export = Field(description="Whose export it is.")
    file: str = Field(min_length=1, max_length=MOST_BYTES, description="The text of the exported file.")


class AdminPastConversations(Api):
    tag = "Quality"
    _imports: PastImports
    _orders: ReportOrders

    def endpoints(self) -> Sequence[AnyEndpoint]:
        return [
            replace(each, holding=self._imports.receiving) if each.method == "POST" else each
            for each in super().endpoints()
        ]

    @post(
        "/v1/agents/{agent_id}/past-conversations",
        "Import conversations of another help desk; a worker asks their questions again. Only the questions and the "
        "team's replies are stored until then, with personal data masked",
        access=write,
        status=202,
        max_body_bytes=2 * MOST_BYTES,
        codes=("overloaded",),
    )
    async def import_past_conversations(self, call: Call[Actor, PastConversationsIn]) -> OrderedReportOut:
        given, agent_id = call.input, call.path_id("agent_id")
        return OrderedReportOut.showing(
            await self._imports.order(call.caller, agent_id, given.kind, given.file, given.made(Kept))
        )

    @get(
        "/v1/agents/{agent_id}/past-conversations",
        "Get what the latest import has shown: the questions that would have been answered, and those that would not",
        access=read,
    )
    async def get_past_conversations(self, call: Call[Actor, None]) -> OrderedReportOut:
        agent_id = call.path_id("agent_id")
        return OrderedReportOut.showing(await self._orders.report(call.caller, agent_id, ReportKind.CONVERSATIONS))
