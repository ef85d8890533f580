"""Signing in at an identity provider: what is let in, what is refused, and where one is led."""

import base64
import hmac
import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, quote, urlencode, urlsplit

import httpx2
import jwt
import pytest
from cryptography.hazmat.primitives.asymmetric.rsa import generate_private_key
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from app.core.list_page import PageRequest
from app.mail.mailer import Mailer
from app.providers.identity.oidc_client import OidcClient
from app.providers.identity.oidc_provider import OidcProvider
from app.web.limits_policy import LimitsPolicy
from app.workspaces.audit_entry import AuditFilter
from app.workspaces.operator import ProviderRules, Role
from app.workspaces.operators import Operators, SignInMethods
from app.workspaces.records.audit import AuditRecords
from app.workspaces.records.operators import OperatorRecords
from tests.doubles.fixed_clock import FixedClock
from tests.doubles.oidc_double import CLIENT_ID, ISSUER, OidcDouble
from tests.web.console.browser import PASSWORD, ConsoleBrowser, text_of
from tests.web.house import House, open_house, unlimited

START, ANSWER = "/console/sign-in/provider", "/console/sign-in/provider/answer"
RULES = ProviderRules((("staff", Role.VIEWER), ("docs-admins", Role.ADMIN)))


@dataclass
class Place:
    house: House
    provider: OidcDouble

    async def sign_in(self, browser: ConsoleBrowser, wanted: str = "", **answered: str) -> httpx2.Response:
        """As a browser goes; `answered` differs in what the provider sends back."""
        begun = await browser.get(f"{START}?{urlencode({'next': wanted})}" if wanted else START)
        assert begun.headers["location"].startswith(f"{ISSUER}/authorize"), begun.headers["location"]
        answer = self.provider.let_in(begun.headers["location"], **answered)
        return await browser.get(f"{ANSWER}?{urlencode(answer)}")

    async def refused(self, browser: ConsoleBrowser, response: httpx2.Response) -> str:
        """What the person is told, who is not signed in."""
        assert urlsplit(response.headers["location"]).path == "/console/sign-in"
        told = await browser.flash(response)
        assert (await browser.get("/console/account")).status_code == 303
        return told

    async def operator(self, email: str = "ann@example.com") -> Any:
        return next(iter(await self.house.record.read(lambda tx: OperatorRecords(tx).credentials(email))), None)

    async def audited(self, action: str) -> list[dict[str, Any]]:
        of = AuditFilter(action=action)
        workspace = self.house.actor.workspace_id
        page = await self.house.record.read(lambda tx: AuditRecords(tx).page(workspace, PageRequest(50), of))
        return [dict(entry.details) for entry in page.items]


@asynccontextmanager
async def open_place(
    folder: Path,
    *,
    methods: SignInMethods | None = None,
    limits: LimitsPolicy | None = None,
    public_url: str = "",
) -> AsyncIterator[Place]:
    clock = FixedClock()
    provider = OidcDouble(clock)
    others = {
        OidcProvider: OidcProvider(OidcClient(ISSUER, CLIENT_ID, "a secret"), clock, provider),
        ProviderRules: RULES,
        SignInMethods: methods or SignInMethods(provider="Example ID"),
    }
    mailer = Mailer(is_on=False, public_url=public_url)
    async with open_house(folder, limits=limits, clock=clock, others=others, mailer=mailer) as house:
        yield Place(house, provider)


@pytest.fixture
async def place(tmp_path: Path) -> AsyncIterator[Place]:
    async with open_place(tmp_path) as opened:
        yield opened


