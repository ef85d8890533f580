"""Signing in and out at the console.

Browsers from which an operator has signed in before are known, and other people's guesses at the account do not count
for them. A device has a random id and its HMAC under the hash of the operator's password: it is known for that account
alone, nothing is stored here, and a new password makes all devices unknown.
"""

import hashlib
import hmac
import re
import secrets
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Awaitable, Callable, Collection, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from uuid import UUID

from app.core.actor import Actor
from app.core.errors import Unauthorized
from app.core.list_page import PageRequest
from app.kit.clock import Clock
from app.kit.password_hasher import PasswordHasher
from app.mail.mail import Mail, MailLink
from app.mail.mailer import Mailer
from app.store.system_of_record import SystemOfRecord, Transaction
from app.workspaces.audit_entry import AuditFilter
from app.workspaces.operator import Credentials, Operator, OperatorSession, challenged_at, new_challenge
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
CHOICE_HOLDS = timedelta(minutes=5)
_ID_BYTES = 16
_CHOICE_GONE = "This choice has expired or was made in another browser. Sign in again."
_WRONG = "The e-mail address, password or one-time code is wrong. Check them and try again."
SOMEBODY, _REFUSED = "somebody", "operator.refuse_sign_in"
_WRONG_CODE = "wrong one-time code"
WARN_AFTER_CODES = 3
_MOST_COUNTED = 50


BeforeCode = Callable[[str], Awaitable[None]]


class WrongCode(Unauthorized):
    """The password was right, but the one-time code was not. The response is that of any refusal, so that it does not
    confirm the password."""


@dataclass(frozen=True, slots=True)
class WorkspaceChoice:
    """A workspace to choose. The browser that entered the password can sign in to it with `token`."""

    workspace: str
    token: str = field(repr=False)


class SeveralAccounts(Exception):
    """The password fits accounts in several workspaces, of which the person has to choose one."""

    def __init__(self, choices: Sequence[WorkspaceChoice]) -> None:
        super().__init__()
        self.choices = choices


@dataclass(frozen=True, slots=True)
class SignedIn:
    """The secret of the new session, and the token by which the browser is recognised later."""

    secret: str = field(repr=False)
    device: str = field(repr=False)
    wrong_codes: int = 0  # entered with the right password since the previous sign-in


