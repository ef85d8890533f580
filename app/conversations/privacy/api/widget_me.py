"""The visitor API: visitors see, export and erase their data."""

from pydantic import Field

from app.conversations.privacy.api.visitors import ErasureOut, VisitorExportOut
from app.conversations.privacy.visitor_data import VisitorData
from app.conversations.transcripts import Transcripts
from app.kit.limits.rate_limiter import Limit, RateLimiter
from app.web.limits_policy import a_day
from app.web.operation import Api, Call, Model, VisitorCaller, delete, get, post, visitor

TAG = "Visitors"
_ONCE_AN_HOUR = Limit(count=1, seconds=3600)
_MOST_A_DAY = 5


class WidgetMe(Api):
    """Only the visitor token determines whose data it is."""

    tag = TAG

    def __init__(self, data: VisitorData) -> None:
        self._data = data

    @get("/v1/widget/me/export", "Export everything stored about the visitor, as one document", access=visitor)
    async def export_me(self, call: Call[VisitorCaller, None]) -> VisitorExportOut:
        return VisitorExportOut.showing(await self._data.export_own(call.caller.session))

    @delete(
        "/v1/widget/me",
        "Erase everything stored about the visitor; returns a receipt with counts",
        access=visitor,
        codes=("overloaded",),
    )
    async def erase_me(self, call: Call[VisitorCaller, None]) -> ErasureOut:
        return ErasureOut.showing(await self._data.erase_own(call.caller.session))


class TranscriptOut(Model):
    text: str = Field(description="The conversation with its sources; only its end if it is very long.")
    mails_to: str | None = Field(description="The address that sendOwnTranscript sends it to; null if it cannot.")


class WidgetTranscripts(Api):
    """Calls contain no address: transcripts go to the one that the visitor's website has signed."""

    tag = TAG

    def __init__(self, transcripts: Transcripts, limiter: RateLimiter) -> None:
        self._transcripts = transcripts
        self._limiter = limiter

    @get("/v1/widget/transcript", "Get the conversation as text", access=visitor, codes=("not_found",))
    async def get_own_transcript(self, call: Call[VisitorCaller, None]) -> TranscriptOut:
        text, mails_to = await self._transcripts.own(call.caller.session)
        return TranscriptOut(text=text, mails_to=mails_to)

    @post(
        "/v1/widget/transcript",
        "Send this conversation by mail to the address that the website has signed for the visitor; once an hour",
        access=visitor,
        codes=("not_found",),
    )
    async def send_own_transcript(self, call: Call[VisitorCaller, None]) -> None:
        session = call.caller.session
        if await self._transcripts.own_address(session) is not None:
            await self._limiter.hit(_ONCE_AN_HOUR, "transcript", str(session.conversation_id))
            await self._limiter.hit(a_day(_MOST_A_DAY), "transcripts", str(session.visitor_id))
        await self._transcripts.send_own(session)
