"""Reads mailboxes, answers mails or hands them over to people, and mails what those write; run by a worker."""

import asyncio
import re
import secrets
from dataclasses import dataclass, replace
from datetime import timedelta
from functools import partial
from typing import Final
from uuid import UUID, uuid5

import structlog

from app.agents.agent import LiveAgent
from app.agents.records import AgentRecords
from app.answers.handoff import asks_for_person
from app.conversations.conversation import MAX_NOTES
from app.conversations.history import History
from app.conversations.live_chat import MAX_TEXT_CHARS, Author
from app.conversations.records.conversations import ConversationRecords
from app.conversations.records.inbox import InboxRecords
from app.conversations.records.live_chats import LiveChatRecords
from app.core.errors import AgentPaused, DocentError, HandedToPerson, NotFound, RateLimited, TurnConflict
from app.core.setting_values import is_http
from app.core.text.canned_messages import canned_messages
from app.core.text.untrusted_text import one_line
from app.core.turn import AnsweredBy, Channel, Finish, StoredTurn, TurnRequest, TurnState, VisitorSession
from app.kit.clock import Clock
from app.kit.limits import RateLimiter, a_day
from app.kit.token_client import TokenClient
from app.mail.mail import Mail
from app.mail.mailer import Mailer
from app.mailbox.mailbox import MAX_A_DAY, MAX_AN_HOUR, MAX_PROOFS_A_DAY, Mailbox, MailboxKeys, ReplyMode
from app.mailbox.received_mail import NotAnswered, ReceivedMail, received_mail, serve_mails
from app.mailbox.records import KeptMail, MailboxMailRecords, MailboxRecords
from app.providers.access_tokens import AccessTokens, NoAccessToken
from app.providers.imap_mailbox import ImapMailboxes, MailboxAccess, MailboxUnread
from app.store.system_of_record import SystemOfRecord, Transaction
from app.turns.api.visitor_turns import VisitorTurns, ended_turn
from crawler.errors import CrawlError
from crawler.extract.extraction_pool import Extractor
from crawler.worker_processes import WorkerFailed, WorkerProcesses

log = structlog.get_logger(__name__)

PAUSE: Final = timedelta(seconds=30)
LEASE: Final = timedelta(minutes=10)
_AT_ONCE: Final = 4  # mailboxes, one per workspace: a slow server may take a minute to time out
_OPENING_SECONDS: Final = 5.0
_HOUR: Final = timedelta(hours=1)
_SENT_AT_ONCE: Final = 20
_OVER: Final = (
    f"This workspace has sent {MAX_A_DAY} mails in 24 hours. Its agents' answers go to people, whose replies wait."
)
_NOTED_BY: Final = "E-mail"
_RE: Final = re.compile(r"(?:re|aw|sv|antw|vs|odp)\s?:", re.IGNORECASE)
_ANSWERS: Final = (AnsweredBy.CURATED, AnsweredBy.MODEL, AnsweredBy.EXTRACTIVE)


@dataclass(frozen=True, slots=True)
class _Taken:
    """A mail and its conversation. `is_for_people`: the agent does not answer it, people have to."""

    session: VisitorSession
    mail: ReceivedMail
    kept: KeptMail
    is_for_people: bool


