"""Admin API: a visitor's data, shown or erased at their request."""

from base64 import b64encode
from datetime import datetime
from typing import Any, Final, get_type_hints
from uuid import UUID

from pydantic import Field, conlist, create_model

from app.conversations.api.conversations import TAG, NoteOut, VisitorDeviceOut
from app.conversations.api.widget_models import CitationOut, ConfirmationOut
from app.conversations.live_chat import LiveMessage
from app.conversations.privacy.erasure import Erasure
from app.conversations.privacy.visitor_data import VisitorData
from app.conversations.privacy.visitor_export import ExportedConversation, ExportedTurn, Feedback, VisitorExport
from app.core.actor import Actor
from app.core.turn import StoredTurn
from app.core.visitor_attribute import VisitorAttribute
from app.store.tables import tables_of_visitors
from app.web.operation import Api, Call, Model, delete, get, mirrors, read, with_fields, write


@mirrors(Feedback, "rating comment created_at updated_at")
class ExportedFeedbackOut(Model):
    pass


@mirrors(
    StoredTurn,
    "id question answer page_url state answered_by created_at ended_at citations feedback confirmation",
)
class ExportedTurnOut(Model):
    citations: tuple[CitationOut, ...]
    feedback: ExportedFeedbackOut | None
    confirmation: ConfirmationOut | None = Field(description="What the visitor was asked to confirm.")

    @classmethod
    def showing(cls, exported: ExportedTurn) -> "ExportedTurnOut":
        return super().showing(exported.turn, exported)


@mirrors(LiveMessage, "author name text created_at picture")
class ExportedLiveMessageOut(Model):
    picture: str | None = Field(description="The picture as WebP in Base64, if the message is one.")

    @classmethod
    def showing(cls, message: LiveMessage) -> "ExportedLiveMessageOut":
        body = message.picture.body if message.picture else None
        return super().showing(message, picture=b64encode(body).decode("ascii") if body else None)


class ExportedConversationOut(Model):
    id: UUID
    created_at: datetime
    last_active_at: datetime
    cleared_at: datetime | None
    turns: tuple[ExportedTurnOut, ...] = Field(description="Oldest first.")
    live_messages: tuple[ExportedLiveMessageOut, ...] = Field(description="Messages of the live chat, oldest first.")
    device: VisitorDeviceOut | None = Field(description="The device on which the conversation began, if it was stored.")
    chat_rating: str | None = Field(description="The visitor's rating of the live chat: up, down, or null.")
    labels: tuple[str, ...] = Field(description="Labels set by operators; empty for visitors.")
    notes: tuple[NoteOut, ...] = Field(description="Notes by operators; empty for visitors.")

    @classmethod
    def showing(cls, exported: ExportedConversation) -> "ExportedConversationOut":
        turns = tuple(map(ExportedTurnOut.showing, exported.turns))
        written = tuple(map(ExportedLiveMessageOut.showing, exported.live_messages))
        return super().showing(exported, exported.conversation, turns=turns, live_messages=written)


@mirrors(VisitorAttribute, "name value is_signed")
class VisitorAttributeOut(Model):
    pass


_COUNTED: Final = [kind for kind in tables_of_visitors().values() if kind.counted_as]


def _listed(exported: type[Any], meaning: str | None) -> Any:
    """The field of an export for a table that declares one."""
    row = create_model(f"{exported.__name__}Out", __base__=Model, **get_type_hints(exported))
    return conlist(row), Field(description=f"{meaning} Oldest first.")


@with_fields({kind.counted_as: _listed(kind.exported, kind.meaning) for kind in _COUNTED if kind.exported})
class VisitorExportOut(Model):
    visitor_id: UUID
    user_id: str | None = Field(description="The visitor's id on the website, signed by its server.")
    attributes: tuple[VisitorAttributeOut, ...] = Field(description="The latest attributes that the website sent.")
    agent_id: UUID
    first_seen_at: datetime
    exported_at: datetime
    conversations: tuple[ExportedConversationOut, ...] = Field(description="Oldest first, including cleared ones.")

    @classmethod
    def showing(cls, export: VisitorExport) -> "VisitorExportOut":
        conversations = tuple(map(ExportedConversationOut.showing, export.conversations))
        others = {"visitor_id": export.visitor.id, "conversations": conversations, **export.left}
        return super().showing(export, export.visitor, **others)


@with_fields({kind.counted_as: (int, Field(description=kind.meaning)) for kind in _COUNTED})
class ErasedRowsOut(Model):
    conversations: int
    turns: int
    gaps: int = Field(description="Gaps that only this visitor asked. Other gaps keep the questions of other visitors.")
    gap_questions: int
    stale_answers: int = Field(
        description="Stale answers that only this visitor got. Others keep their other visitors."
    )
    stale_tellings: int


@mirrors(Erasure, "id erased_at rows")
class ErasureOut(Model):
    """The receipt. Only the audit log mentions it, and nothing stored links it to the visitor."""

    rows: ErasedRowsOut


class AdminVisitors(Api):
    tag = TAG

    def __init__(self, data: VisitorData) -> None:
        self._data = data

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
