"""Admin API: what another reading of a source would cost."""

from pydantic import Field

from app.operating.actor import Actor
from app.operating.reading_preview import ReadingPreviews
from app.web.access import write
from app.web.admin_sources import TAG
from app.web.endpoint import Api, Call, post
from app.web.model import Model


class PreviewOut(Model):
    pages_known: int = Field(description="Pages of the last whole reading.")
    pages_listed: int = Field(description="Pages that sitemaps or feed list now.")
    pages_to_ask: int = Field(description="Pages that would be asked for; what has not changed costs a header each.")
    pages_new: int = Field(description="Of them, those never read.")
    pages_changed: int = Field(description="Of them, those listed with a later date than our reading.")
    chunks_known: int
    chunks_expected: int | None = Field(description="To embed, of new and changed pages; null while nothing is known.")
    chunks_at_most: int | None = Field(
        description="To embed, if every page had changed that is not listed as unchanged."
    )
    problems: tuple[str, ...] = Field(description="Lists that could not be read, each with its reason.")


class AdminPreviews(Api):
    tag = TAG

    def __init__(self, previews: ReadingPreviews) -> None:
        self._previews = previews

    @post(
        "/v1/sources/{source_id}/preview",
        "What another reading would cost; nothing is embedded or stored",
        access=write,
        codes=("not_found", "invalid_request"),
    )
    async def preview_reading(self, call: Call[Actor, None]) -> PreviewOut:
        return PreviewOut.model_validate(await self._previews.of(call.caller, call.path_id("source_id")))
