"""What is shown of a visitor's data, and of its erasure."""

from datetime import datetime
from uuid import UUID

from pydantic import Field

from app.conversations.api.conversations import NoteOut
from app.conversations.api.widget_models import CitationOut
from app.conversations.people.live_chat import Author
from app.conversations.privacy.erasure import Erasure
from app.conversations.privacy.visitor_export import ExportedConversation, ExportedTurn, VisitorExport
from app.core.turn import AnsweredBy, TurnState
from app.web.model import Model


class ExportedFeedbackOut(Model):
    rating: str
    comment: str
    created_at: datetime
    updated_at: datetime


class ExportedTurnOut(Model):
    id: UUID
    question: str
    answer: str
    page_url: str
    state: TurnState
    answered_by: AnsweredBy | None
    created_at: datetime
    ended_at: datetime | None
    citations: tuple[CitationOut, ...]
    feedback: ExportedFeedbackOut | None

    @classmethod
    def of(cls, exported: ExportedTurn) -> "ExportedTurnOut":
        turn, feedback = exported.turn, exported.feedback
        return cls(
            id=turn.id,
            question=turn.question,
            answer=turn.answer,
            page_url=turn.page_url,
            state=turn.state,
            answered_by=turn.answered_by,
            created_at=turn.created_at,
            ended_at=turn.ended_at,
            citations=tuple(CitationOut.of(citation) for citation in turn.citations),
            feedback=ExportedFeedbackOut.model_validate(feedback) if feedback else None,
        )


class ExportedLiveMessageOut(Model):
    author: Author
    name: str | None
    text: str
    created_at: datetime


class ExportedConversationOut(Model):
    id: UUID
    created_at: datetime
    last_active_at: datetime
    cleared_at: datetime | None
    turns: tuple[ExportedTurnOut, ...] = Field(description="Oldest first.")
    live_messages: tuple[ExportedLiveMessageOut, ...] = Field(
        description="What was written while a person answered, oldest first."
    )
    chat_rating: str | None = Field(description="Of talking with a person: up, down, or null.")
    labels: tuple[str, ...] = Field(description="What operators called it; for operators alone, else empty.")
    notes: tuple[NoteOut, ...] = Field(description="What operators noted on it; for operators alone, else empty.")

    @classmethod
    def of(cls, exported: ExportedConversation) -> "ExportedConversationOut":
        return cls(
            id=exported.conversation.id,
            created_at=exported.conversation.created_at,
            last_active_at=exported.conversation.last_active_at,
            cleared_at=exported.cleared_at,
            turns=tuple(ExportedTurnOut.of(turn) for turn in exported.turns),
            live_messages=tuple(
                ExportedLiveMessageOut(author=each.author, name=each.name, text=each.text, created_at=each.created_at)
                for each in exported.live_messages
            ),
            chat_rating=exported.chat_rating,
            labels=exported.labels,
            notes=tuple(NoteOut.model_validate(note) for note in exported.notes),
        )


class ExportedLeadOut(Model):
    id: UUID
    conversation_id: UUID
    name: str
    email: str
    message: str
    created_at: datetime


class VisitorAttributeOut(Model):
    name: str
    value: str
    is_signed: bool = Field(description="Whether the website's server vouches for it; else it may be made up.")


class VisitorExportOut(Model):
    visitor_id: UUID
    anonymous_id: UUID
    user_id: str | None = Field(description="As the website's server has named and signed the visitor.")
    attributes: tuple[VisitorAttributeOut, ...] = Field(description="What the website told of the visitor last.")
    agent_id: UUID
    first_seen_at: datetime
    exported_at: datetime
    conversations: tuple[ExportedConversationOut, ...] = Field(description="Oldest first, cleared ones among them.")
    leads: tuple[ExportedLeadOut, ...] = Field(description="What the visitor left for people to answer, oldest first.")

    @classmethod
    def of(cls, export: VisitorExport) -> "VisitorExportOut":
        return cls(
            visitor_id=export.visitor.id,
            anonymous_id=export.visitor.anonymous_id,
            user_id=export.visitor.user_id,
            attributes=tuple(VisitorAttributeOut.model_validate(each) for each in export.visitor.attributes),
            agent_id=export.visitor.agent_id,
            first_seen_at=export.first_seen_at,
            exported_at=export.exported_at,
            conversations=tuple(ExportedConversationOut.of(each) for each in export.conversations),
            leads=tuple(ExportedLeadOut.model_validate(lead) for lead in export.leads),
        )


class ErasedRowsOut(Model):
    conversations: int
    turns: int
    messages: int
    citations: int
    feedback: int
    gaps: int = Field(description="Gaps that nobody else had asked; the others keep what others have asked.")
    gap_questions: int
    stale_answers: int = Field(description="Stale answers that nobody else was told; the others keep who was.")
    stale_tellings: int
    outbox: int
    leads: int
    live_messages: int
    labels: int = Field(description="What operators called the conversations.")
    notes: int = Field(description="What operators noted on them.")


class ErasureOut(Model):
    """The receipt: the audit log names it, and nothing that is kept names the visitor."""

    id: UUID
    erased_at: datetime
    rows: ErasedRowsOut

    @classmethod
    def of(cls, erasure: Erasure) -> "ErasureOut":
        return cls.model_validate(erasure)
