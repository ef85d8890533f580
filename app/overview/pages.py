"""The console's first page."""

from app.overview.overview import Change, ChangeKind
from app.overview.overviews import Overviews
from app.web.console.page import MenuEntry, NoForm, Pages, Shown, Visit, page, read


class OverviewPages(Pages):
    def __init__(self, overviews: Overviews) -> None:
        self._overviews = overviews

    @page("/console", access=read, menu=MenuEntry("Overview", -20, "home"))
    async def home(self, visit: Visit[NoForm]) -> Shown:
        overview = await self._overviews.of(visit.actor)
        return Shown(
            "overview.html",
            {
                "overview": overview,
                "names": {each.agent.id: each.agent.draft.name for each in overview.agents},
                "changes": [(_WORDS[change.kind], change, _leads_to(visit, change)) for change in overview.changes],
            },
        )


_WORDS = {
    ChangeKind.PUBLISHED: "Published",
    ChangeKind.READ: "Read",
    ChangeKind.GAP_ANSWERED: "Gap closed with proof",
    ChangeKind.GAP_REOPENED: "Gap opened again",
}


def _leads_to(visit: Visit[NoForm], change: Change) -> str:
    match change.kind:
        case ChangeKind.PUBLISHED:
            return visit.url("agent_versions", agent_id=change.agent_id)
        case ChangeKind.READ:
            return visit.url("source", agent_id=change.agent_id, source_id=change.subject_id)
        case ChangeKind.GAP_ANSWERED | ChangeKind.GAP_REOPENED:
            return visit.url("gap", agent_id=change.agent_id, gap_id=change.subject_id)
