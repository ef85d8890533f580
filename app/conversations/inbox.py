"""Operators' work on conversations: find, read, close, assign (which notifies the assignee) and label them."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Any, Final
from uuid import UUID

from app.agents.own_agent import OwnAgent, reads_agent
from app.conversations.conversation import (
    EVERY_CONVERSATION,
    LABEL,
    MAX_AT_ONCE,
    MAX_LABELS,
    MAX_NOTES,
    MAX_WORDS,
    NOTE,
    Conversation,
    ConversationChange,
    ConversationFilter,
    InboxEntry,
    LabelCount,
    Neighbours,
    Note,
    VisitorFacts,
)
from app.conversations.live_chat import LiveChat
from app.conversations.records.conversations import ConversationRecords
from app.conversations.records.inbox import InboxRecords
from app.conversations.records.live_chats import LiveChatRecords
from app.conversations.records.stored_turns import StoredTurnRecords
from app.core.actor import Actor
from app.core.errors import InvalidInput, NotFound
from app.core.field_rules import check_chosen, check_language
from app.core.list_page import ListPage, PageRequest, collected
from app.core.setting import check_limits, limits_of
from app.core.turn import StoredTurn
from app.core.webhook_event import WebhookEvent
from app.kit.wiring import Wired
from app.store.outbox import Outbox
from app.store.system_of_record import SystemOfRecord, Transaction, reads, writes
from app.workspaces.audit_entry import changes_of
from app.workspaces.operators import addresses_of, checked_assignee
from app.workspaces.records.audit import AuditRecords

MAX_EXPORTED: Final = 10_000
# An address, or its part before the @. The @ within an address does not begin a mention.
_MENTION: Final = re.compile(r"(?<![\w.+-])@([\w.+-]{1,64}(?:@[\w.-]{1,190})?)")

changes_of(
    "conversation",
    "Conversation",
    "Conversations",
    {
        "edit": "Conversations closed, assigned or labelled",
        "note": "Note added to a conversation",
        "remove_note": "Note removed",
        "send_transcript": "Conversation mailed",
        "erase": "Conversation erased",
    },
)


@dataclass(frozen=True, slots=True)
class Thread:
    """A conversation with its turns, each with citations and trace."""

    entry: InboxEntry
    turns: Annotated[Sequence[StoredTurn], "Oldest first."]
    notes: Annotated[Sequence[Note], "Notes by operators for other operators, oldest first."] = ()

    @property
    def conversation(self) -> Conversation:
        return self.entry.conversation


class ConversationReview(Wired):
    """Every method raises NotFound for an agent or conversation that does not exist or belongs to another workspace."""

    _records: SystemOfRecord

    async def conversations(
        self, actor: Actor, agent_id: UUID, page: PageRequest, only: ConversationFilter = EVERY_CONVERSATION
    ) -> ListPage[InboxEntry]:
        """Latest activity first. Raises InvalidInput."""
        check_filter(only)

        return await OwnAgent(self._records, actor, agent_id).read(
            lambda tx: InboxRecords(tx).page(agent_id, page, only)
        )

    async def all_of_agent(
        self, actor: Actor, agent_id: UUID, only: ConversationFilter = EVERY_CONVERSATION
    ) -> list[InboxEntry]:
        """The latest MAX_EXPORTED. Raises InvalidInput."""
        return await collected(lambda page: self.conversations(actor, agent_id, page, only), MAX_EXPORTED)

    @reads
    def thread(self, tx: Transaction, actor: Actor, conversation_id: UUID) -> Thread:
        conversation = ConversationRecords(tx).conversation(actor.workspace_id, conversation_id)
        [entry] = InboxRecords(tx).entries([conversation])
        turns = StoredTurnRecords(tx).of_conversation(conversation_id)
        return Thread(entry, turns, InboxRecords(tx).notes(conversation_id))

    @reads
    def live_chat(self, tx: Transaction, actor: Actor, conversation_id: UUID) -> LiveChat:
        return LiveChatRecords(tx).live_chat(actor.workspace_id, conversation_id)

    @reads
    def neighbours(self, tx: Transaction, actor: Actor, conversation_id: UUID, only: ConversationFilter) -> Neighbours:
        """The conversations before and after it in the agent's filtered list. Raises InvalidInput."""
        check_filter(only)
        conversation = ConversationRecords(tx).conversation(actor.workspace_id, conversation_id)
        return InboxRecords(tx).neighbours(conversation, only)

    @reads
    def visitor(self, tx: Transaction, actor: Actor, visitor_id: UUID) -> VisitorFacts:
        """Raises NotFound for a visitor who does not exist or belongs to another workspace."""
        return InboxRecords(tx).visitor(actor.workspace_id, visitor_id)

    @reads_agent
    def labels(self, tx: Transaction, actor: Actor, agent_id: UUID) -> list[LabelCount]:
        """The labels of the agent's conversations, in alphabetical order."""
        return InboxRecords(tx).labels(agent_id)


