"""Creates the first account of an installation, with a link that the server prints as long as there is no account."""

import hashlib
import hmac
from base64 import urlsafe_b64encode
from typing import Final
from urllib.parse import urlencode
from uuid import uuid4

from app.core.actor import Actor
from app.core.errors import InvalidInput
from app.kit.clock import Clock
from app.kit.password_hasher import PasswordHasher
from app.kit.wiring import Wired
from app.store.system_of_record import SystemOfRecord, Transaction
from app.workspaces.operator import Operator, Role
from app.workspaces.operators import check_password, checked_email
from app.workspaces.records.audit import AuditRecords
from app.workspaces.records.operators import OperatorRecords
from app.workspaces.records.tokens import TokenRecords

FIRST_PATH: Final = "/console/first-account"
_GONE: Final = "This link is invalid, or an account exists already. Sign in, or ask an admin for an invitation."
_BY: Final = "first account"


class FirstAccount(Wired):
    """The link's token is derived from the newest signing key, so that all processes print the same link. It works
    only until there is an account, and never again, because the last admin cannot be removed."""

    _records: SystemOfRecord
    _passwords: PasswordHasher
    _clock: Clock

    async def path(self) -> str:
        """The path of the page with the token; "" once there is an account."""

        def work(tx: Transaction) -> str:
            key = TokenRecords(tx).signing_keys()[0].secret  # the very first call makes one
            return "" if OperatorRecords(tx).has_any() else f"{FIRST_PATH}?{urlencode({'token': _token(key)})}"

        return await self._records.write(work)

    async def is_wanted(self) -> bool:
        return not await self._records.read(lambda tx: OperatorRecords(tx).has_any())

    async def is_right(self, token: str) -> bool:
        return await self._records.read(lambda tx: _is_right(tx, token))

    async def create(self, token: str, email: str, password: str) -> Operator:
        """Create an admin of the first workspace. Raises InvalidInput."""
        email = checked_email(email)
        check_password(password)
        if not await self.is_right(token):
            raise InvalidInput("", _GONE)
        hashed = await self._passwords.hash(password)

        def work(tx: Transaction) -> Operator:
            if not _is_right(tx, token):
                raise InvalidInput("", _GONE)
            workspace_id = TokenRecords(tx).default_workspace()
            operator = Operator(uuid4(), workspace_id, email, Role.ADMIN, self._clock.now())
            OperatorRecords(tx).add(operator, hashed)
            by = Actor(workspace_id, _BY)
            AuditRecords(tx).acted(by, "operator.create", operator.id, email=email, role=operator.role.value)
            return operator

        return await self._records.write(work)


def _is_right(tx: Transaction, token: str) -> bool:
    known = TokenRecords(tx).known_keys()
    if not known or OperatorRecords(tx).has_any():
        return False
    return hmac.compare_digest(token.encode(), _token(known[0].secret).encode())


def _token(key: bytes) -> str:
    return urlsafe_b64encode(hmac.digest(key, b"docent first account", hashlib.sha256)).decode().rstrip("=")
