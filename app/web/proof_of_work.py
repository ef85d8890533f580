"""Proof of work that a browser must send before its questions are accepted, so that asking in bulk is expensive.

The challenge follows ALTCHA (https://altcha.org), version 1: find the number for which SHA-256 of salt and number is
the given hash. It is signed instead of stored, expires, and is accepted once.
"""

import base64
import binascii
import hashlib
import hmac
import json
import re
import secrets
from contextlib import suppress
from dataclasses import dataclass
from datetime import timedelta
from typing import Annotated, Any, Final

import structlog
from starlette.requests import Request

from app.agents.agent import LiveAgent
from app.agents.agent_choices import ProofWanted
from app.core.errors import RateLimited
from app.core.turn import VisitorSession
from app.kit.clock import Clock
from app.kit.limits import Limit, RateLimiter
from app.kit.wiring import Wired
from app.web.client_address import ClientAddresses
from app.web.errors import Refusal
from app.web.limits_policy import LimitsPolicy
from app.web.visitor_tokens import LIFETIME as TOKEN_LIFETIME
from app.web.visitor_tokens import VisitorTokens

ALGORITHM: Final = "SHA-256"
MAX_NUMBER: Final = 30_000  # docs/widget.md says how long a phone takes
LIFETIME: Final = TOKEN_LIFETIME + timedelta(minutes=5)  # a challenge may be solved when its token expires
QUESTIONS_PER_PROOF: Final = 5
SUSPICION_SECONDS: Final = 600
MAX_PROOF_CHARS: Final = 1024

_KEY_OF_PROOFS: Final = b"docent proof of work"
# Without the final "&", digits could move between salt and number without changing the hash.
_SALT: Final = re.compile(r"[0-9a-f]{16}\?expires=([0-9]{10})&", re.ASCII)
_FIELDS: Final = {"algorithm": str, "challenge": str, "maxnumber": int, "salt": str, "signature": str, "number": int}

log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Challenge:
    """A challenge. Its salt and number fit into one block of SHA-256."""

    algorithm: str
    challenge: Annotated[str, "SHA-256 of the salt followed by the number in decimal digits, in hexadecimal."]
    maxnumber: Annotated[int, "The largest possible number."]
    salt: str
    signature: str


class ProofRefused(Exception):
    """The proof is not valid; `str(error)` is the reason, for developers of clients."""


class ProofOfWork(Wired):
    """`limiter` stores used challenges. If processes share it, each challenge is accepted once by all of them."""

    _tokens: VisitorTokens
    _limiter: RateLimiter
    _addresses: ClientAddresses
    _limits: LimitsPolicy
    _clock: Clock

    async def challenge(self, agent: LiveAgent) -> Challenge | None:
        """A new challenge; None for an agent that never requires one."""
        if agent.config.proof_of_work is ProofWanted.OFF:
            return None
        expires = int((self._clock.now() + LIFETIME).timestamp())
        salt = f"{secrets.token_hex(8)}?expires={expires}&"
        challenge = _hash_of(salt, secrets.randbelow(MAX_NUMBER + 1))
        key, *_ = await self._tokens.derived_keys(_KEY_OF_PROOFS)
        return Challenge(ALGORITHM, challenge, MAX_NUMBER, salt, _signature(key, challenge))

    async def taken(self, agent: LiveAgent, proof: str) -> str:
        """Check a proof; return its name for the visitor token. Raises ProofRefused."""
        try:
            name = await self._checked(proof)
        except ProofRefused as error:
            log.info("proof.refused", agent_id=str(agent.id), reason=str(error))
            raise
        log.info("proof.taken", agent_id=str(agent.id))
        return name

    async def require(self, request: Request, session: VisitorSession, agent: LiveAgent) -> None:
        """Call this for each question of the visitor. Raises a Refusal if a proof is required first: always, or with
        `suspicious` while the visitor or their network has asked more without a proof than people do."""
        wanted = agent.config.proof_of_work
        if wanted is ProofWanted.OFF:
            return
        try:
            if session.proof:
                await self._limiter.hit(_within(LIFETIME, QUESTIONS_PER_PROOF), "proven", session.proof)
                return
            if wanted is ProofWanted.SUSPICIOUS:
                await self._count_unproven(request, session)
                return
        except RateLimited:
            pass
        log.info("proof.wanted", agent_id=str(agent.id), why=wanted.value)
        raise Refusal(
            "proof_wanted",
            "Solve the challenge of /v1/widget/init, and call it again with the proof: this visitor or network "
            "has asked too often, or the agent always requires one.",
        )

    async def count_conversation(self, request: Request, session: VisitorSession, agent: LiveAgent) -> None:
        """Call this for each new conversation. With `suspicious`, it counts as a question, because asking each question
        in a new conversation, or as a new visitor, is as suspicious. Refuses nothing."""
        if agent.config.proof_of_work is ProofWanted.SUSPICIOUS and not session.proof:
            with suppress(RateLimited):
                await self._count_unproven(request, session)

    async def _count_unproven(self, request: Request, session: VisitorSession) -> None:
        """Count a question without a proof. Raises RateLimited."""
        agent, limits = str(session.agent_id), self._limits
        visitor = Limit(limits.unproven_steps_per_visitor, SUSPICION_SECONDS)
        await self._limiter.hit(visitor, "unproven", agent, "visitor", str(session.visitor_id))
        network = Limit(limits.unproven_steps_per_network, SUSPICION_SECONDS)
        await self._limiter.hit(network, "unproven", agent, "network", self._addresses.network_key(request))

    async def _checked(self, proof: str) -> str:
        fields = _parsed(proof)
        salt = _SALT.fullmatch(fields["salt"])
        if fields["algorithm"] != ALGORITHM or salt is None:
            raise ProofRefused("This challenge is not from this server. Request a new one.")
        keys = await self._tokens.derived_keys(_KEY_OF_PROOFS)
        if not any(hmac.compare_digest(_signature(key, fields["challenge"]), fields["signature"]) for key in keys):
            raise ProofRefused("The signature is invalid. Send the challenge unchanged, with the number.")
        if int(salt[1]) <= self._clock.now().timestamp():
            raise ProofRefused("The challenge has expired.")
        if not hmac.compare_digest(_hash_of(fields["salt"], fields["number"]), fields["challenge"]):
            raise ProofRefused("The number does not solve the challenge.")
        try:
            await self._limiter.hit(_within(LIFETIME, 1), "proof", fields["challenge"])
        except RateLimited:
            raise ProofRefused("The challenge has already been used.") from None
        name: str = fields["challenge"][:32]
        return name


def _parsed(proof: str) -> dict[str, Any]:
    try:
        fields = json.loads(base64.b64decode(proof, validate=True))
    except (ValueError, binascii.Error, RecursionError):
        fields = None
    if not isinstance(fields, dict) or any(type(fields.get(name)) is not kind for name, kind in _FIELDS.items()):
        raise ProofRefused("This is not a proof: send the challenge with its number, as JSON in Base64.")
    if (
        not fields["challenge"].isascii()
        or not fields["signature"].isascii()
        or not 0 <= fields["number"] <= MAX_NUMBER
    ):
        raise ProofRefused("This challenge is not from this server. Request a new one.")
    return fields


def _hash_of(salt: str, number: int) -> str:
    return hashlib.sha256(f"{salt}{number}".encode()).hexdigest()


def _signature(key: bytes, challenge: str) -> str:
    return hmac.new(key, challenge.encode(), hashlib.sha256).hexdigest()


def _within(time: timedelta, count: int) -> Limit:
    return Limit(count, int(time.total_seconds()))
