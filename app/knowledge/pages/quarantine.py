"""The console's pages for text that reads like instructions to an assistant: findings, their passages, and the
verdict.
"""

from collections.abc import Sequence
from typing import Final

from pydantic import Field

from app.core.errors import NotFound
from app.core.list_page import PageRequest
from app.core.text.untrusted_text import without_controls
from app.knowledge.document import QuarantinedPage
from app.knowledge.injection_scan import IN_WORDS
from app.knowledge.page_review import PageReview
from app.knowledge.quarantine import PageQuarantine, quarantined_pages
from app.web.console.page import Form, Go, NoForm, Pages, Shown, Visit, action, page, read, write

_SHOWN: Final = 50


class ListWanted(Form):
    cursor: str | None = Field(default=None, max_length=512)


class QuarantinePages(Pages):
    def __init__(self, quarantine: PageQuarantine) -> None:
        self._quarantine = quarantine

    @page("/console/agents/{agent_id}/quarantine", access=read, under="sources", waiting=quarantined_pages)
    async def quarantine(self, visit: Visit[ListWanted]) -> Shown:
        page = await self._quarantine.pages(visit.actor, visit.agent.id, PageRequest(_SHOWN, visit.input.cursor))
        told = {"page": page, "wanted": visit.input, "in_words": IN_WORDS}
        return Shown("knowledge/pages/quarantine.html", told)

    @page("/console/agents/{agent_id}/quarantine/{document_id}", access=read, under="sources")
    async def quarantined_page(self, visit: Visit[NoForm]) -> Shown:
        return Shown(
            "knowledge/pages/quarantined_page.html", {"reviews": await self._reviews(visit), "in_words": IN_WORDS}
        )

    @action("/console/agents/{agent_id}/quarantine/{document_id}/release", access=write, shown_on="quarantined_page")
    async def release_page(self, visit: Visit[NoForm]) -> Go:
        page = (await self._reviews(visit))[0].page
        await self._quarantine.release(visit.actor, page.document_id)
        told = "released. A worker makes its text live" if page.is_held else "marked as safe"
        return Go(visit.url("quarantine"), f"{_name(page)} {told}.")

    @action("/console/agents/{agent_id}/quarantine/{document_id}/dismiss", access=write, shown_on="quarantined_page")
    async def dismiss_page(self, visit: Visit[NoForm]) -> Go:
        page = (await self._reviews(visit))[0].page
        await self._quarantine.dismiss(visit.actor, page.document_id)
        told = "stays out until its text changes" if page.is_held else "dismissed; it stays live"
        return Go(visit.url("quarantine"), f"{_name(page)} {told}.")

    async def _reviews(self, visit: Visit[Form]) -> Sequence[PageReview]:
        """Only for this agent's pages. Raises NotFound."""
        found = await self._quarantine.reviews(visit.actor, visit.path_id("document_id"))
        if found[0].agent_id != visit.agent.id:
            raise NotFound("page with open findings")
        return found


def _name(page: QuarantinedPage) -> str:
    return without_controls(page.title or page.url)
