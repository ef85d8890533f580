"""Admin API: pages that read like instructions to an assistant."""

from typing import Annotated

from pydantic import Field

from app.core.actor import Actor
from app.knowledge.chunk_contexts import ContextEstimate
from app.knowledge.document import PageReview, QuarantinedPage
from app.knowledge.injection_scan import Finding
from app.knowledge.quarantine import PageQuarantine
from app.knowledge.reindex import Reindexing
from app.web.operation import Api, Call, ListOut, ListQuery, Model, get, post, read, write

TAG = "Quarantine"


class FindingOut(Model, shows=Finding, fields="kind excerpt"): ...


class QuarantinedPageOut(
    Model, shows=QuarantinedPage, fields="document_id source_id url title findings is_held found_at"
): ...


class PlacedFindingOut(FindingOut):
    breadcrumb: Annotated[tuple[str, ...], "Headings from the top of the page down to the passage."]
    passage: Annotated[str | None, "The passage that contains the finding; null for text that is hidden from readers."]

    @classmethod
    def at(cls, review: PageReview, finding: Finding) -> "PlacedFindingOut":
        found = review.passage_of(finding)
        breadcrumb, passage = (found.breadcrumb, found.text) if found else ((), None)
        return cls.showing(finding, breadcrumb=breadcrumb, passage=passage)


class PageReviewOut(QuarantinedPageOut):
    findings: tuple[PlacedFindingOut, ...]

    @classmethod
    def of_review(cls, review: PageReview) -> "PageReviewOut":
        placed = [PlacedFindingOut.at(review, finding) for finding in review.page.findings]
        return cls.showing(review.page, findings=placed)


class PageReviewsOut(Model):
    versions: Annotated[tuple[PageReviewOut, ...], "Latest first: a held version, a live version, or both."]


class ReindexEstimateOut(
    Model, shows=ContextEstimate, fields="documents chunks to_write prompt_tokens cached_tokens answer_tokens price"
):
    price: float | None = Field(description="The most that it costs; null if no price of tokens is set.")


class AdminReindex(Api):
    tag = "Agents"
    _reindexing: Reindexing

    @get("/v1/agents/{agent_id}/reindex", "Estimate what indexing the agent again costs", access=read)
    async def estimate_reindex(self, call: Call[Actor, None]) -> ReindexEstimateOut:
        found = await self._reindexing.estimate(call.caller, call.path_id("agent_id"))
        return ReindexEstimateOut.showing(found.contexts, price=found.price)

    @post(
        "/v1/agents/{agent_id}/reindex",
        "Have a worker write the contexts that are missing, and refill both indexes",
        access=write,
    )
    async def start_reindex(self, call: Call[Actor, None]) -> None:
        await self._reindexing.start(call.caller, call.path_id("agent_id"))


class AdminQuarantine(Api):
    tag = TAG
    _quarantine: PageQuarantine

    @get(
        "/v1/agents/{agent_id}/quarantine",
        "List pages that read like instructions to an assistant and await review, latest first",
        access=read,
    )
    async def list_quarantine(self, call: Call[Actor, ListQuery]) -> ListOut[QuarantinedPageOut]:
        page = await self._quarantine.pages(call.caller, call.path_id("agent_id"), call.input.page)
        return ListOut[QuarantinedPageOut].showing(page)

    @get(
        "/v1/documents/{document_id}/findings",
        "List a page's open findings, each with its passage",
        access=read,
    )
    async def get_findings(self, call: Call[Actor, None]) -> PageReviewsOut:
        found = await self._quarantine.reviews(call.caller, call.path_id("document_id"))
        return PageReviewsOut(versions=tuple(map(PageReviewOut.of_review, found)))

    @post(
        "/v1/documents/{document_id}/release",
        "Release a page: nothing is wrong with it, and a held text goes live",
        access=write,
    )
    async def release_document(self, call: Call[Actor, None]) -> None:
        await self._quarantine.release(call.caller, call.path_id("document_id"))

    @post(
        "/v1/documents/{document_id}/dismiss",
        "Dismiss a page's findings: held text stays out until the page changes, live text stays live",
        access=write,
    )
    async def dismiss_document(self, call: Call[Actor, None]) -> None:
        await self._quarantine.dismiss(call.caller, call.path_id("document_id"))
