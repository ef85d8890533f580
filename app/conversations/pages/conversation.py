"""The console's page for one conversation: the trace of each answer, operators' work, and what can be made of it."""

from typing import Final
from uuid import UUID

from app.conversations.api.conversations import NoteIn, TranscriptIn
from app.conversations.conversation import ConversationState, outcome_of_turn
from app.conversations.hand_over import hand_over_of
from app.conversations.inbox import ConversationReview, Inbox, Thread
from app.conversations.pages.conversations import OUTCOMES, EditForm, InboxWanted, gone_to, label_errors
from app.conversations.token_budgets import TokenBudgets
from app.conversations.transcripts import Transcripts
from app.core.confirmation import ConfirmationState
from app.core.errors import NotFound
from app.gaps.turn_review import TurnReview
from app.web.console.page import Form, Go, NoForm, Pages, Shown, Visit, action, page, read, write
from app.web.console.trace_view import found_by_turn, stages_of
from app.workspaces.operators import Assignees

_PATH: Final = "/console/agents/{agent_id}/conversations/{conversation_id}"
_BESIDE: Final = 30  # conversations of the list from which it was opened
_DECISIONS: Final = {
    ConfirmationState.ASKED: "waiting for the visitor",
    ConfirmationState.CONFIRMED: "confirmed, in progress",
    ConfirmationState.DECLINED: "declined",
    ConfirmationState.EXPIRED: "expired",
    ConfirmationState.VOID: "void",
    ConfirmationState.DONE: "confirmed, done",
    ConfirmationState.FAILED: "confirmed, failed",
    ConfirmationState.UNKNOWN: "confirmed, outcome unknown",
}


class NoteForm(NoteIn, Form):
    """`is_in_chat` if it is beside a live chat."""

    is_in_chat: bool = False


class TranscriptForm(TranscriptIn, Form): ...


class ConversationPages(Pages):
    _review: ConversationReview
    _inbox: Inbox
    _assignees: Assignees
    _budgets: TokenBudgets
    _turns: TurnReview
    _transcripts: Transcripts

    @page(_PATH, access=read, under="conversations")
    async def conversation(self, visit: Visit[InboxWanted]) -> Shown:
        """`visit.input` is the list from which it was opened."""
        thread = await self._thread(visit)
        wanted, conversation = visit.input, thread.conversation
        gaps = await self._turns.gaps_of(visit.actor, [turn.id for turn in thread.turns])
        turns = [
            {
                "turn": turn,
                "gap": gaps.get(turn.id),
                "found": found_by_turn(turn.trace),
                "stages": stages_of(turn.trace),
                "cost": self._budgets.cost_of_turn(turn),
            }
            for turn in thread.turns
        ]
        labels = await self._review.labels(visit.actor, visit.agent.id)
        facts = await self._review.visitor(visit.actor, conversation.visitor_id)
        beside = await self._review.conversations(visit.actor, visit.agent.id, wanted.part(_BESIDE), wanted.only)
        known = (each.value for each in facts.visitor.attributes if each.is_signed and each.name == "email")
        live_chat = await self._review.live_chat(visit.actor, conversation.id)
        return Shown(
            "conversations/pages/conversation.html",
            {
                "hand_over": hand_over_of(thread.turns) if live_chat.handed_over_at else None,
                "can_mail": self._transcripts.can_send,
                "known_email": next(known, ""),
                "conversation": conversation,
                "entry": thread.entry,
                "beside": beside.items,
                "notes": thread.notes,
                "facts": facts,
                "neighbours": await self._review.neighbours(visit.actor, conversation.id, wanted.only),
                "wanted": wanted,
                "kept": wanted.kept,
                "back": visit.url("conversations", wanted.kept).partition("?")[2],
                "live_chat": live_chat,
                "turns": turns,
                "outcomes": OUTCOMES,
                "outcome_of_turn": outcome_of_turn,
                "decisions": _DECISIONS,
                "labels": [each.label for each in labels if each.label not in thread.entry.labels],
                "people": await self._assignees.of_workspace(visit.actor),
            },
        )

    @action(_PATH + "/edit", access=write, shown_on="conversation")
    async def edit_conversation(self, visit: Visit[EditForm]) -> Go:
        """Closing one leads on to the next of the list."""
        thread, wanted = await self._thread(visit), visit.input.wanted
        change = visit.input.change(visit.actor.address)
        neighbours = await self._review.neighbours(visit.actor, thread.conversation.id, wanted.only)
        with label_errors():
            changed = await self._inbox.change_one(visit.actor, thread.conversation.id, change)
        shown: UUID | None = thread.conversation.id
        if change.state is ConversationState.CLOSED:
            shown = neighbours.next
        return gone_to(visit, wanted, [thread.entry], [changed], change, shown)

    @action(_PATH + "/notes", access=write, shown_on="conversation")
    async def add_note(self, visit: Visit[NoteForm]) -> Go:
        thread = await self._thread(visit)
        await self._inbox.note(visit.actor, thread.conversation.id, visit.input.text)
        back = "live_chat" if visit.input.is_in_chat else "conversation"
        return Go(visit.url(back, conversation_id=thread.conversation.id) + "#notes", "Noted.")

    @action(_PATH + "/transcript", access=write, shown_on="conversation")
    async def send_transcript(self, visit: Visit[TranscriptForm]) -> Go:
        thread = await self._thread(visit)
        await self._transcripts.send(visit.actor, thread.conversation.id, visit.input.email)
        return Go(visit.url("conversation", conversation_id=thread.conversation.id), "Conversation mailed.")

    @action(_PATH + "/notes/{note_id}/remove", access=write, under="conversations")
    async def remove_note(self, visit: Visit[NoForm]) -> Go:
        thread = await self._thread(visit)
        await self._inbox.remove_note(visit.actor, thread.conversation.id, visit.path_id("note_id"))
        return Go(visit.url("conversation", conversation_id=thread.conversation.id) + "#notes", "Note removed.")

    @action(_PATH + "/turns/{turn_id}/gap", access=write, shown_on="conversation")
    async def flag_turn(self, visit: Visit[NoForm]) -> Go:
        thread = await self._thread(visit)
        gap = await self._turns.flag(visit.actor, self._turn(visit, thread))
        return Go(visit.url("gap", gap_id=gap.id), f'Gap "{gap.question}" created.')

    @action(_PATH + "/turns/{turn_id}/golden", access=write, shown_on="conversation")
    async def make_golden(self, visit: Visit[NoForm]) -> Go:
        thread = await self._thread(visit)
        golden = await self._turns.make_golden(visit.actor, self._turn(visit, thread))
        to = visit.url("conversation", conversation_id=thread.conversation.id)
        return Go(to, f'Golden question "{golden.question}" added. Pages that answer it: {len(golden.pages)}.')

    async def _thread(self, visit: Visit[Form]) -> Thread:
        thread = await self._review.thread(visit.actor, visit.path_id("conversation_id"))
        if thread.conversation.agent_id != visit.agent.id:
            raise NotFound("conversation")
        return thread

    def _turn(self, visit: Visit[NoForm], thread: Thread) -> UUID:
        turn_id = visit.path_id("turn_id")
        if turn_id not in {turn.id for turn in thread.turns}:
            raise NotFound("turn")
        return turn_id
