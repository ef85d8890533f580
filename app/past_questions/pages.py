"""The console's page for importing conversations of another help desk."""

from collections.abc import Sequence
from dataclasses import replace

from app.core.errors import InvalidInput
from app.past_questions.exports import Export
from app.past_questions.kept_questions import Kept
from app.past_questions.past_imports import MOST_BYTES, PastImports
from app.site_report.ordered_report import ReportKind
from app.site_report.report_orders import ReportOrders
from app.web.console.page import ConsolePage, Form, Go, Link, NoForm, Pages, Shown, Visit, action, page, read, write
from app.web.request_body import FORM_BYTES, FilePart

_PATH = "/console/agents/{agent_id}/past-conversations"
_LABELS = {Export.HELPSCOUT: "Help Scout", Export.CSV: "CSV: question, answer"}


class ImportForm(Form, takes=Kept, fields="top gaps answers golden"):
    kind: Export
    file: FilePart


class PastConversationPages(Pages):
    _imports: PastImports
    _orders: ReportOrders

    def pages(self) -> Sequence[ConsolePage]:
        return [
            replace(each, holding=self._imports.receiving) if each.method == "POST" else each
            for each in super().pages()
        ]

    @page(_PATH, access=read, under="gaps", link=Link("gaps", "Past conversations", 2, "talk"))
    async def past_conversations(self, visit: Visit[NoForm]) -> Shown:
        report = await self._orders.latest(visit.actor, visit.agent.id, ReportKind.CONVERSATIONS)
        kinds = [(each.value, _LABELS.get(each, each.value.capitalize())) for each in Export]
        return Shown("past_questions/past_conversations.html", {"report": report, "kinds": kinds})

    @action(_PATH, access=write, shown_on="past_conversations", max_body_bytes=MOST_BYTES + FORM_BYTES)
    async def import_past_conversations(self, visit: Visit[ImportForm]) -> Go:
        given = visit.input
        try:
            text = given.file.body.decode("utf-8-sig")
        except UnicodeDecodeError as error:
            raise InvalidInput("file", "The file is not UTF-8 text. Save it as UTF-8.") from error
        await self._imports.order(visit.actor, visit.agent.id, given.kind, text, given.made(Kept))
        return Go(visit.url("past_conversations"), "A worker is asking the questions.")
