"""An entry of the audit log, and the names of the kinds of changes in it."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final
from uuid import UUID

_CODE: Final = re.compile(r"[a-z]+(_[a-z]+)+")
_ID: Final = re.compile(r"[0-9a-f-]{32,}")


@dataclass(frozen=True, slots=True)
class AuditEntry:
    """`actor` is the operator's or token's name at the time ("somebody" for a refused sign-in), and one of the two ids
    identifies it, because names are reused. `action` reads "agent.publish", `subject` is an id; `subject_name` is its
    name now, "" if it is gone or has none."""

    id: UUID
    actor: str
    action: str
    subject: str
    details: Mapping[str, Any]
    created_at: datetime
    operator_id: UUID | None = None
    token_id: UUID | None = None
    subject_name: str = ""

    @property
    def action_name(self) -> str:
        """Its name, such as "Agent published". An action of an earlier version of Docent that no longer exists keeps
        its code.
        """
        subject, _, verb = self.action.partition(".")
        kind = CHANGES.get(subject)
        return kind.changes.get(verb, f"{kind.name}: {_spoken(verb)}") if kind else _spoken(self.action)

    @property
    def details_in_words(self) -> dict[str, str]:
        """By name, without empty ones; ids by their last characters, by which people compare them."""
        told = {name: _in_words(value) for name, value in self.details.items()}
        return {_spoken(name): words for name, words in told.items() if words}


@dataclass(frozen=True, slots=True)
class AuditFilter:
    """By the actor of that name or id, with that beginning of the action, about that subject, from `since`, before
    `until`; None matches any."""

    actor: str | None = None
    action: str | None = None
    subject: str | None = None
    since: datetime | None = None
    until: datetime | None = None


EVERY_ENTRY = AuditFilter()


@dataclass(frozen=True, slots=True)
class ChangedKind:
    """A kind of subject: its name, the name of all changes of it, and the name of each by the second word of its
    action.
    """

    name: str
    plural: str
    changes: Mapping[str, str]


# One list for all rooms: the audit's page offers every kind of change, and imports none of the rooms above it. By the
# first word of an action: the subject, and all changes of it.
_KINDS: Final = {
    "agent": ("Agent", "Agents"),
    "source": ("Source", "Sources"),
    "document": ("Page", "Pages and documents"),
    "curated_answer": ("Curated answer", "Curated answers"),
    "stale_answer": ("Stale answer", "Stale answers"),
    "golden_question": ("Golden question", "Golden questions"),
    "gap": ("Gap", "Gaps"),
    "repository": ("Repository", "Repositories"),
    "action": ("Action", "Actions"),
    "conversation": ("Conversation", "Conversations"),
    "live_chat": ("Live chat", "Live chats"),
    "lead": ("Lead", "Leads"),
    "visitor": ("Visitor", "Visitors"),
    "visitors": ("Visitors", "Visitor data by age"),
    "saved_reply": ("Saved reply", "Saved replies"),
    "saved_filter": ("Saved filter", "Saved filters"),
    "webhook": ("Webhook", "Webhooks"),
    "notice_channel": ("Channel", "Notice channels"),
    "operator": ("Operator", "Operators"),
    "token": ("API token", "API tokens"),
    "workspace": ("Workspace", "Workspaces"),
    "signing_key": ("Signing key", "Signing keys"),
    "secrets": ("Sealed secrets", "Sealed secrets"),
}
_NAMES: Final = {
    "agent.create": "Agent created",
    "agent.edit": "Draft changed",
    "agent.publish": "Agent published",
    "agent.delete": "Agent deleted",
    "agent.apply_file": "Agent file applied",
    "agent.make_user_secret": "Signed-user secret created",
    "agent.remove_user_secret": "Signed-user secret removed",
    "agent.set_user_issuer": "Token issuer set",
    "agent.remove_user_issuer": "Token issuer removed",
    "agent.set_help_desk": "Help desk set",
    "agent.clear_help_desk": "Help desk removed",
    "agent.retry_ticket": "Ticket sent again",
    "source.create": "Source added",
    "source.edit": "Source changed",
    "source.delete": "Source deleted",
    "source.sync": "Reading started",
    "source.sync_pages": "Reading of some pages started",
    "source.pause": "Reading paused",
    "source.resume": "Reading resumed",
    "source.cancel": "Reading stopped",
    "source.schedule": "Source schedule set",
    "source.unschedule": "Source schedule removed",
    "source.set_access": "Source access set",
    "source.clear_access": "Source access removed",
    "source.make_hook": "Publish hook created",
    "source.remove_hook": "Publish hook removed",
    "source.upload_file": "File uploaded",
    "source.replace_file": "File replaced",
    "source.give_documents": "Documents sent by a program",
    "document.delete": "Page deleted",
    "document.release": "Page released from quarantine",
    "document.dismiss": "Page kept in quarantine",
    "curated_answer.create": "Curated answer written",
    "curated_answer.edit": "Curated answer changed",
    "curated_answer.delete": "Curated answer deleted",
    "curated_answer.restore": "Curated answer restored",
    "curated_answer.propose": "Curated answer proposed",
    "curated_answer.approve": "Proposed answer approved",
    "curated_answer.decline": "Proposed answer declined",
    "stale_answer.settle": "Stale answer settled",
    "stale_answer.dismiss": "Stale answer dismissed",
    "stale_answer.reopen": "Stale answer reopened",
    "golden_question.create": "Golden question added",
    "golden_question.edit": "Golden question changed",
    "golden_question.delete": "Golden question deleted",
    "golden_question.import": "Golden questions imported",
    "golden_question.run": "Golden questions run",
    "gap.edit": "Gap assigned or note changed",
    "gap.flag": "Gap created from a question",
    "gap.ignore": "Gap ignored",
    "gap.reopen": "Gap reopened",
    "gap.resolve": "Gap closed without proof",
    "gap.prove": "Gap asked again",
    "gap.settle": "Gaps ignored or reopened in bulk",
    "gap.take_back": "Bulk change of gaps undone",
    "gap.merge": "Gaps merged",
    "gap.split": "Gap split",
    "gap.open_pull_request": "Pull request opened",
    "repository.set": "Repository set",
    "repository.remove": "Repository removed",
    "action.create": "Action added",
    "action.edit": "Action changed",
    "action.delete": "Action deleted",
    "action.try": "Action tried",
    "action.confirmed": "Change confirmed by a visitor",
    "action.declined": "Change declined by a visitor",
    "action.done": "Confirmed change done",
    "action.failed": "Confirmed change failed",
    "action.unknown": "Confirmed change: outcome unknown",
    "action.expired": "Proposed change expired",
    "action.void": "Proposed change withdrawn",
    "conversation.edit": "Conversations closed, assigned or labelled",
    "conversation.note": "Note added to a conversation",
    "conversation.remove_note": "Note removed",
    "conversation.send_transcript": "Conversation mailed",
    "conversation.erase": "Conversation erased",
    "live_chat.take": "Live chat taken over",
    "live_chat.reply": "Live chat answered",
    "live_chat.transfer": "Live chat transferred",
    "live_chat.hand_back": "Live chat handed back",
    "lead.edit": "Leads assigned, done or reopened",
    "lead.assign": "Lead assigned",  # until there was `lead.edit`
    "visitor.erase": "Visitor erased",
    "visitors.expire": "Visitors' data erased by age",
    "saved_reply.create": "Saved reply written",
    "saved_reply.edit": "Saved reply changed",
    "saved_reply.delete": "Saved reply deleted",
    "saved_filter.create": "Filter saved",
    "saved_filter.edit": "Saved filter renamed",
    "saved_filter.delete": "Saved filter deleted",
    "webhook.create": "Webhook added",
    "webhook.delete": "Webhook removed",
    "webhook.retry": "Delivery sent again",
    "notice_channel.create": "Notice channel added",
    "notice_channel.delete": "Notice channel removed",
    "operator.sign_in": "Signed in",
    "operator.sign_out": "Signed out",
    "operator.refuse_sign_in": "Sign-in refused",
    "operator.use_recovery_code": "Recovery code used",
    "operator.create": "Operator added",
    "operator.invite": "Operator invited",
    "operator.accept_invitation": "Invitation accepted",
    "operator.set_role": "Operator role changed",
    "operator.disable": "Account disabled",
    "operator.enable": "Account enabled",
    "operator.delete": "Account deleted",
    "operator.link": "Account moved to the identity provider",
    "operator.set_password": "Password set",
    "operator.ask_password_link": "Password link requested",
    "operator.make_password_link": "Password link created",
    "operator.add_passkey": "Passkey added",
    "operator.remove_passkey": "Passkey removed",
    "operator.remove_passkeys": "All passkeys removed",
    "operator.add_second_factor": "One-time codes switched on",
    "operator.remove_second_factor": "One-time codes switched off",
    "token.create": "API token created",
    "token.revoke": "API token revoked",
    "workspace.create": "Workspace created",
    "signing_key.rotate": "Signing key rotated",
    "secrets.rotate": "Secrets sealed with the new key",
    "secrets.forget": "Secrets without a key deleted",
}


def _changes_of(subject: str) -> dict[str, str]:
    before = f"{subject}."
    return {code.removeprefix(before): name for code, name in _NAMES.items() if code.startswith(before)}


CHANGES: Final[Mapping[str, ChangedKind]] = {
    subject: ChangedKind(name, plural, _changes_of(subject)) for subject, (name, plural) in _KINDS.items()
}


def _spoken(code: str) -> str:
    return code.replace("_", " ").replace(".", ": ")


def _in_words(value: Any) -> str:
    match value:
        case None:
            return ""
        case bool():
            return "yes" if value else "no"
        case str() if _ID.fullmatch(value):
            return "…" + value[-8:]
        case str():
            return _spoken(value) if _CODE.fullmatch(value) else value
        case list():
            return ", ".join(map(_in_words, value))
        case dict():
            return ", ".join(f"{_spoken(name)} {_in_words(each)}" for name, each in value.items())
        case _:
            return str(value)
