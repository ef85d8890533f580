"""Visitors by their identity provider's JSON Web Token: real keys, wrong tokens, keys that change, tenants apart."""

import base64
import hashlib
import hmac
import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Final, cast
from uuid import UUID

import jwt
import pytest
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, rsa
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from app.agents.agent import AgentConfig
from app.agents.agents import Agents
from app.agents.signed_user import KeySetReader, user_signature
from app.agents.signed_users import SignedUsers, UserIssuers
from tests.doubles.scripted_key_sets import ScriptedKeySets
from tests.web.house import PAGE, SITE, House, Json
from tests.web.test_signed_users import asked, questions, refusal

ISSUER, AUDIENCE, URL, ANN = "https://id.example.com/", "docs", "https://id.example.com/keys", "auth0|ann"
Claims = dict[str, Any]


@dataclass(frozen=True)
class Key:
    """A real one of the provider's."""

    kid: str
    algorithm: str
    private: Any

    @property
    def jwk(self) -> Json:
        algorithm: Any = jwt.get_algorithm_by_name(self.algorithm)
        told = cast(Json, algorithm.to_jwk(self.private.public_key(), as_dict=True))
        return {**told, "kid": self.kid, "use": "sig", "alg": self.algorithm}

    def signs(self, claims: Mapping[str, Any], **header: object) -> str:
        told = {"kid": self.kid, **header}
        return jwt.encode(dict(claims), self.private, algorithm=self.algorithm, headers=told)


RSA: Final = Key("rsa", "RS256", rsa.generate_private_key(65537, 2048))
EC: Final = Key("ec", "ES256", ec.generate_private_key(ec.SECP256R1()))
ED: Final = Key("ed", "EdDSA", ed25519.Ed25519PrivateKey.generate())
STRANGERS: Final = Key("rsa", "RS256", rsa.generate_private_key(65537, 2048))


def key_sets(house: House) -> ScriptedKeySets:
    return cast(ScriptedKeySets, house.parts.get(KeySetReader))


async def trust(
    house: House, *keys: Key, agent_id: UUID | None = None, url: str = URL, audience: str = AUDIENCE
) -> None:
    key_sets(house).published[url] = [key.jwk for key in keys]
    given = {"issuer": ISSUER, "audience": audience, "jwks_url": url}
    answer = await house.api("PUT", f"/v1/agents/{agent_id or house.agent.id}/user-issuer", given)
    assert answer.status_code == 200, answer.text


def claims_of(house: House, **other: object) -> Claims:
    """Of a token that holds; None leaves one out."""
    now = int(house.clock.now().timestamp())
    claims = {"iss": ISSUER, "aud": AUDIENCE, "sub": ANN, "iat": now, "exp": now + 300, **other}
    return {name: value for name, value in claims.items() if value is not None}


def by(token: str, user_id: str = ANN, **more: object) -> Json:
    return {"user_id": user_id, "user_hash": token, **more}


@pytest.mark.parametrize("key", [RSA, EC, ED], ids=lambda key: key.algorithm)
async def test_whom_the_provider_vouches_for_finds_their_conversation(key: Key, house: House) -> None:
    await trust(house, RSA, EC, ED)
    first = await house.init(**by(key.signs(claims_of(house))))
    await asked(house, first, "Where is my order?")
    elsewhere = await house.init(**by(key.signs(claims_of(house, aud=["other", AUDIENCE]))))
    assert elsewhere["visitor_id"] == first["visitor_id"]
    assert questions(elsewhere) == ["Where is my order?"]
    assert elsewhere["anonymous_id"] is None


@pytest.mark.parametrize(
    ("wrong", "why"),
    [
        ({"iss": "https://id.example.com"}, "another issuer"),
        ({"aud": "shop"}, "audience differs"),
        ({"aud": None}, "lacks aud"),
        ({"exp": None}, "lacks exp"),
        ({"sub": None}, "lacks sub"),
        ({"exp": -61}, "expired"),
        ({"nbf": 61}, "not valid yet"),
        ({"iat": 61}, "not valid yet"),
        ({"exp": "tomorrow"}, ""),
        ({"sub": "auth0|ben"}, "sub is not user_id"),
        ({"sub": ANN + " "}, "sub is not user_id"),
    ],
    ids=str,
)
async def test_a_token_that_does_not_hold_says_why(wrong: Claims, why: str, house: House) -> None:
    await trust(house, RSA)
    now = int(house.clock.now().timestamp())
    moved = {name: now + value if isinstance(value, int) else value for name, value in wrong.items()}
    status, code, message = await refusal(house, **by(RSA.signs(claims_of(house, **moved))))
    assert (status, code) == (401, "unauthorized")
    assert message.startswith("user_hash: ")
    assert why in message


@pytest.mark.parametrize("seconds", [-59, 0, 59])
async def test_clocks_may_differ_by_a_minute(seconds: int, house: House) -> None:
    await trust(house, RSA)
    now = int(house.clock.now().timestamp())
    claims = claims_of(house, iat=now + max(seconds, 0), exp=now + (seconds if seconds < 0 else 300))
    assert (await house.init(**by(RSA.signs(claims))))["visitor_id"]


