"""One line of the audit log, and what people call the kinds of change in it."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final
from uuid import UUID


@dataclass(frozen=True, slots=True)
class AuditEntry:
    """`actor` names a token or an operator ("somebody" where a sign-in was refused), `action` reads "agent.publish",
    `subject` is an id; `subject_name` is what people call it now, "" where it is gone or has no name."""

    id: UUID
    actor: str
    action: str
    subject: str
    details: Mapping[str, Any]
    created_at: datetime
    subject_name: str = ""

    @property
    def action_name(self) -> str:
        """What people call it, such as "Agent published". One of a version that has gone reads as its code does."""
        subject, _, verb = self.action.partition(".")
        kind = CHANGES.get(subject)
        return kind.changes.get(verb, f"{kind.name}: {_spoken(verb)}") if kind else _spoken(self.action)


@dataclass(frozen=True, slots=True)
class AuditFilter:
    """Of that actor, with that beginning of the action, about that subject, from `since`, before `until`; None: any."""

    actor: str | None = None
    action: str | None = None
    subject: str | None = None
    since: datetime | None = None
    until: datetime | None = None


EVERY_ENTRY = AuditFilter()


@dataclass(frozen=True, slots=True)
class ChangedKind:
    """What may be changed: its name, that of all changes of it, and each of them by the second word of its action."""

    name: str
    plural: str
    changes: Mapping[str, str]


CHANGES: Final[Mapping[str, ChangedKind]] = {
    "agent": ChangedKind(
        "Agent",
        "Agents",
        {
            "create": "Agent created",
            "edit": "Draft of an agent changed",
            "publish": "Agent published",
            "delete": "Agent deleted",
            "apply_file": "File applied to an agent",
            "make_user_secret": "Secret for signed users made",
            "remove_user_secret": "Secret for signed users removed",
            "set_user_issuer": "Issuer of users' tokens set",
            "remove_user_issuer": "Issuer of users' tokens removed",
            "set_help_desk": "Help desk set",
            "clear_help_desk": "Help desk removed",
            "retry_ticket": "Ticket sent again",
        },
    ),
    "source": ChangedKind(
        "Source",
        "Sources",
        {
            "create": "Source added",
            "edit": "Source changed",
            "delete": "Source deleted",
            "sync": "Reading of a source started",
            "sync_pages": "Reading of some pages started",
            "pause": "Reading paused",
            "resume": "Reading resumed",
            "cancel": "Reading stopped",
            "schedule": "Schedule of a source set",
            "unschedule": "Schedule of a source removed",
            "set_access": "Access to a source set",
            "clear_access": "Access to a source removed",
            "make_hook": "Publish hook made",
            "remove_hook": "Publish hook removed",
            "upload_file": "File uploaded",
            "replace_file": "File replaced",
            "give_documents": "Documents sent by a program",
        },
    ),
    "document": ChangedKind(
        "Page",
        "Pages and documents",
        {
            "delete": "Page deleted",
            "release": "Page released from quarantine",
            "dismiss": "Page kept out by quarantine",
        },
    ),
    "curated_answer": ChangedKind(
        "Curated answer",
        "Curated answers",
        {
            "create": "Curated answer written",
            "edit": "Curated answer changed",
            "delete": "Curated answer deleted",
            "restore": "Curated answer restored",
            "propose": "Curated answer proposed",
            "approve": "Proposed answer approved",
            "decline": "Proposed answer declined",
        },
    ),
    "stale_answer": ChangedKind(
        "Stale answer",
        "Stale answers",
        {
            "settle": "Stale answer settled",
            "dismiss": "Stale answer dismissed",
            "reopen": "Stale answer reopened",
        },
    ),
    "golden_question": ChangedKind(
        "Golden question",
        "Golden questions",
        {
            "create": "Golden question added",
            "edit": "Golden question changed",
            "delete": "Golden question deleted",
            "import": "Golden questions imported",
            "run": "Golden questions run",
        },
    ),
    "gap": ChangedKind(
        "Gap",
        "Gaps",
        {
            "edit": "Gap assigned or noted",
            "flag": "Turn made a gap",
            "ignore": "Gap ignored",
            "reopen": "Gap reopened",
            "resolve": "Gap closed without proof",
            "prove": "Gap asked again",
            "settle": "Gap ignored or reopened with others",
            "take_back": "Ignoring of gaps taken back",
            "merge": "Gaps merged",
            "split": "Gap split",
            "open_pull_request": "Pull request opened",
        },
    ),
    "repository": ChangedKind(
        "Repository",
        "Repositories",
        {
            "set": "Repository set",
            "remove": "Repository removed",
        },
    ),
    "action": ChangedKind(
        "Action",
        "Actions",
        {
            "create": "Action added",
            "edit": "Action changed",
            "delete": "Action deleted",
            "try": "Action tried",
            "confirmed": "Change confirmed by a visitor",
            "declined": "Change declined by a visitor",
            "done": "Confirmed change done",
            "failed": "Confirmed change failed",
            "unknown": "Confirmed change left unknown",
            "expired": "Proposed change expired",
            "void": "Proposed change withdrawn",
        },
    ),
    "conversation": ChangedKind(
        "Conversation",
        "Conversations",
        {
            "edit": "Conversations closed, assigned or labelled",
            "note": "Conversation noted on",
            "remove_note": "Note removed",
            "send_transcript": "Conversation sent by mail",
            "erase": "Conversation erased",
        },
    ),
    "live_chat": ChangedKind(
        "Live chat",
        "Live chats",
        {
            "take": "Live chat taken",
            "reply": "Live chat replied to",
            "transfer": "Live chat transferred",
            "hand_back": "Live chat handed back",
        },
    ),
    "lead": ChangedKind(
        "Lead",
        "Leads",
        {
            "edit": "Leads assigned, done or opened again",
            "assign": "Lead assigned",  # until there was `edit`
        },
    ),
    "visitor": ChangedKind("Visitor", "Visitors", {"erase": "Visitor erased"}),
    "visitors": ChangedKind("Visitors", "Visitors' data by age", {"expire": "Visitors' data erased by age"}),
    "saved_reply": ChangedKind(
        "Saved reply",
        "Saved replies",
        {
            "create": "Saved reply written",
            "edit": "Saved reply changed",
            "delete": "Saved reply deleted",
        },
    ),
    "saved_filter": ChangedKind(
        "Saved filter",
        "Saved filters",
        {
            "create": "Filter saved",
            "edit": "Saved filter renamed",
            "delete": "Saved filter deleted",
        },
    ),
    "webhook": ChangedKind(
        "Webhook",
        "Webhooks",
        {
            "create": "Webhook added",
            "delete": "Webhook removed",
            "retry": "Delivery sent again",
        },
    ),
    "notice_channel": ChangedKind(
        "Channel",
        "Channels of notices",
        {
            "create": "Channel of notices added",
            "delete": "Channel of notices removed",
        },
    ),
    "operator": ChangedKind(
        "Operator",
        "Operators",
        {
            "sign_in": "Signed in",
            "sign_out": "Signed out",
            "refuse_sign_in": "Sign-in refused",
            "use_recovery_code": "Recovery code used",
            "create": "Operator added",
            "invite": "Operator invited",
            "accept_invitation": "Invitation accepted",
            "set_role": "Role of an operator set",
            "disable": "Account disabled",
            "enable": "Account enabled",
            "delete": "Account deleted",
            "link": "Account moved to the identity provider",
            "set_password": "Password set",
            "ask_password_link": "Link for a new password requested",
            "make_password_link": "Link for a password made",
            "add_passkey": "Passkey added",
            "remove_passkey": "Passkey removed",
            "remove_passkeys": "All passkeys removed",
            "add_second_factor": "One-time codes switched on",
            "remove_second_factor": "One-time codes switched off",
        },
    ),
    "token": ChangedKind(
        "API token",
        "API tokens",
        {
            "create": "API token issued",
            "revoke": "API token revoked",
        },
    ),
    "workspace": ChangedKind("Workspace", "Workspaces", {"create": "Workspace created"}),
    "signing_key": ChangedKind("Signing key", "Signing keys", {"rotate": "Signing key rotated"}),
    "secrets": ChangedKind(
        "Sealed secrets",
        "Sealed secrets",
        {
            "rotate": "Secrets sealed anew",
            "forget": "Secrets without their key forgotten",
        },
    ),
}


def _spoken(code: str) -> str:
    return code.replace("_", " ").replace(".", ": ")