async def test_the_provider_is_asked_with_a_challenge_a_state_and_a_nonce(place: Place) -> None:
    begun = await ConsoleBrowser(place.house).get(START)
    asked = {name: value for name, [value] in parse_qs(urlsplit(begun.headers["location"]).query).items()}
    assert (asked["response_type"], asked["client_id"], asked["scope"]) == ("code", CLIENT_ID, "openid email profile")
    assert (asked["code_challenge_method"], asked["redirect_uri"]) == ("S256", f"https://api.test{ANSWER}")
    assert len({asked["state"], asked["nonce"], asked["code_challenge"]}) == 3
    cookie = begun.headers["set-cookie"].lower()
    assert "__secure-docent_attempt=" in cookie
    for part in ("httponly", "secure", "samesite=lax", f"path={START}", "max-age=600"):
        assert part in cookie


async def test_somebody_new_gets_an_account_with_the_role_of_their_group(place: Place) -> None:
    browser = ConsoleBrowser(place.house)
    response = await place.sign_in(browser, "/console/account")
    assert (response.status_code, response.headers["location"]) == (303, "/console/account")
    page = text_of(await browser.page("/console/account"))
    assert "ann@example.com" in page
    assert "viewer" in page
    assert "Change your password" not in page
    assert [each["role"] for each in await place.audited("operator.create")] == ["viewer"]
    assert [each["by"] for each in await place.audited("operator.sign_in")] == ["identity provider"]


async def test_the_account_follows_the_person_and_not_the_address(place: Place) -> None:
    await place.sign_in(ConsoleBrowser(place.house))
    place.provider.person = {"sub": "ann", "email": "ann.lee@example.com", "groups": ["staff", "docs-admins"]}
    browser = ConsoleBrowser(place.house)
    await place.sign_in(browser)
    page = text_of(await browser.page("/console/account"))
    assert "ann@example.com" in page
    assert "admin" in page
    assert (await place.operator("ann.lee@example.com")) is None


async def test_who_is_in_no_group_any_more_is_signed_out_everywhere(place: Place) -> None:
    before, browser = ConsoleBrowser(place.house), ConsoleBrowser(place.house)
    await place.sign_in(before)
    place.provider.person["groups"] = ["strangers"]
    assert "None of your groups" in await place.refused(browser, await place.sign_in(browser))
    assert (await before.get("/console/account")).status_code == 303


@pytest.mark.parametrize("as_the_provider_writes_it", [True, "true"])
async def test_an_account_with_a_password_is_theirs_once_the_address_is_verified(
    place: Place, as_the_provider_writes_it: object
) -> None:
    made = await place.house.parts.get(Operators).add(place.house.actor, "ann@example.com", Role.EDITOR, PASSWORD)
    browser = ConsoleBrowser(place.house)
    told = await place.refused(browser, await place.sign_in(browser))
    assert "does not confirm that it is yours" in told
    place.provider.person["email_verified"] = as_the_provider_writes_it
    assert (await place.sign_in(browser)).headers["location"] == "/console"
    found = await place.operator()
    assert (found.operator.id, found.operator.role) == (made.id, Role.VIEWER)
    place.provider.person["sub"] = "another ann"
    other = ConsoleBrowser(place.house)
    assert "somebody else" in await place.refused(other, await place.sign_in(other))


async def test_a_name_that_looks_like_an_address_opens_nobody_s_account(place: Place) -> None:
    """Some providers let people choose `preferred_username`; what is verified is `email`."""
    await place.house.parts.get(Operators).add(place.house.actor, "ann@example.com", Role.ADMIN, PASSWORD)
    named = {"sub": "eve", "preferred_username": "ann@example.com", "email_verified": True, "groups": ["staff"]}
    place.provider.person = named
    browser = ConsoleBrowser(place.house)
    assert "does not confirm that it is yours" in await place.refused(browser, await place.sign_in(browser))


async def test_no_password_opens_an_account_without_one(place: Place) -> None:
    await place.sign_in(ConsoleBrowser(place.house))
    for guess in ("", "x", PASSWORD):
        response = await ConsoleBrowser(place.house).sign_in("ann@example.com", guess)
        assert response.status_code == 422
    known = "A" * 22 + "." + "0" * 64
    assert (
        await ConsoleBrowser(place.house, {"__Host-docent_device": known}).sign_in("ann@example.com")
    ).is_client_error


