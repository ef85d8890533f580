"""Links with which operators choose a password: invitations, and resets that they request or an admin makes.

Whoever holds a link can set the account's password, once. The link is mailed where the installation has mail, else
shown to whoever made it. It starts with the configured public URL, never with anything from the request.
"""

import secrets
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Annotated, Final
from urllib.parse import urlencode
from uuid import UUID, uuid4

from app.core.actor import Actor
from app.core.errors import InvalidInput
from app.core.setting import at_most
from app.kit.clock import Clock
from app.kit.password_hasher import PasswordHasher
from app.kit.wiring import Wired
from app.mail.mail import Mail, MailLink
from app.mail.mailer import Mailer
from app.store.system_of_record import SystemOfRecord, Transaction, writes
from app.workspaces.operator import Credentials, Operator, Role
from app.workspaces.operators import SignInMethods, acting, check_password, checked_email, hash_for
from app.workspaces.records.audit import AuditRecords
from app.workspaces.records.operators import OperatorRecords, PasskeyRecords, PasswordLinkRecords
from app.workspaces.records.tokens import TokenRecords
from app.workspaces.sign_in import SECRET_BYTES, SOMEBODY, sha256_of

LINK_PATH: Final = "/console/password"
INVITATION_HOLDS: Final = timedelta(days=7)
ADMINS_RESET_HOLDS: Final = timedelta(days=1)
ASKED_RESET_HOLDS: Final = timedelta(hours=1)
LIVE_AT_MOST: Final = 3  # of one account: more are not sent, however often somebody asks
TOKEN: Final = at_most(100)
_GONE: Final = "This link is invalid or has expired. Request a new one."
_BY: Final = "password link"
_NOBODYS: Final = UUID(int=0)
_NOT_YOU: Final = "If you did not request this, ignore this mail: nothing changes."


@dataclass(frozen=True, slots=True)
class MadeLink:
    """`url` is "" when it was mailed."""

    operator: Operator
    url: Annotated[
        str,
        "The link to pass on, shown once. It begins with DOCENT_PUBLIC_URL, or is a path if that is not set. "
        "Null if it was sent by mail.",
    ] = field(repr=False)
    expires_at: datetime