def check_search(text: str) -> None:
    """Raises InvalidInput."""
    limits_of(ConversationFilter)["text"].check("q", text)
    if len(text.split()) > MAX_WORDS:
        raise InvalidInput("q", f"Search for at most {MAX_WORDS} words.")


def check_filter(only: ConversationFilter) -> None:
    """Raises InvalidInput."""
    check_search(only.text)
    check_language("language", only.language)
    check_limits("", only)


class Inbox(Wired):
    """The audit counts changes under the agent, without naming conversations, because it outlives their erasure."""

    _records: SystemOfRecord

    async def change(
        self, actor: Actor, agent_id: UUID, conversation_ids: Sequence[UUID], change: ConversationChange
    ) -> tuple[list[InboxEntry], list[InboxEntry]]:
        """Change up to MAX_AT_ONCE conversations of one agent, all or none; return the entries before and after. Raises
        InvalidInput, and NotFound for an agent or conversation that does not exist or is not theirs."""
        check_chosen("conversation_ids", conversation_ids, MAX_AT_ONCE, "conversations")
        wanted = _checked(change)

        return await OwnAgent(self._records, actor, agent_id).write(
            lambda tx: _changed(tx, actor, agent_id, conversation_ids, wanted)
        )

    @writes
    def change_one(
        self, tx: Transaction, actor: Actor, conversation_id: UUID, change: ConversationChange
    ) -> InboxEntry:
        """Like `change`, for one conversation of any agent; returns its new entry."""
        wanted = _checked(change)
        agent_id = ConversationRecords(tx).conversation(actor.workspace_id, conversation_id).agent_id
        _, [entry] = _changed(tx, actor, agent_id, [conversation_id], wanted)
        return entry

    @writes
    def note(self, tx: Transaction, actor: Actor, conversation_id: UUID, text: str) -> Note:
        """Add a note for other operators, and notify those that it mentions. Raises InvalidInput, and NotFound for a
        conversation that does not exist or belongs to another workspace."""
        replace(NOTE, is_required=True).check("text", text)
        conversation = ConversationRecords(tx).conversation(actor.workspace_id, conversation_id)
        if len(InboxRecords(tx).notes(conversation_id)) >= MAX_NOTES:
            raise InvalidInput("text", f"A conversation can have at most {MAX_NOTES} notes. Remove some first.")
        noted = InboxRecords(tx).add_note(conversation, actor.name, text.strip())
        notify_mentioned(tx, actor, conversation, noted.text)
        AuditRecords(tx).acted(actor, "conversation.note", conversation.agent_id)
        return noted

    @writes
    def remove_note(self, tx: Transaction, actor: Actor, conversation_id: UUID, note_id: UUID) -> None:
        """Raises NotFound, also for a note of another conversation."""
        agent_id = ConversationRecords(tx).conversation(actor.workspace_id, conversation_id).agent_id
        InboxRecords(tx).remove_note(conversation_id, note_id)
        AuditRecords(tx).acted(actor, "conversation.remove_note", agent_id)


def _checked(change: ConversationChange) -> ConversationChange:
    """The change with normalised labels. Raises InvalidInput."""
    add = tuple(dict.fromkeys(_label("add_labels", label) for label in change.add_labels))
    remove = tuple(dict.fromkeys(_label("remove_labels", label) for label in change.remove_labels))
    checked = replace(change, add_labels=add, remove_labels=remove)
    if checked == ConversationChange():
        raise InvalidInput("", "Set the state, the assignee or labels.")
    return checked