async def test_only_a_key_pair_of_the_provider_signs(house: House) -> None:
    await trust(house, RSA)
    claims = claims_of(house)
    public = RSA.private.public_key()
    pem = public.public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)
    forged = {
        "another's key of the same id": STRANGERS.signs(claims),
        "no signature": jwt.encode(claims, "", algorithm="none", headers={"kid": "rsa"}),
        "an HMAC by the public key": _hmac(claims, pem),
        "a key in its own header": STRANGERS.signs(
            claims, kid="new", jwk=STRANGERS.jwk, jku="https://evil.example/keys"
        ),
        "claims changed": _changed(RSA.signs(claims_of(house, sub="auth0|ben"))),
    }
    for name, token in forged.items():
        assert (await refusal(house, **by(token)))[0] == 401, name
    assert set(key_sets(house).reads) == {URL}, "no address of a token's is ever read"


def _hmac(claims: Claims, key: bytes) -> str:
    """As an attacker would write it; the library itself refuses to."""

    def part(value: bytes) -> str:
        return base64.urlsafe_b64encode(value).decode().rstrip("=")

    head = part(json.dumps({"alg": "HS256", "kid": "rsa"}).encode())
    body = part(json.dumps(claims).encode())
    return f"{head}.{body}.{part(hmac.digest(key, f'{head}.{body}'.encode(), hashlib.sha256))}"


def _changed(token: str) -> str:
    head, body, signature = token.split(".")
    claims = json.loads(base64.urlsafe_b64decode(body + "=="))
    changed = base64.urlsafe_b64encode(json.dumps({**claims, "sub": ANN}).encode()).decode().rstrip("=")
    return f"{head}.{changed}.{signature}"


async def test_keys_that_change_are_read_again_and_at_most_once_a_minute(house: House) -> None:
    await trust(house, RSA)
    assert (await house.init(**by(RSA.signs(claims_of(house)))))["visitor_id"]
    sets = key_sets(house)
    sets.published[URL] = [EC.jwk]
    house.clock.advance(61)
    assert (await house.init(**by(EC.signs(claims_of(house)))))["visitor_id"], "without a word to us"
    assert (await refusal(house, **by(RSA.signs(claims_of(house)))))[0] == 401, "and the old one is gone"
    before = sets.reads[URL]
    for number in range(20):
        assert (await refusal(house, **by(ED.signs(claims_of(house), kid=f"made-up-{number}"))))[0] == 401
    assert sets.reads[URL] - before <= 1, "made-up key ids cause no flood"


async def test_while_the_provider_is_away_known_keys_hold_for_a_day(house: House) -> None:
    await trust(house, RSA)
    assert (await house.init(**by(RSA.signs(claims_of(house)))))["visitor_id"]
    del key_sets(house).published[URL]
    house.clock.advance(int(timedelta(hours=5).total_seconds()))
    assert (await house.init(**by(RSA.signs(claims_of(house)))))["visitor_id"]
    house.clock.advance(int(timedelta(hours=20).total_seconds()))
    assert (await refusal(house, **by(RSA.signs(claims_of(house)))))[0] == 503
    assert (await house.init())["visitor_id"], "visitors without a token are served as ever"


async def test_a_provider_s_word_is_for_one_agent(house: House) -> None:
    shop = await house.parts.get(Agents).create(house.actor, AgentConfig(name="Shop", allowed_origins=(SITE,)))
    await house.parts.get(Agents).publish(house.actor, shop.id)
    await trust(house, RSA)
    token = RSA.signs(claims_of(house))
    body = {"agent_id": str(shop.id), "page_url": PAGE, **by(token)}
    refused = await house.http.post("/v1/widget/init", json=body, headers={"Origin": SITE})
    assert (refused.status_code, "no identity provider" in refused.text) == (401, True)
    await trust(house, RSA, agent_id=shop.id, audience="shop")
    refused = await house.http.post("/v1/widget/init", json=body, headers={"Origin": SITE})
    assert (refused.status_code, "audience" in refused.text) == (401, True)


async def test_a_server_s_signature_and_a_provider_s_token_hold_beside_each_other(house: House) -> None:
    secret = await house.parts.get(SignedUsers).make_secret(house.actor, house.agent.id)
    await trust(house, RSA)
    by_server = await house.init(user_id=ANN, user_hash=user_signature(secret, ANN))
    assert (await house.init(**by(RSA.signs(claims_of(house)))))["visitor_id"] == by_server["visitor_id"]
    assert (await house.api("DELETE", f"/v1/agents/{house.agent.id}/user-issuer")).status_code == 204
    assert (await refusal(house, **by(RSA.signs(claims_of(house)))))[0] == 401
    assert (await house.init(user_id=ANN, user_hash=user_signature(secret, ANN)))["visitor_id"]


@pytest.mark.parametrize(
    ("given", "field"),
    [
        ({"jwks_url": "http://id.example.com/keys"}, "jwks_url"),
        ({"jwks_url": "https://away.example/keys"}, "jwks_url"),
        ({"jwks_url": "https://empty.example/keys"}, "jwks_url"),
        ({"issuer": "a\nb"}, "issuer"),
        ({"audience": " "}, "audience"),
    ],
    ids=str,
)
async def test_a_provider_that_cannot_be_one_is_refused_by_its_field(given: Json, field: str, house: House) -> None:
    key_sets(house).published["https://empty.example/keys"] = []
    body = {"issuer": ISSUER, "audience": AUDIENCE, "jwks_url": URL, **given}
    answer = await house.api("PUT", f"/v1/agents/{house.agent.id}/user-issuer", body)
    assert (answer.status_code, answer.json()["error"]["field"]) == (422, field)
    assert await house.parts.get(UserIssuers).issuer(house.actor, house.agent.id) is None