class SignIn:
    """An address may have accounts in several workspaces; the password decides which one is meant. Every refusal has
    the same text and takes one hash computation, so nothing reveals which addresses have accounts, and where."""

    def __init__(self, records: SystemOfRecord, passwords: PasswordHasher, mailer: Mailer, clock: Clock) -> None:
        self._records = records
        self._passwords = passwords
        self._mailer = mailer
        self._clock = clock
        self._nobodys_hash: str | None = None

    async def known_device(self, email: str, device: str) -> str | None:
        """The id of the browser with the token `device`, if it signed in to an account of this address before."""
        if not device:
            return None
        hashes = [each.password_hash for each in await self._accounts(email) if each.password_hash]
        return next((found for each in hashes if (found := _device_id_of(device, each))), None)

    async def sign_in(
        self, email: str, password: str, replacing: str = "", *, code: str = "", before_code: BeforeCode | None = None
    ) -> SignedIn:
        """Sign in, and end the session with the secret `replacing`. If the password is right, `before_code` is called
        with the account's id before the code is checked, and may raise. A refusal raises Unauthorized and is audited.
        Raises SeveralAccounts."""
        accounts = await self._accounts(email)
        # If no account has a password, a hash that nothing matches makes this take as long.
        hashes = [each.password_hash for each in accounts if each.password_hash] or [await self._hash_of_nobody()]
        matching = await self._passwords.matching(password[:MAX_PASSWORD_CHARS], hashes)
        is_short = len(password) <= MAX_PASSWORD_CHARS
        right = [each for each in accounts if is_short and each.password_hash in matching]
        usable = [each for each in right if not each.operator.is_disabled]
        if not usable:
            await self._note_refusals(accounts, right)
            raise Unauthorized(_WRONG)
        if not code:  # without a code, accounts that require one count only if all do
            usable = [each for each in usable if not each.asks_for_code] or usable
        asking = [each for each in usable if each.asks_for_code]
        if before_code is not None:
            for each in asking:
                await before_code(str(each.operator.id))
        # Several accounts of one address keep the same settings, so that one computation is enough for all.
        is_renewed = len(accounts) == 1 and self._passwords.is_outdated(hashes[0])
        renewed = await self._passwords.hash(password) if is_renewed else ""
        secret = secrets.token_urlsafe(SECRET_BYTES)

        def work(tx: Transaction) -> SignedIn | list[WorkspaceChoice]:
            opened = _opened(tx, usable, code, self._clock.now())
            if len(opened) > 1:
                return [_choice(tx, each, replacing, self._clock.now()) for each in opened]
            [account] = opened
            if renewed:
                OperatorRecords(tx).set_password(account.operator.id, renewed)
                account = replace(account, password_hash=renewed)
            return self._started(tx, account, secret, replacing)

        try:
            found = await self._records.write(work)
        except WrongCode:
            await self._note_refusals(asking, right, _WRONG_CODE)
            raise
        if isinstance(found, list):
            raise SeveralAccounts(found)
        return found

    async def choose(self, token: str, browser: str) -> SignedIn:
        """Sign in to the workspace of a WorkspaceChoice by its `token`. `browser` is the secret of the session in which
        the password was entered, and which ends. Raises Unauthorized."""
        secret = secrets.token_urlsafe(SECRET_BYTES)

        def work(tx: Transaction) -> SignedIn:
            account = _chosen(tx, token, browser, self._clock.now())
            if account is None:
                raise Unauthorized(_CHOICE_GONE)
            return self._started(tx, account, secret, browser)

        return await self._records.write(work)

    def _started(self, tx: Transaction, account: Credentials, secret: str, replacing: str) -> SignedIn:
        operator = account.operator
        wrong = _wrong_codes(tx, operator, operator.signed_in_at) if account.asks_for_code else 0
        start_session(tx, operator, secret, replacing, self._clock.now())
        AuditRecords(tx).acted(acting(operator), "operator.sign_in", operator.id)
        return SignedIn(secret, _new_device(account.password_hash), wrong)

    async def _accounts(self, email: str) -> list[Credentials]:
        return await self._records.read(lambda tx: OperatorRecords(tx).credentials(email.strip().lower()))

    async def signed_in(self, secret: str) -> Operator | None:
        """The operator of the session with this secret; None if it is unknown or too old, or the operator is
        disabled."""
        session = await self._session(secret)
        if session is None:
            return None
        if self._clock.now() - session.used_at >= TOUCH_AT_MOST_EVERY:
            await self._records.write(lambda tx: OperatorRecords(tx).touch_session(session.id))
        return session.operator

    async def is_signed_in(self, secret: str) -> bool:
        """Like `signed_in`, without extending the session."""
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

    async def _note_refusals(
        self, accounts: Collection[Credentials], right: Collection[Credentials], why: str = ""
    ) -> None:
        """Audit a refusal for each account. An unknown address is audited in the first workspace, because that must
        take as long; it is not named, because it may be a password typed into the wrong field."""

        def work(tx: Transaction) -> None:
            if not accounts:
                first = TokenRecords(tx).default_workspace()
                AuditRecords(tx).acted(Actor(first, SOMEBODY), _REFUSED, first, reason="no such account")
            for each in accounts:
                operator = each.operator
                reason = why or ("the account is disabled" if each in right else "wrong password")
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
        """A hash that no known password matches, so that an unknown address takes as long to check."""
        if self._nobodys_hash is None:
            self._nobodys_hash = await self._passwords.hash(secrets.token_urlsafe(SECRET_BYTES))
        return self._nobodys_hash


def _wrong_codes(tx: Transaction, operator: Operator, since: datetime | None) -> int:
    """The number of audited wrong codes since then, at most _MOST_COUNTED."""
    only = AuditFilter(action=_REFUSED, subject=str(operator.id), since=since)
    entries = AuditRecords(tx).page(operator.workspace_id, PageRequest(_MOST_COUNTED), only).items
    return sum(each.details.get("reason") == _WRONG_CODE for each in entries)