async def test_a_disabled_account_stays_out(place: Place) -> None:
    await place.sign_in(ConsoleBrowser(place.house))
    found = await place.operator()
    await place.house.parts.get(Operators).change(place.house.actor, found.operator.id, is_disabled=True)
    browser = ConsoleBrowser(place.house)
    assert "disabled" in await place.refused(browser, await place.sign_in(browser))


def _another_key(provider: OidcDouble) -> None:
    other = generate_private_key(65537, 2048)
    provider.forge = lambda claims: jwt.encode(claims, other, "RS256", headers={"kid": provider.kid})


def _no_signature(provider: OidcDouble) -> None:
    provider.forge = lambda claims: jwt.encode(claims, "", "none")


def _public_key_as_hmac(provider: OidcDouble) -> None:
    """The oldest trick: what everybody can read, taken for a shared secret."""
    public = provider.key.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)

    def forged(claims: dict[str, Any]) -> str:
        parts = ({"alg": "HS256", "kid": provider.kid}, claims)
        text = ".".join(base64url(json.dumps(part).encode()) for part in parts)
        return f"{text}.{base64url(hmac.digest(public, text.encode(), 'sha256'))}"

    provider.forge = forged


def base64url(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).decode().rstrip("=")


def _altered(**claims: object) -> Callable[[OidcDouble], None]:
    return lambda provider: provider.altered.update(claims)


@pytest.mark.parametrize(
    ("spoil", "reason"),
    [
        pytest.param(_altered(nonce="of another sign-in"), "nonce", id="wrong nonce"),
        pytest.param(_altered(nonce=None), "nonce", id="no nonce"),
        pytest.param(_altered(iss="https://evil.example"), "another issuer", id="foreign issuer"),
        pytest.param(_altered(aud="another client"), "audience", id="another client's token"),
        pytest.param(_altered(aud=[CLIENT_ID, "other"], azp="other"), "is not valid:", id="another authorized party"),
        pytest.param(_altered(exp=1_600_000_000), "expired", id="expired token"),
        pytest.param(_altered(exp=None), "lacks exp", id="no expiry"),
        pytest.param(_altered(iat=4_000_000_000), "not valid yet", id="from the future"),
        pytest.param(_altered(exp="soon"), "times", id="times that are none"),
        pytest.param(_altered(sub=None), "lacks sub", id="nobody"),
        pytest.param(_altered(at_hash="AAAA"), "is not valid:", id="another access token"),
        pytest.param(_no_signature, "not accepted", id="alg none"),
        pytest.param(_public_key_as_hmac, "not accepted", id="public key as HMAC"),
        pytest.param(_another_key, "signature is wrong", id="another key of the same id"),
        pytest.param(_altered(groups=None), "None of your groups", id="missing group"),
        pytest.param(_altered(groups={"staff": True}), "None of your groups", id="groups that are no list"),
        pytest.param(_altered(email=None), "no e-mail address", id="no address"),
        pytest.param(_altered(email_verified=False), "not verified", id="an address that is not verified"),
        pytest.param(_altered(email_verified="false"), "not verified", id="not verified, as text"),
        pytest.param(_altered(email_verified="no"), "not verified", id="verified in another word"),
        pytest.param(_altered(email_verified=0), "not verified", id="verified as a number"),
    ],
)
async def test_a_token_that_does_not_hold_signs_nobody_in(
    spoil: Callable[[OidcDouble], None], reason: str, place: Place
) -> None:
    spoil(place.provider)
    browser = ConsoleBrowser(place.house)
    told = await place.refused(browser, await place.sign_in(browser))
    assert reason in told
    assert await place.operator() is None
    assert [each["reason"] for each in await place.audited("operator.refuse_sign_in")] == [told]


