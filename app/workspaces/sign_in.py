"""Signing in and out at the console.

Browsers from which an operator has signed in before are known, and other people's guesses at the account do not count
for them. A device has a random id and its HMAC under the hash of the operator's password: it is known for that account
alone, nothing is stored here, and a new password makes all devices unknown.
"""

import hashlib
import hmac
import re
import secrets
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from app.core.actor import Actor
from app.core.errors import Unauthorized
from app.core.list_page import PageRequest
from app.kit.clock import Clock
from app.kit.password_hasher import PasswordHasher
from app.mail.mail import Mail, MailLink
from app.mail.mailer import Mailer
from app.store.system_of_record import SystemOfRecord, Transaction
from app.workspaces.audit_entry import AuditFilter
from app.workspaces.operator import Operator, OperatorSession
from app.workspaces.operators import MAX_PASSWORD_CHARS, acting
from app.workspaces.records.audit import AuditRecords
from app.workspaces.records.operators import OperatorRecords, SecondFactorRecords
from app.workspaces.records.tokens import TokenRecords

IDLE_FOR_AT_MOST = timedelta(hours=12)
SIGNED_IN_FOR_AT_MOST = timedelta(days=14)
TOUCH_AT_MOST_EVERY = timedelta(minutes=1)

SECRET_BYTES = 32
_DEVICE_ID_BYTES = 16
_DEVICE = re.compile(r"([\w-]{22})\.([0-9a-f]{64})", re.ASCII)
_WRONG = "The e-mail address, password or one-time code is wrong. Check them and try again."
SOMEBODY, _REFUSED = "somebody", "operator.refuse_sign_in"
_WRONG_CODE = "wrong one-time code"
WARN_AFTER_CODES = 3
_MOST_COUNTED = 50


BeforeCode = Callable[[str], Awaitable[None]]


class WrongCode(Unauthorized):
    """The password was right. The response is the same as for any other refusal: without its code, a password is not
    confirmed.
    """


@dataclass(frozen=True, slots=True)
class SignedIn:
    """For the browser: the secret of its session, and the token by which it is known after the session has ended."""

    secret: str = field(repr=False)
    device: str = field(repr=False)
    wrong_codes: int = 0  # with the right password, since the sign-in before


class SignIn:
    """Every refusal has the same text and takes as long, so nothing reveals which addresses have an account."""

    def __init__(self, records: SystemOfRecord, passwords: PasswordHasher, mailer: Mailer, clock: Clock) -> None:
        self._records = records
        self._passwords = passwords
        self._mailer = mailer
        self._clock = clock
        self._nobodys_hash: str | None = None

    async def known_device(self, email: str, device: str) -> str | None:
        """The id of the browser with the token `device`, if it signed in to this account before."""
        if not device:
            return None
        found = await self._records.read(lambda tx: OperatorRecords(tx).credentials(email.strip().lower()))
        return _device_id_of(device, found.password_hash) if found and found.password_hash else None

    async def sign_in(
        self, email: str, password: str, replacing: str = "", *, code: str = "", before_code: BeforeCode | None = None
    ) -> SignedIn:
        """A new session; the one whose secret is `replacing` ends. `before_code` is called with the account's id before
        a code is checked, which only happens if the password is right; it may raise. A refusal raises Unauthorized and
        is audited."""
        found = await self._records.read(lambda tx: OperatorRecords(tx).credentials(email.strip().lower()))
        # An account of an identity provider has no password: none matches, and that takes as long.
        hashed = found.password_hash if found and found.password_hash else await self._hash_of_nobody()
        is_right = await self._passwords.is_right(password[:MAX_PASSWORD_CHARS], hashed)
        if found is None or not is_right or len(password) > MAX_PASSWORD_CHARS or found.operator.is_disabled:
            await self._note_refusal(found.operator if found else None, is_right)
            raise Unauthorized(_WRONG)
        if found.asks_for_code and before_code is not None:
            await before_code(str(found.operator.id))
        renewed = await self._passwords.hash(password) if self._passwords.is_outdated(hashed) else None
        secret = secrets.token_urlsafe(SECRET_BYTES)

        def work(tx: Transaction) -> int:
            current = OperatorRecords(tx).credentials(found.operator.email)
            if current is None or current.password_hash != hashed or current.operator.is_disabled:
                raise Unauthorized(_WRONG)  # changed while the password was checked
            _use_code(tx, current.operator, code, self._clock.now())
            if renewed is not None:
                OperatorRecords(tx).set_password(found.operator.id, renewed)
            operator = found.operator
            wrong = _wrong_codes(tx, operator, operator.signed_in_at) if found.asks_for_code else 0
            start_session(tx, operator, secret, replacing, self._clock.now())
            AuditRecords(tx).acted(acting(operator), "operator.sign_in", operator.id)
            return wrong

        try:
            wrong_codes = await self._records.write(work)
        except WrongCode:
            await self._note_refusal(found.operator, is_right, _WRONG_CODE)
            raise
        return SignedIn(secret, _new_device(renewed or hashed), wrong_codes)

    async def signed_in(self, secret: str) -> Operator | None:
        """The operator of the session with this secret, or None if it is unknown, too old or its operator disabled."""
        session = await self._session(secret)
        if session is None:
            return None
        if self._clock.now() - session.used_at >= TOUCH_AT_MOST_EVERY:
            await self._records.write(lambda tx: OperatorRecords(tx).touch_session(session.id))
        return session.operator

    async def is_signed_in(self, secret: str) -> bool:
        """The same, without extending the session."""
        return await self._session(secret) is not None

    async def _session(self, secret: str) -> OperatorSession | None:
        session = await self._records.read(lambda tx: OperatorRecords(tx).session(sha256_of(secret)))
        return None if session is None or session.operator.is_disabled or self._is_over(session) else session

    async def sign_out(self, secret: str) -> None:
        def work(tx: Transaction) -> None:
            session = OperatorRecords(tx).session(sha256_of(secret))
            if session is not None:
                OperatorRecords(tx).end_session(sha256_of(secret))
                AuditRecords(tx).acted(acting(session.operator), "operator.sign_out", session.operator.id)

        await self._records.write(work)

    async def _note_refusal(self, operator: Operator | None, is_right: bool, why: str = "") -> None:
        """An unknown address is recorded as well, in the first workspace, because it must take as long. It is not named
        there: it may be a password that was typed into the wrong field."""

        def work(tx: Transaction) -> None:
            if operator is None:
                first = TokenRecords(tx).default_workspace()
                AuditRecords(tx).acted(Actor(first, SOMEBODY), _REFUSED, first, reason="no such account")
                return
            reason = why or ("the account is disabled" if is_right else "wrong password")
            by = Actor(operator.workspace_id, SOMEBODY)
            AuditRecords(tx).acted(by, _REFUSED, operator.id, email=operator.email, reason=reason)
            day = self._clock.now() - timedelta(days=1)
            if why and self._mailer.is_on and _wrong_codes(tx, operator, day) == WARN_AFTER_CODES:
                self._mailer.put(tx, operator.workspace_id, self._warning(operator))

        await self._records.write(work)

    def _warning(self, operator: Operator) -> Mail:
        return Mail(
            to=operator.email,
            subject="Wrong one-time codes for your Docent account",
            paragraphs=(
                f"Somebody has entered your password and {WARN_AFTER_CODES} wrong one-time codes within a day. Further "
                "codes are accepted only slowly.",
                "If that was not you, your password is known to somebody: change it now.",
            ),
            link=MailLink("Change your password", self._mailer.url("/console/account")),
            footer="You get this mail because your account asks for one-time codes.",
        )

    def _is_over(self, session: OperatorSession) -> bool:
        now = self._clock.now()
        return now - session.used_at > IDLE_FOR_AT_MOST or now - session.started_at > SIGNED_IN_FOR_AT_MOST

    async def _hash_of_nobody(self) -> str:
        """So that an unknown address costs a check as well. Nobody knows a matching password."""
        if self._nobodys_hash is None:
            self._nobodys_hash = await self._passwords.hash(secrets.token_urlsafe(SECRET_BYTES))
        return self._nobodys_hash


