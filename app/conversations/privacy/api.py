"""The calls about a visitor's data, shown or erased: by operators at a person's request, or by the visitor."""

from base64 import b64encode
from typing import Annotated, Any, Final, get_type_hints

from pydantic import BeforeValidator, Field, conlist, create_model

from app.conversations.api.conversations import TAG, NoteOut, VisitorDeviceOut
from app.conversations.api.widget_models import CitationOut, ConfirmationOut
from app.conversations.live_chat import LiveMessage, LivePicture
from app.conversations.privacy.rights import Erasure, ExportedConversation, ExportedTurn, Feedback, VisitorExport
from app.conversations.privacy.visitor_data import VisitorData
from app.conversations.transcripts import Transcripts
from app.core.actor import Actor
from app.core.visitor_attribute import VisitorAttribute
from app.kit.limits import RateLimiter, a_day, an_hour
from app.store.tables import tables_of_visitors
from app.web.operation import (
    Api,
    Call,
    Model,
    VisitorCaller,
    delete,
    get,
    post,
    read,
    visitor,
    write,
)


class ExportedFeedbackOut(Model, shows=Feedback, fields="rating comment created_at updated_at"): ...


class ExportedTurnOut(
    Model,
    shows=ExportedTurn,
    parts="turn",
    fields="id question answer page_url state answered_by created_at ended_at citations feedback confirmation summary",
):
    citations: tuple[CitationOut, ...]
    confirmation: Annotated[ConfirmationOut | None, "What the visitor was asked to confirm."]


def _in_base64(picture: LivePicture | str | None) -> str | None:
    if isinstance(picture, LivePicture):
        return b64encode(picture.body).decode("ascii") if picture.body else None
    return picture


class ExportedLiveMessageOut(Model, shows=LiveMessage, fields="author name text created_at picture"):
    picture: Annotated[str | None, BeforeValidator(_in_base64), "The picture as WebP in Base64, if the message is one."]


class ExportedConversationOut(
    Model,
    shows=ExportedConversation,
    parts="conversation",
    fields="id created_at last_active_at cleared_at turns live_messages device chat_rating labels notes",
):
    device: Annotated[VisitorDeviceOut | None, "The device on which the conversation began, if it was stored."]
    chat_rating: str | None
    notes: tuple[NoteOut, ...]


class VisitorAttributeOut(Model, shows=VisitorAttribute, fields="name value is_signed"): ...


_COUNTED: Final = [kind for kind in tables_of_visitors().values() if kind.counted_as]


def _listed(exported: type[Any], meaning: str | None) -> Any:
    """The field of an export for a table that declares one."""
    row = create_model(f"{exported.__name__}Out", __base__=Model, **get_type_hints(exported))
    return conlist(row), Field(description=f"{meaning} Oldest first.")


class VisitorExportOut(
    Model,
    shows=VisitorExport,
    parts="visitor",
    fields="visitor_id=visitor.id user_id attributes agent_id first_seen_at exported_at conversations",
    adds={kind.counted_as: _listed(kind.exported, kind.meaning) for kind in _COUNTED if kind.exported},
):
    @classmethod
    def showing(cls, export: VisitorExport) -> "VisitorExportOut":
        return super().showing(export, **export.left)


class ErasedRowsOut(Model, adds={kind.counted_as: (int, Field(description=kind.meaning)) for kind in _COUNTED}):
    conversations: int
    turns: int
    gaps: int = Field(description="Gaps that only this visitor asked. Other gaps keep the questions of other visitors.")
    gap_questions: int
    stale_answers: Annotated[int, "Stale answers that only this visitor got. Others keep their other visitors."]
    stale_tellings: int


class ErasureOut(Model, shows=Erasure, fields="id erased_at rows"):
    """The receipt. Only the audit log mentions it, and nothing stored links it to the visitor."""

    rows: ErasedRowsOut


class AdminVisitors(Api):
    tag = TAG
    _data: VisitorData

    @get("/v1/visitors/{visitor_id}/export", "Export everything stored about a visitor, as one document", access=read)
    async def export_visitor(self, call: Call[Actor, None]) -> VisitorExportOut:
        return VisitorExportOut.showing(await self._data.export(call.caller, call.path_id("visitor_id")))

    @delete(
        "/v1/visitors/{visitor_id}",
        "Erase everything stored about a visitor; returns a receipt with counts",
        access=write,
        codes=("overloaded",),
    )
    async def erase_visitor(self, call: Call[Actor, None]) -> ErasureOut:
        return ErasureOut.showing(await self._data.erase(call.caller, call.path_id("visitor_id")))

    @delete(
        "/v1/conversations/{conversation_id}",
        "Erase one conversation; returns a receipt with counts",
        access=write,
        codes=("overloaded",),
    )
    async def erase_conversation(self, call: Call[Actor, None]) -> ErasureOut:
        return ErasureOut.showing(await self._data.erase_conversation(call.caller, call.path_id("conversation_id")))


TAG = "Visitors"
_ONCE_AN_HOUR = an_hour(1)
_MOST_A_DAY = 5


class WidgetMe(Api):
    """Only the visitor token determines whose data it is."""

    tag = TAG
    _data: VisitorData

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
    _transcripts: Transcripts
    _limiter: RateLimiter

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