class MailReading:
    """Asks and answers each mail once, even if a worker dies at any point: the turn's id derives from the mail's place
    in the mailbox, and the answer is queued in the transaction that marks the mail as handled."""

    def __init__(
        self,
        records: SystemOfRecord,
        mailboxes: ImapMailboxes,
        tokens: AccessTokens,
        extractor: Extractor,
        turns: VisitorTurns,
        history: History,
        mailer: Mailer,
        limiter: RateLimiter,
        clock: Clock,
    ) -> None:
        self._records = records
        self._mailboxes = mailboxes
        self._tokens = tokens
        self._extractor = extractor
        self._turns = turns
        self._history = history
        self._mailer = mailer
        self._limiter = limiter
        self._clock = clock
        self._opening = WorkerProcesses(serve_mails, _OPENING_SECONDS, _AT_ONCE, max_idle=0)

    async def read_due(self) -> int:
        """Read at most _AT_ONCE due mailboxes, one per workspace; return their number."""
        lease_until = self._clock.now() + LEASE
        due = await self._records.write(lambda tx: MailboxRecords(tx).claim(lease_until, _AT_ONCE))
        done = await asyncio.gather(*(self._read_one(*each) for each in due), return_exceptions=True)
        for failure in filter(None, done):  # raised only after all were read
            raise failure
        return len(due)

    async def _read_one(self, workspace_id: UUID, mailbox: Mailbox, keys: MailboxKeys | None) -> None:
        own = self._records.of_workspace(workspace_id)
        error = ""
        try:
            held = await self._mail_operators_messages(workspace_id, mailbox) if mailbox.verified_at else ""
            error = await self._read(workspace_id, mailbox, keys) or held
        except (MailboxUnread, NoAccessToken, DocentError) as failure:
            error = str(failure)
        if error:
            log.warning("mailbox.not_read", agent=str(mailbox.agent_id), reason=error)
        next_at = self._clock.now() + PAUSE
        await own.write(lambda tx: MailboxRecords(tx).rest(mailbox, next_at, error))

    async def _read(self, workspace_id: UUID, mailbox: Mailbox, keys: MailboxKeys | None) -> str:
        """Handle new mails; return why that is impossible, else "". Raises MailboxUnread, NoAccessToken or
        DocentError."""
        own = self._records.of_workspace(workspace_id)
        if keys is None:
            return "No secret key opens the password. Enter it again."
        try:
            agent = await own.read(lambda tx: AgentRecords(tx).live(mailbox.agent_id))
        except NotFound:
            return "Publish the agent first: it answers as visitors would get it."
        token = await self._token(own, mailbox, keys) if mailbox.token_url else ""
        access = MailboxAccess(mailbox.host, mailbox.port, mailbox.user, keys.password, mailbox.folder, token)
        begun = mailbox.uid_validity is not None and mailbox.last_uid is not None
        after = (mailbox.uid_validity or 0, mailbox.last_uid or 0) if begun else None
        found = await self._mailboxes.unseen(access, after)
        is_new = found.uid_validity != mailbox.uid_validity
        if is_new:
            await own.write(lambda tx: MailboxRecords(tx).begin_at(mailbox, found.uid_validity, found.next_uid - 1))
        if not mailbox.verified_at and (is_new or not mailbox.proof):
            if not await self._may_send(workspace_id, "mailbox proofs", MAX_PROOFS_A_DAY):
                return (
                    f"This workspace has entered {MAX_PROOFS_A_DAY} addresses in 24 hours. This one is verified later."
                )
            await own.write(lambda tx: self._ask_for_proof(tx, workspace_id, mailbox))
        if is_new:
            return ""
        answered: list[int] = []
        try:
            for uid, raw in found.mails:
                if await self._answer(agent, mailbox, uid, raw):
                    answered.append(uid)
        finally:
            if answered:
                await self._mailboxes.mark_answered(access, found.uid_validity, answered)
        return ""

    async def _token(self, own: SystemOfRecord, mailbox: Mailbox, keys: MailboxKeys) -> str:
        """Get an access token, and keep the refresh token that may come with it. Raises NoAccessToken."""
        client = TokenClient(
            mailbox.token_url, mailbox.client_id, mailbox.scope, keys.client_secret, refresh_token=keys.password
        )
        token = await self._tokens.token(client)
        if token.client != client:
            renewed = MailboxKeys(token.client.refresh_token, keys.client_secret)
            await own.write(lambda tx: MailboxRecords(tx).renew(mailbox, keys, renewed))
        return token.text

    async def _answer(self, agent: LiveAgent, mailbox: Mailbox, uid: int, raw: bytes) -> bool:
        """Handle one mail; return whether an answer was queued. Raises DocentError for a temporary failure."""
        own = self._records.of_workspace(agent.workspace_id)
        if mailbox.proof and not mailbox.verified_at and mailbox.proof.encode() in raw:
            await own.write(lambda tx: MailboxRecords(tx).prove(mailbox, uid))
            return False
        mail = await self._received(raw, mailbox.address)
        taken = (
            mail
            if isinstance(mail, NotAnswered)
            else await own.write(lambda tx: self._take(tx, agent, mailbox, uid, mail))
        )
        if isinstance(taken, NotAnswered):
            log.info("mail.left_alone", agent=str(agent.id), reason=taken.reason)
            await own.write(lambda tx: MailboxRecords(tx).advance(mailbox, uid))
            return False
        # With the Message-ID, because another account or folder may have a mail at the same place.
        turn_id = uuid5(taken.kept.conversation_id, f"{taken.kept.place} {taken.kept.message_id}")
        turn = None if taken.is_for_people else await self._answered(taken, turn_id)
        is_sure = turn is not None and mailbox.reply is ReplyMode.SURE and _is_sure(turn)
        is_sent = (
            is_sure
            and mailbox.verified_at is not None
            and await self._may_send(agent.workspace_id, "mailbox mails", MAX_A_DAY)
        )
        is_answered = await own.write(lambda tx: self._settle(tx, agent, mailbox, uid, taken, turn_id, turn, is_sent))
        if turn is None:
            await self._history.people_wrote(taken.session.conversation_id)
        return is_answered

    async def _received(self, raw: bytes, own_address: str) -> ReceivedMail | NotAnswered:
        try:
            opened = await self._opening.ask((raw, own_address))
        except WorkerFailed as error:
            return NotAnswered(f"unreadable: opening it {error}")
        return opened if isinstance(opened, NotAnswered) else await received_mail(opened, self._html_text)

    async def _html_text(self, html: bytes) -> str:
        try:
            return (await self._extractor.extract(html, "https://mail.invalid/", "utf-8")).markdown
        except CrawlError as error:
            raise ValueError(error.reason) from error

    def _take(
        self, tx: Transaction, agent: LiveAgent, mailbox: Mailbox, uid: int, mail: ReceivedMail
    ) -> _Taken | NotAnswered:
        """Assign the mail to the conversation that it continues, or to a new one. The sender's address identifies the
        visitor, but nothing proves that it is theirs."""
        mails = MailboxMailRecords(tx)
        visitor = ConversationRecords(tx).signed_visitor(agent.id, f"mailto:{mail.address}")
        place = f"{mailbox.uid_validity}.{uid}"
        kept = mails.at(visitor.id, place, mail.message_id)
        if kept is None:
            if mail.message_id and mails.named(visitor.id, [mail.message_id]):
                return NotAnswered("a second copy")
            if mails.read_since(visitor.id, self._clock.now() - _HOUR) >= MAX_AN_HOUR:
                return NotAnswered(f"over {MAX_AN_HOUR} an hour")
            known = mails.named(visitor.id, [each.partition("@")[0] for each in mail.thread] + [*mail.thread])
            conversation_id = (
                known.conversation_id if known else ConversationRecords(tx).start(visitor, Channel.EMAIL).id
            )
            about = (mail.address, mail.subject, mail.message_id, mail.reference_ids)
            kept = KeptMail(agent.id, visitor.id, conversation_id, *about, place)
            mails.add(kept)
        session = VisitorSession(
            agent.workspace_id, agent.id, visitor.id, kept.conversation_id, Channel.EMAIL, is_proven=False
        )
        is_with_people = LiveChatRecords(tx).own(session).is_open or agent.is_paused
        return _Taken(session, mail, kept, is_with_people or not mail.question or asks_for_person(mail.question))

    async def _answered(self, taken: _Taken, turn_id: UUID) -> StoredTurn | None:
        """The ended turn, which an earlier worker may have begun; None if people have to answer."""
        request = TurnRequest(turn_id, taken.mail.question, "")
        try:
            return await ended_turn(self._turns, self._records, taken.session, request)
        except (AgentPaused, HandedToPerson, TurnConflict):  # conflict: an earlier version read another text from it
            return None

    def _settle(
        self,
        tx: Transaction,
        agent: LiveAgent,
        mailbox: Mailbox,
        uid: int,
        taken: _Taken,
        turn_id: UUID,
        turn: StoredTurn | None,
        is_sent: bool,
    ) -> bool:
        if not MailboxRecords(tx).advance(mailbox, uid) or not ConversationRecords(tx).is_kept(taken.session):
            return False
        if turn and is_sent:
            words = canned_messages(turn.language).written_by_program
            mail = Mail("", "", _sources(turn), footer=words, auto="auto-replied", markdown=turn.answer)
            self._put(tx, agent.workspace_id, mailbox, taken.kept, mail)
            return True
        if turn and turn.answered_by is AnsweredBy.SMALL_TALK and taken.mail.thread:
            return False  # "Thanks" needs no person
        chat = LiveChatRecords(tx).ask(taken.session)
        if turn is None:
            text = (taken.mail.question or taken.mail.subject or "–")[:MAX_TEXT_CHARS]
            LiveChatRecords(tx).add(chat, turn_id, Author.VISITOR, None, text)
        _note(tx, agent, taken, has_draft=turn is not None)
        return False

    async def _mail_operators_messages(self, workspace_id: UUID, mailbox: Mailbox) -> str:
        """Queue one mail per conversation with the operators' messages since the last one. Return why some wait, else
        ""."""
        own = self._records.of_workspace(workspace_id)
        waiting = await own.read(lambda tx: MailboxMailRecords(tx).waiting(mailbox.agent_id, _SENT_AT_ONCE))
        for conversation_id in waiting:
            if not await self._may_send(workspace_id, "mailbox mails", MAX_A_DAY):
                return _OVER
            await own.write(partial(self._mail_messages, workspace_id, mailbox, conversation_id))
        return ""

    def _mail_messages(self, workspace_id: UUID, mailbox: Mailbox, conversation_id: UUID, tx: Transaction) -> None:
        words = MailboxMailRecords(tx).unsent(conversation_id)
        if words:
            mail = Mail("", "", words.texts, auto="", pictures=words.pictures)
            self._put(tx, workspace_id, mailbox, words.latest, mail, words.number)

    async def _may_send(self, workspace_id: UUID, kind: str, most: int) -> bool:
        """Count a mail, unless the workspace has sent as many of this kind in 24 hours."""
        try:
            await self._limiter.hit(a_day(most), kind, str(workspace_id))
        except RateLimited:
            return False
        return True

    def _ask_for_proof(self, tx: Transaction, workspace_id: UUID, mailbox: Mailbox) -> None:
        """Mail a secret to the address. Its subject has it too, because servers on the way may encode the text anew."""
        proof = secrets.token_hex(16)
        if MailboxRecords(tx).ask_for_proof(mailbox, proof):
            text = (
                f"Somebody wants to answer mails from {mailbox.address} with Docent. If this mail arrives in the "
                "mailbox that they have entered, they may. Otherwise nothing is sent from your address."
            )
            mail = Mail(mailbox.address, f"Docent answers your mails ({proof})", (text, proof))
            self._mailer.put(tx, workspace_id, mail)

    def _put(
        self, tx: Transaction, workspace_id: UUID, mailbox: Mailbox, to: KeptMail, mail: Mail, mailed_number: int = 0
    ) -> None:
        """Queue `mail` as an answer to the mail `to`."""
        subject = to.subject if _RE.match(to.subject) else f"Re: {to.subject}"
        whole = replace(
            mail,
            to=to.address,
            subject=subject,
            sender=mailbox.address,
            sender_name=AgentRecords(tx).agent(workspace_id, mailbox.agent_id).draft.name,
            in_reply_to=f"<{to.message_id}>" if to.message_id else "",
            references=to.reference_ids,
        )
        mail_id = self._mailer.put(tx, workspace_id, whole, to.conversation_id)
        kept = replace(to, subject=subject, message_id=str(mail_id), place="", mailed_number=mailed_number)
        MailboxMailRecords(tx).add(kept, mail_id)