def _label(field: str, label: str) -> str:
    line = " ".join(filter(None, label.split(" ")))
    replace(LABEL, is_required=True).check(field, line)
    if "," in line:
        raise InvalidInput(field, "A label cannot contain a comma. Commas separate labels.")
    return line


def _changed(
    tx: Transaction, actor: Actor, agent_id: UUID, conversation_ids: Sequence[UUID], wanted: ConversationChange
) -> tuple[list[InboxEntry], list[InboxEntry]]:
    inbox = InboxRecords(tx)
    before = inbox.lock(agent_id, conversation_ids)
    were = inbox.entries(before)
    if len(before) < len(conversation_ids):
        raise NotFound("conversation")
    if wanted.assignee is not None:
        assignee = checked_assignee(tx, actor, wanted.assignee)
        wanted = replace(wanted, assignee=assignee)
        notify_assignee(tx, actor, agent_id, before, assignee)
    wanted = replace(wanted, add_labels=_as_spelt(inbox, agent_id, wanted.add_labels))
    inbox.change(agent_id, conversation_ids, wanted)
    if wanted.add_labels and max(inbox.label_counts(conversation_ids).values()) > MAX_LABELS:
        raise InvalidInput("add_labels", f"A conversation can have at most {MAX_LABELS} labels. Remove some first.")
    details = {
        "conversations": len(conversation_ids),
        **({} if wanted.state is None else {"state": wanted.state.value}),
        **({} if wanted.assignee is None else {"assignee": wanted.assignee}),
        **({"labels": len(wanted.add_labels) + len(wanted.remove_labels)} if _has_labels(wanted) else {}),
    }
    AuditRecords(tx).acted(actor, "conversation.edit", agent_id, **details)
    return were, inbox.entries(inbox.lock(agent_id, conversation_ids))


def _as_spelt(inbox: InboxRecords, agent_id: UUID, labels: tuple[str, ...]) -> tuple[str, ...]:
    """The labels in the spelling that the agent's conversations already use, if they differ only in case."""
    if not labels:
        return ()
    known = {each.label.casefold(): each.label for each in inbox.labels(agent_id)}
    return tuple(dict.fromkeys(known.get(label.casefold(), label) for label in labels))


def _has_labels(change: ConversationChange) -> bool:
    return bool(change.add_labels or change.remove_labels)


def notify_assignee(
    tx: Transaction, actor: Actor, agent_id: UUID, before: Sequence[Conversation], assignee: str
) -> None:
    """Create one event for the conversations that are newly assigned to `assignee`; `before` are all, before the
    change. Assigning to oneself creates none. The event has their number, and the id of a single one."""
    given = [each for each in before if each.assignee != assignee]
    if not given or assignee in ("", actor.address):
        return
    data: dict[str, Any] = {"assignee": assignee, "count": len(given)}
    only = given[0].id if len(given) == 1 else None
    if only is not None:
        data["conversation_id"] = str(only)
    outbox = Outbox(tx)
    outbox.add(agent_id, WebhookEvent.CONVERSATION_ASSIGNED.value, data, conversation_id=only)


def mentioned(text: str, addresses: Sequence[str]) -> tuple[str, ...]:
    """The distinct `addresses` that `text` mentions, in order: "@" and the whole address, or its part before the @ if
    only one address has it."""
    named: dict[str, None] = {}
    for found in _MENTION.finditer(text):
        name = found[1].lower().rstrip(".-")
        fitting = [each for each in addresses if name in (each, each.partition("@")[0])]
        if len(fitting) == 1:
            named[fitting[0]] = None
    return tuple(named)


def notify_mentioned(tx: Transaction, actor: Actor, conversation: Conversation, text: str) -> None:
    """Create an event for each mentioned operator except the actor, without the note's text."""
    outbox = Outbox(tx)
    for address in mentioned(text, addresses_of(tx, actor)):
        if address != actor.address:
            data = {"mentioned": address, "by": actor.name, "conversation_id": str(conversation.id)}
            event = WebhookEvent.OPERATOR_MENTIONED.value
            outbox.add(conversation.agent_id, event, data, conversation_id=conversation.id)
