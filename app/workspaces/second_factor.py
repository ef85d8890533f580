"""The second factor of an account with a password: one-time codes (RFC 6238), and recovery codes."""

import base64
import hashlib
import hmac
import re
import secrets
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final

STEP_SECONDS: Final = 30
SECRET_BYTES: Final = 20  # the length of SHA-1's output, which RFC 4226 recommends
RECOVERY_CODES: Final = 10
MAX_CODE_CHARS: Final = 40
_RECOVERY_BYTES: Final = 10
_ISSUER: Final = "Docent"
_SECRET: Final = re.compile(r"[A-Z2-7]{32}")


@dataclass(frozen=True, slots=True)
class SecondFactor:
    """As stored. `last_step` is the period of the last used code: neither its code nor an earlier one is accepted
    again. `recovery_sha256` are the remaining recovery codes in hexadecimal; each works once."""

    secret: str = field(repr=False)
    last_step: int
    recovery_sha256: Sequence[str]

    def used(self, code: str, now: datetime) -> "SecondFactor | None":
        """The factor after using the code, or None for an invalid code."""
        step = step_of(self.secret, code, now)
        if step is not None:
            return None if step <= self.last_step else SecondFactor(self.secret, step, self.recovery_sha256)
        given = recovery_hash(code)
        if not any(hmac.compare_digest(given, each) for each in self.recovery_sha256):
            return None
        left = tuple(each for each in self.recovery_sha256 if each != given)
        return SecondFactor(self.secret, self.last_step, left)


def new_secret() -> str:
    return base64.b32encode(secrets.token_bytes(SECRET_BYTES)).decode()


def is_secret(text: str) -> bool:
    return _SECRET.fullmatch(text) is not None


def provisioning_uri(secret: str, email: str) -> str:
    """The content of the QR code for an authenticator."""
    import pyotp

    return pyotp.TOTP(secret).provisioning_uri(name=email, issuer_name=_ISSUER)


def step_of(secret: str, code: str, now: datetime) -> int | None:
    """The code's period: this one, or the one before or after, because clocks differ. None if it matches none
    of these."""
    import pyotp

    written, here = "".join(code.split()), int(now.timestamp()) // STEP_SECONDS
    codes = {step: pyotp.TOTP(secret).generate_otp(step) for step in (here, here - 1, here + 1)}
    found = [step for step, each in codes.items() if hmac.compare_digest(each.encode(), written.encode())]
    return found[0] if found else None


def new_recovery_codes() -> list[str]:
    """80 random bits each, in four groups."""
    found = [base64.b32encode(secrets.token_bytes(_RECOVERY_BYTES)).decode().lower() for _ in range(RECOVERY_CODES)]
    return ["-".join(code[at : at + 4] for at in range(0, 16, 4)) for code in found]


def recovery_hash(code: str) -> str:
    """Sufficient to recognise the code, but useless to a reader, because nobody can try 80 bits."""
    plain = "".join(code.lower().split()).replace("-", "")
    return hashlib.sha256(plain.encode()).hexdigest()