def _is_sure(turn: StoredTurn) -> bool:
    is_whole = turn.state is TurnState.DONE and turn.finish is Finish.COMPLETE and turn.confirmation is None
    return is_whole and turn.answered_by in _ANSWERS and not turn.low_confidence


def _sources(turn: StoredTurn) -> list[str]:
    return [f"[{each.id}] {one_line(each.title)}\n{each.url}" for each in turn.citations if is_http(each.url)]


def _note(tx: Transaction, agent: LiveAgent, taken: _Taken, *, has_draft: bool) -> None:
    """Add a note on the mail for operators, who do not see the mail itself."""
    conversation = ConversationRecords(tx).own(taken.session.visitor_id, taken.session.conversation_id, Channel.EMAIL)
    if len(InboxRecords(tx).notes(conversation.id)) >= MAX_NOTES:
        return
    lines = [f"A mail from {taken.mail.address}: {taken.mail.subject}"]
    if has_draft:
        lines.append("The agent was not sure or sends nothing itself: its answer here is a draft that nobody was sent.")
    if taken.mail.attachments:
        lines.append(f"Attachments that Docent did not keep: {taken.mail.attachments}.")
    lines.append("What you write to the visitor in the live chat is sent as an answer.")
    InboxRecords(tx).add_note(conversation, _NOTED_BY, "\n".join(lines))