async def test_an_answer_is_of_use_once_and_to_the_browser_that_asked_alone(place: Place) -> None:
    victim, thief = ConsoleBrowser(place.house), ConsoleBrowser(place.house)
    begun = await victim.get(START)
    answer = f"{ANSWER}?{urlencode(place.provider.let_in(begun.headers['location']))}"
    assert "began in another browser" in await place.refused(thief, await thief.get(answer))
    await thief.get(START)
    assert "began in another browser" in await place.refused(thief, await thief.get(answer))
    kept = dict(victim.cookies)
    assert (await victim.get(answer)).headers["location"] == "/console"
    again = ConsoleBrowser(place.house, kept)
    assert "invalid_grant" in await place.refused(again, await again.get(answer)), "the code was used"
    assert (await victim.get(answer)).headers["location"] == "/console/sign-in", "the attempt is over"


async def test_an_answer_of_another_issuer_is_refused_before_its_code_is_sent(place: Place) -> None:
    browser = ConsoleBrowser(place.house)
    told = await place.refused(browser, await place.sign_in(browser, iss="https://evil.example"))
    assert "another issuer" in told
    assert "/token" not in place.provider.asked


async def test_a_provider_that_names_itself_in_answers_must_always_do_so(place: Place) -> None:
    place.provider.metadata["authorization_response_iss_parameter_supported"] = True
    browser = ConsoleBrowser(place.house)
    assert "another issuer" in await place.refused(browser, await place.sign_in(browser, iss=""))


async def test_what_the_provider_refuses_is_told_by_its_word_alone(place: Place) -> None:
    for error, told in (("access_denied", "access_denied."), ("<b>Call 555</b>", "no code.")):
        browser = ConsoleBrowser(place.house)
        response = await place.sign_in(browser, error=error)
        assert await place.refused(browser, response) == f"The provider did not sign you in: {told}"


@pytest.mark.parametrize(
    "wanted", ["https://evil.example/", "//evil.example/console", "/console/../v1", "/console//evil.example"]
)
async def test_nobody_is_led_to_another_website(wanted: str, place: Place) -> None:
    response = await place.sign_in(ConsoleBrowser(place.house), wanted)
    assert response.headers["location"] == "/console"


@pytest.mark.parametrize(
    "metadata",
    [
        {"issuer": "https://evil.example"},
        {"token_endpoint": "http://id.example.com/token"},
        {"authorization_endpoint": None},
        {"jwks_uri": "file:///etc/passwd"},
        {"code_challenge_methods_supported": ["plain"]},
    ],
    ids=lambda metadata: next(iter(metadata)),
)
async def test_a_provider_that_does_not_describe_itself_rightly_is_not_used(
    metadata: dict[str, Any], place: Place
) -> None:
    place.provider.metadata = metadata
    browser = ConsoleBrowser(place.house)
    assert await place.refused(browser, await browser.get(START))


async def test_while_the_provider_is_away_passwords_still_open_the_console(place: Place) -> None:
    place.provider.is_away = True
    await place.house.parts.get(Operators).add(place.house.actor, "bob@example.com", Role.EDITOR, PASSWORD)
    browser = ConsoleBrowser(place.house)
    assert "does not answer" in await place.refused(browser, await browser.get(START))
    assert (await browser.sign_in("bob@example.com")).status_code == 303


async def test_a_new_key_of_the_provider_is_fetched_once_it_signs(place: Place) -> None:
    await place.sign_in(ConsoleBrowser(place.house))
    await place.sign_in(ConsoleBrowser(place.house))
    assert place.provider.asked.count("/keys") == 1
    place.provider.key, place.provider.kid = generate_private_key(65537, 2048), "second"
    place.house.clock.advance(61)
    assert (await place.sign_in(ConsoleBrowser(place.house))).headers["location"] == "/console"
    assert place.provider.asked.count("/keys") == 2