class PasswordLinks(Wired):
    _records: SystemOfRecord
    _passwords: PasswordHasher
    _mailer: Mailer
    methods: SignInMethods
    _clock: Clock

    @property
    def are_mailed(self) -> bool:
        return self._mailer.is_on

    @writes
    def invite(self, tx: Transaction, actor: Actor, email: str, role: Role) -> MadeLink:
        """Create an account without a password. Raises InvalidInput, also for an address that another operator of
        the workspace has."""
        self._check_passwords()
        now = self._clock.now()
        invited = Operator(uuid4(), actor.workspace_id, checked_email(email), role, now, invited_at=now)
        OperatorRecords(tx).add(invited, "")
        AuditRecords(tx).acted(actor, "operator.invite", invited.id, email=invited.email, role=role.value)
        return self._made(tx, actor, invited)

    @writes
    def make(self, tx: Transaction, actor: Actor, operator_id: UUID) -> MadeLink:
        """Make a link for an operator of the actor's workspace; earlier links end. Raises NotFound, InvalidInput."""
        self._check_passwords()
        operator = OperatorRecords(tx).operator(actor.workspace_id, operator_id)
        if operator.is_disabled:
            raise InvalidInput("", "The account is disabled. Enable it first.")
        PasswordLinkRecords(tx).end_of(operator_id)
        AuditRecords(tx).acted(actor, "operator.make_password_link", operator_id)
        return self._made(tx, actor, operator)

    async def ask(self, email: str) -> None:
        """Mail a link for each account with this address that has a password or a pending invitation, without revealing
        whether there is any. Only for installations with mail. Raises InvalidInput."""
        self._check_passwords()
        email = checked_email(email)
        await self._records.write(lambda tx: self._request(tx, email))

    async def owner(self, token: str) -> Operator | None:
        """The operator whose password the link sets; None if it is invalid. This does not use up the link, because mail
        filters open links, too."""
        return await self._records.read(lambda tx: PasswordLinkRecords(tx).owner(sha256_of(token)))

    async def use(self, token: str, password: str) -> Operator:
        """Sets the password and ends every session, link and passkey of the account; its second factor stays. Raises
        InvalidInput."""
        self._check_passwords()
        check_password(password)
        owner = await self.owner(token)
        if owner is None:
            raise InvalidInput("", _GONE)
        hashed = await hash_for(self._records, self._passwords, owner.email, password)

        def work(tx: Transaction) -> Operator:
            operator = PasswordLinkRecords(tx).take(sha256_of(token))
            if operator is None:
                raise InvalidInput("", _GONE)
            OperatorRecords(tx).set_password(operator.id, hashed)
            OperatorRecords(tx).end_sessions(operator.id)
            if PasskeyRecords(tx).remove_all(operator.id):
                AuditRecords(tx).acted(acting(operator), "operator.remove_passkeys", operator.id, by=_BY)
            action = "operator.accept_invitation" if operator.is_invited else "operator.set_password"
            AuditRecords(tx).acted(acting(operator), action, operator.id, by=_BY)
            if self._mailer.is_on and not operator.is_invited:
                self._mailer.put(tx, operator.workspace_id, self._confirmation(operator))
            return operator

        return await self._records.write(work)

    def _check_passwords(self) -> None:
        if not self.methods.by_password:
            raise InvalidInput("", f"Passwords are off here. Operators sign in with {self.methods.provider}.")

    def _request(self, tx: Transaction, email: str) -> None:
        known = OperatorRecords(tx).credentials(email)
        found = [each for each in known if _has_password(each.operator, each.password_hash)]
        PasswordLinkRecords(tx).forget_expired()
        first = TokenRecords(tx).default_workspace()
        for each in found:
            self._reset_of(tx, each, where=each.workspace if len(found) > 1 else "")
        if not found:
            self._reset_of_nobody(tx, first, email)

    def _reset_of(self, tx: Transaction, account: Credentials, where: str) -> None:
        operator, reason = account.operator, ""
        mail, token, expires_at = self._reset_mail(operator.email, where)
        if PasswordLinkRecords(tx).live_count(operator.id) >= LIVE_AT_MOST:
            reason = "enough links of the account hold"
            self._mailer.put_and_drop(tx, operator.workspace_id, mail)
        else:
            PasswordLinkRecords(tx).add(operator.id, sha256_of(token), expires_at)
            self._mailer.put(tx, operator.workspace_id, mail)
        _note_request(tx, operator.workspace_id, operator.id, reason)

    def _reset_of_nobody(self, tx: Transaction, first: UUID, email: str) -> None:
        """Does the same work as for an account, so that the time reveals nothing. The audit does not name the address,
        which may be a password typed into the wrong field."""
        PasswordLinkRecords(tx).live_count(_NOBODYS)
        self._mailer.put_and_drop(tx, first, self._reset_mail(email, "")[0])
        _note_request(tx, first, first, "no account with a password")

    def _reset_mail(self, email: str, where: str) -> tuple[Mail, str, datetime]:
        """The mail, the token of its link, and the link's end."""
        token, expires_at = secrets.token_urlsafe(SECRET_BYTES), self._clock.now() + ASKED_RESET_HOLDS
        return self._reset(email, token, expires_at, _NOT_YOU, where), token, expires_at

    def _made(self, tx: Transaction, actor: Actor, operator: Operator) -> MadeLink:
        PasswordLinkRecords(tx).forget_expired()
        token = secrets.token_urlsafe(SECRET_BYTES)
        expires_at = self._clock.now() + (INVITATION_HOLDS if operator.is_invited else ADMINS_RESET_HOLDS)
        PasswordLinkRecords(tx).add(operator.id, sha256_of(token), expires_at)
        if not self._mailer.is_on:
            return MadeLink(operator, self._url(token), expires_at)
        if operator.is_invited:
            mail = self._invitation(actor, operator, token, expires_at)
        else:
            mail = self._reset(operator.email, token, expires_at, f"{actor.name} created this link for you.")
        self._mailer.put(tx, operator.workspace_id, mail)
        return MadeLink(operator, "", expires_at)

    def _invitation(self, actor: Actor, operator: Operator, token: str, expires_at: datetime) -> Mail:
        return Mail(
            to=operator.email,
            subject="You are invited to Docent",
            paragraphs=(
                f"{actor.name} has created a Docent account for you, as {operator.role.value}. You sign in with "
                f"{operator.email} and a password that you choose now.",
                _holds(expires_at),
            ),
            link=MailLink("Choose a password", self._url(token)),
            footer="You get this mail because somebody entered your address. If you do not know them, ignore it.",
        )

    def _reset(self, email: str, token: str, expires_at: datetime, why: str, where: str = "") -> Mail:
        """`where` names the account's workspace if the address has several accounts."""
        account = f"Docent account in the workspace {where}" if where else "Docent account"
        return Mail(
            to=email,
            subject=f"Choose a new password for Docent ({where})" if where else "Choose a new password for Docent",
            paragraphs=(
                f"This link sets a new password for your {account}, and signs you out everywhere. One-time "
                "codes stay as they are.",
                _holds(expires_at),
            ),
            link=MailLink("Choose a new password", self._url(token)),
            footer=why,
        )

    def _confirmation(self, operator: Operator) -> Mail:
        return Mail(
            to=operator.email,
            subject="Your password for Docent was changed",
            paragraphs=("It was changed through a link that was sent to you. If that was not you, tell an admin now.",),
            link=MailLink("Sign in", self._mailer.url("/console/sign-in")),
        )

    def _url(self, token: str) -> str:
        return self._mailer.url(f"{LINK_PATH}?{urlencode({'token': token})}")


def _note_request(tx: Transaction, workspace_id: UUID, subject: UUID, reason: str) -> None:
    details = {"reason": reason} if reason else {}
    AuditRecords(tx).acted(Actor(workspace_id, SOMEBODY), "operator.ask_password_link", subject, **details)


def _has_password(operator: Operator, password_hash: str) -> bool:
    """Whether the account can get a link: accounts of an identity provider without a password cannot."""
    return not operator.is_disabled and (bool(password_hash) or operator.is_invited)


def _holds(expires_at: datetime) -> str:
    return f"The link works once, until {expires_at:%d %B %Y, %H:%M} UTC."