def _wrong_codes(tx: Transaction, operator: Operator, since: datetime | None) -> int:
    """As the audit has them, _MOST_COUNTED at most."""
    only = AuditFilter(action=_REFUSED, subject=str(operator.id), since=since)
    entries = AuditRecords(tx).page(operator.workspace_id, PageRequest(_MOST_COUNTED), only).items
    return sum(each.details.get("reason") == _WRONG_CODE for each in entries)


def _use_code(tx: Transaction, operator: Operator, code: str, now: datetime) -> None:
    """Uses up the code. Raises WrongCode if the account requires another one."""
    factor = SecondFactorRecords(tx).of_operator(operator.id, to_use=True)
    if factor is None:
        return
    left = factor.used(code, now)
    if left is None:
        raise WrongCode(_WRONG)
    SecondFactorRecords(tx).set(operator.id, left)
    if len(left.recovery_sha256) < len(factor.recovery_sha256):
        codes_left = len(left.recovery_sha256)
        AuditRecords(tx).acted(acting(operator), "operator.use_recovery_code", operator.id, codes_left=codes_left)


def start_session(tx: Transaction, operator: Operator, secret: str, replacing: str, now: datetime) -> None:
    """For the operator; the one whose secret is `replacing` ends, and every one that is too old."""
    OperatorRecords(tx).end_session(sha256_of(replacing))
    OperatorRecords(tx).end_sessions_before(now - SIGNED_IN_FOR_AT_MOST)
    OperatorRecords(tx).start_session(operator.id, sha256_of(secret))


def sha256_of(secret: str) -> bytes:
    """Only this is stored."""
    return hashlib.sha256(secret.encode()).digest()


def _new_device(password_hash: str) -> str:
    """The token for the browser."""
    device_id = secrets.token_urlsafe(_DEVICE_ID_BYTES)
    return f"{device_id}.{_mac(password_hash, device_id)}"


def _device_id_of(token: str, password_hash: str) -> str | None:
    """None for a token that was not made for this account, or before its password changed."""
    found = _DEVICE.fullmatch(token)
    if found is None or not hmac.compare_digest(found[2], _mac(password_hash, found[1])):
        return None
    return found[1]


def _mac(password_hash: str, device_id: str) -> str:
    return hmac.new(password_hash.encode(), f"known device {device_id}".encode(), hashlib.sha256).hexdigest()