async def test_unknown_keys_have_the_provider_asked_once_a_minute(place: Place) -> None:
    await place.sign_in(ConsoleBrowser(place.house))
    place.house.clock.advance(61)
    key = place.provider.key
    place.provider.forge = lambda claims: jwt.encode(claims, key, "RS256", headers={"kid": "never published"})
    for _ in range(3):
        browser = ConsoleBrowser(place.house)
        assert "does not publish" in await place.refused(browser, await place.sign_in(browser))
    assert place.provider.asked.count("/keys") == 2


async def test_tries_are_counted_by_address(tmp_path: Path) -> None:
    async with open_place(tmp_path, limits=replace(unlimited(), sign_ins_per_address=3)) as place:
        statuses = [(await ConsoleBrowser(place.house).get(START)).status_code for _ in "1234"]
        assert statuses == [303, 303, 303, 429]


async def test_with_passwords_switched_off_none_is_asked_for_or_taken(tmp_path: Path) -> None:
    async with open_place(tmp_path, methods=SignInMethods(by_password=False, provider="Example ID")) as place:
        await place.house.parts.get(Operators).add(place.house.actor, "bob@example.com", Role.EDITOR, PASSWORD)
        browser = ConsoleBrowser(place.house)
        page = await browser.page("/console/sign-in?next=/console/account")
        assert "Sign in with Example ID" in text_of(page)
        assert f"{START}?next={quote('/console/account', safe='')}" in page
        assert 'type="password"' not in page
        await place.sign_in(browser)
        token = await browser.token()
        fields = {"email": "bob@example.com", "password": PASSWORD}
        assert (await browser.post("/console/sign-in", fields, token)).status_code == 403
        wanted = {"current_password": PASSWORD, "new_password": "another long password"}
        assert (await browser.post("/console/account/password", wanted)).status_code == 403


async def test_without_a_provider_there_is_no_such_page(house: House) -> None:
    browser = ConsoleBrowser(house)
    assert (await browser.get(START)).status_code == 404
    assert (await browser.get(f"{ANSWER}?code=x&state=y")).status_code == 404
    assert START not in await browser.page("/console/sign-in")


async def test_signing_out_goes_on_to_the_provider(place: Place) -> None:
    place.provider.metadata["end_session_endpoint"] = f"{ISSUER}/logout?realm=docs"
    browser = ConsoleBrowser(place.house)
    await place.sign_in(browser)
    out = await browser.post("/console/sign-out")
    assert out.headers["location"] == "/console/sign-out"
    page = await browser.page("/console/sign-out")
    assert '<meta http-equiv="refresh" content="0; url=/console/sign-out/provider">' in page
    away = urlsplit((await browser.get("/console/sign-out/provider")).headers["location"])
    asked = parse_qs(away.query)
    assert (away.netloc, away.path, asked["realm"]) == ("id.example.com", "/logout", ["docs"])
    assert asked["post_logout_redirect_uri"] == ["https://api.test/console/sign-in"]
    assert jwt.decode(asked["id_token_hint"][0], options={"verify_signature": False})["sub"] == "ann"
    assert (await browser.get("/console/sign-out")).headers["location"] == "/console/sign-in", "once"


async def test_a_provider_without_a_sign_out_is_left_alone(place: Place) -> None:
    browser = ConsoleBrowser(place.house)
    await place.sign_in(browser)
    await browser.post("/console/sign-out")
    told = await browser.flash(await browser.get("/console/sign-out/provider"))
    assert told == "Signed out of Docent, but not of Example ID."


async def test_who_signed_in_by_password_signs_out_here_alone(place: Place) -> None:
    await place.house.parts.get(Operators).add(place.house.actor, "bob@example.com", Role.EDITOR, PASSWORD)
    browser = ConsoleBrowser(place.house)
    await place.sign_in(browser)
    await browser.sign_in("bob@example.com")
    assert (await browser.post("/console/sign-out")).headers["location"] == "/console/sign-in"