def _opened(tx: Transaction, usable: Sequence[Credentials], code: str, now: datetime) -> list[Credentials]:
    """The accounts that need no code or that the code opens; uses up the code. Raises WrongCode if it opens none of
    those that need one, Unauthorized if the accounts have changed since the password was checked."""
    current = OperatorRecords(tx).credentials(usable[0].operator.email)
    hashes = {each.operator.id: each.password_hash for each in usable}
    same = [each for each in current if each.password_hash == hashes.get(each.operator.id)]
    same = [each for each in same if not each.operator.is_disabled]
    opened = [each for each in same if _use_code(tx, each.operator, code, now)]
    if len(opened) < len(same) and not any(each.asks_for_code for each in opened):
        raise WrongCode(_WRONG)
    if not opened:
        raise Unauthorized(_WRONG)
    return opened


def _use_code(tx: Transaction, operator: Operator, code: str, now: datetime) -> bool:
    """Use up the code; False if it is wrong. True for an account that needs none."""
    factor = SecondFactorRecords(tx).of_operator(operator.id, to_use=True)
    if factor is None:
        return True
    left = factor.used(code, now)
    if left is None:
        return False
    SecondFactorRecords(tx).set(operator.id, left)
    if len(left.recovery_sha256) < len(factor.recovery_sha256):
        codes_left = len(left.recovery_sha256)
        AuditRecords(tx).acted(acting(operator), "operator.use_recovery_code", operator.id, codes_left=codes_left)
    return True


def _choice(tx: Transaction, account: Credentials, browser: str, now: datetime) -> WorkspaceChoice:
    challenge = new_challenge(_choice_key(tx, account), browser, now)
    return WorkspaceChoice(account.workspace, urlsafe_b64encode(account.operator.id.bytes + challenge).decode())


def _chosen(tx: Transaction, token: str, browser: str, now: datetime) -> Credentials | None:
    """None for a token of another browser, an old one, or one whose account has changed since."""
    try:
        read = urlsafe_b64decode(token)
        operator_id = UUID(bytes=read[:_ID_BYTES])
    except ValueError:
        return None
    account = OperatorRecords(tx).credentials_of(operator_id)
    if account is None or account.operator.is_disabled:
        return None
    made = challenged_at(_choice_key(tx, account), browser, read[_ID_BYTES:], now)
    is_young = made is not None and now.timestamp() - made / 1_000_000 <= CHOICE_HOLDS.total_seconds()
    return account if is_young else None


def _choice_key(tx: Transaction, account: Credentials) -> bytes:
    """Derived from the password hash as well, so that a new password invalidates the choice."""
    message = b"docent workspace choice" + account.operator.id.bytes + account.password_hash.encode()
    return hmac.digest(TokenRecords(tx).signing_keys()[0].secret, message, hashlib.sha256)


def start_session(tx: Transaction, operator: Operator, secret: str, replacing: str, now: datetime) -> None:
    """Start a session with this secret; end the one with the secret `replacing`, and all that are too old."""
    OperatorRecords(tx).end_session(sha256_of(replacing))
    OperatorRecords(tx).end_sessions_before(now - SIGNED_IN_FOR_AT_MOST)
    OperatorRecords(tx).start_session(operator.id, sha256_of(secret))


def sha256_of(secret: str) -> bytes:
    """The form in which a secret is stored."""
    return hashlib.sha256(secret.encode()).digest()


def _new_device(password_hash: str) -> str:
    """A token by which the browser is recognised at its next sign-in."""
    device_id = secrets.token_urlsafe(_DEVICE_ID_BYTES)
    return f"{device_id}.{_mac(password_hash, device_id)}"


def _device_id_of(token: str, password_hash: str) -> str | None:
    """The device's id; None for a token of another account, or from before the password changed."""
    found = _DEVICE.fullmatch(token)
    if found is None or not hmac.compare_digest(found[2], _mac(password_hash, found[1])):
        return None
    return found[1]


def _mac(password_hash: str, device_id: str) -> str:
    return hmac.new(password_hash.encode(), f"known device {device_id}".encode(), hashlib.sha256).hexdigest()
