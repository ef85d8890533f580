"""The console's pages for one's own account: passkeys, signing in with one, the second factor, and password links."""

from base64 import urlsafe_b64decode, urlsafe_b64encode
from typing import Annotated, Any
from uuid import UUID

import structlog
from markupsafe import Markup
from pydantic import Field
from starlette.responses import RedirectResponse, Response

from app.core.errors import InvalidInput, Unauthorized
from app.kit.timeouts import EvenTime
from app.mail.mailer import Mailer
from app.web.access import Admission
from app.web.console.page import HOME, Form, Go, NoForm, Pages, Query, Shown, Visit, action, everyone, page, read
from app.web.console.rendering import HEADERS
from app.web.console.session_cookie import SESSION
from app.web.errors import Refusal
from app.web.middleware.public_url import base_url_of
from app.web.model import Email
from app.workspaces.api import Password, TypedPassword
from app.workspaces.operator import (
    CODE,
    MAX_CREDENTIAL_CHARS,
    PASSKEY_NAME,
    RelyingParty,
    is_secret,
    new_secret,
    provisioning_uri,
)
from app.workspaces.operators import (
    MIN_PASSWORD_CHARS,
    Operators,
    SecondFactors,
    SignInMethods,
)
from app.workspaces.pages.sign_in import Wanted, address_of_ours, count_password
from app.workspaces.passkeys import Answer, Passkeys
from app.workspaces.password_links import LINK_PATH, TOKEN, PasswordLinks
from app.workspaces.sign_in import SIGNED_IN_FOR_AT_MOST

_log = structlog.get_logger("docent.web")

_MAX_CHALLENGE_CHARS = 100


class PasskeyForm(Form):
    """The page's script fills in both."""

    challenge: str = Field(default="", max_length=_MAX_CHALLENGE_CHARS)
    credential: str = Field(default="", max_length=MAX_CREDENTIAL_CHARS)


class NewPasskey(PasskeyForm):
    name: Annotated[str, PASSKEY_NAME]
    password: TypedPassword


class PasskeySignIn(PasskeyForm):
    next: Query = HOME


class RemoveForm(Form):
    passkey: UUID
    own_password: TypedPassword


class PasskeyPages(Pages):
    _admission: Admission
    _passkeys: Passkeys
    _operators: Operators
    _methods: SignInMethods
    _mailer: Mailer

    @page("/console/account/passkeys", access=read, under="account")
    async def passkeys(self, visit: Visit[NoForm]) -> Shown:
        await _check_has_password(self._methods, self._operators, visit)
        challenge, ceremony = await self._passkeys.options_to_add(visit.operator, self._party(visit), visit.secret)
        found = await self._passkeys.of_operator(visit.operator)
        options = [(str(each.id), each.name) for each in found]
        context = {"found": found, "options": options, "challenge": _text_of(challenge), "ceremony": ceremony}
        return Shown("workspaces/pages/passkeys.html", context)

    @action("/console/account/passkeys", access=read, shown_on="passkeys")
    async def add_passkey(self, visit: Visit[NewPasskey]) -> Go:
        given = visit.input
        await count_password(self._admission, visit)
        await self._passkeys.add(visit.actor, visit.operator, given.password, given.name, self._answer(visit, given))
        return Go(visit.url("passkeys"), f"{given.name} is a passkey of yours now.")

    @action("/console/account/passkeys/remove", access=read, shown_on="passkeys")
    async def remove_passkey(self, visit: Visit[RemoveForm]) -> Go:
        await count_password(self._admission, visit)
        try:
            given = visit.input
            await self._passkeys.remove(visit.actor, visit.operator, given.own_password, given.passkey)
        except InvalidInput as error:
            raise InvalidInput("own_password", error.message) from None
        return Go(visit.url("passkeys"), "Passkey removed.")

    @page("/console/sign-in/passkey", access=everyone)
    async def passkey_sign_in(self, visit: Visit[Wanted]) -> Shown | Go:
        if visit.operator_or_none is not None:
            return Go(address_of_ours(visit, visit.input.next))
        challenge, ceremony = await self._passkeys.options_to_sign_in(self._party(visit), visit.secret)
        own = {"challenge": _text_of(challenge), "ceremony": ceremony, "methods": self._methods}
        return Shown("workspaces/pages/passkey_sign_in.html", {"next": visit.input.next, **own})

    @action("/console/sign-in/passkey", access=everyone, shown_on="passkey_sign_in")
    async def do_passkey_sign_in(self, visit: Visit[PasskeySignIn]) -> Response:
        if not self._methods.by_password:
            raise Refusal("forbidden", f"Passkeys are off here. Sign in with {self._methods.provider}.")
        most = self._admission.limits.sign_ins_per_address
        await self._admission.count_address(most, "passkey_sign_in", visit.request)
        try:
            secret = await self._passkeys.sign_in(self._answer(visit, visit.input), SESSION.read(visit.request))
        except Unauthorized as error:
            _log.warning("operator.sign_in_refused")
            raise InvalidInput("", str(error)) from None
        response = RedirectResponse(address_of_ours(visit, visit.input.next), 303, HEADERS)
        SESSION.set(visit.request, response, secret, SIGNED_IN_FOR_AT_MOST)
        return response

    def _party(self, visit: Visit[Any]) -> RelyingParty:
        """Identified by the address in the settings, else by that of the request."""
        return RelyingParty.at(self._mailer.url("") or base_url_of(visit.request))

    def _answer(self, visit: Visit[Any], given: PasskeyForm) -> Answer:
        return Answer(self._party(visit), visit.secret, _bytes_of(given.challenge), given.credential)


async def _check_has_password(methods: SignInMethods, operators: Operators, visit: Visit[Any]) -> None:
    if not methods.by_password or not await operators.has_password(visit.actor):
        raise Refusal("forbidden", "Your account has no password. Set up a second factor at your identity provider.")


def _text_of(challenge: bytes) -> str:
    return urlsafe_b64encode(challenge).decode().rstrip("=")


def _bytes_of(challenge: str) -> bytes:
    """Decode the challenge; b"", which is never valid, for invalid input."""
    try:
        return urlsafe_b64decode(challenge + "=" * (-len(challenge) % 4))
    except ValueError:
        return b""


class SwitchOnForm(Form):
    """The secret travels with the form until a code proves that an authenticator has it: nothing is stored before."""

    secret: str = Field(default="", max_length=64)
    code: Annotated[str, CODE]
    password: TypedPassword


class SwitchOffForm(Form):
    own_password: TypedPassword


class SecondFactorPages(Pages):
    _admission: Admission
    _factors: SecondFactors
    _operators: Operators
    _methods: SignInMethods

    @page("/console/account/second-factor", access=read, under="account")
    async def second_factor(self, visit: Visit[NoForm]) -> Shown:
        await _check_has_password(self._methods, self._operators, visit)
        sent = visit.rejected.values.get("secret", ("",))[-1] if visit.rejected else ""
        secret = sent if is_secret(sent) else new_secret()
        return Shown(
            "workspaces/pages/second_factor.html",
            {"secret": secret, "drawn": qr_code(provisioning_uri(secret, visit.operator.email))},
        )

    @action("/console/account/second-factor", access=read, shown_on="second_factor")
    async def switch_on_second_factor(self, visit: Visit[SwitchOnForm]) -> Shown:
        """The codes are shown in the response itself, because they must not be in a cookie or an address."""
        given = visit.input
        await count_password(self._admission, visit)
        codes = await self._factors.switch_on(visit.actor, given.password, given.secret, given.code)
        return Shown("workspaces/pages/recovery_codes.html", {"codes": codes})

    @action("/console/account/second-factor/off", access=read, shown_on="account")
    async def switch_off_second_factor(self, visit: Visit[SwitchOffForm]) -> Go:
        await count_password(self._admission, visit)
        await self._factors.switch_off(visit.actor, visit.input.own_password)
        return Go(visit.url("account"), "One-time codes are off. Signing in no longer requires one.")


def qr_code(text: str) -> Markup:
    """An SVG, black on white even on a dark page, because cameras need it so."""
    import segno

    drawn = segno.make(text, error="m", micro=False).svg_inline(scale=4, border=4, dark="#000", light="#fff")
    return Markup(drawn)  # noqa: S704 (segno draws squares, and writes none of the text)


_ASKED = "If an account uses this address and has a password, we have mailed it a link. It is valid for an hour."


class AskForm(Form):
    email: Email


class LinkQuery(Form):
    token: Annotated[str, TOKEN] = ""


class LinkForm(LinkQuery):
    password: Password


class PasswordLinkPages(Pages):
    _admission: Admission
    _links: PasswordLinks
    _methods: SignInMethods
    _even_time: EvenTime

    @page("/console/forgotten", access=everyone)
    async def forgotten_password(self, visit: Visit[NoForm]) -> Shown:
        return Shown(
            "workspaces/pages/forgotten_password.html", {"has_mail": self._links.are_mailed, "methods": self._methods}
        )

    @action("/console/forgotten", access=everyone, shown_on="forgotten_password")
    async def ask_for_link(self, visit: Visit[AskForm]) -> Go:
        await self._count(visit)
        if not self._links.are_mailed:
            return Go(visit.url("sign_in"), "This installation has no mail server. Ask an admin for a link.", "bad")
        async with self._even_time():
            await self._links.ask(visit.input.email)
        return Go(visit.url("sign_in"), _ASKED)

    @page(LINK_PATH, access=everyone)
    async def password_link(self, visit: Visit[LinkQuery]) -> Shown:
        sent = visit.rejected.values.get("token", ("",))[-1] if visit.rejected else visit.input.token
        owner = await self._links.owner(sent)
        return Shown(
            "workspaces/pages/password_link.html", {"token": sent, "owner": owner, "least": MIN_PASSWORD_CHARS}
        )

    @action(LINK_PATH, access=everyone, shown_on="password_link")
    async def use_password_link(self, visit: Visit[LinkForm]) -> Go:
        await self._count(visit)
        owner = await self._links.use(visit.input.token, visit.input.password)
        return Go(visit.url("sign_in"), f"Password set for {owner.email}. Sign in with it.")

    async def _count(self, visit: Visit[AskForm] | Visit[LinkForm]) -> None:
        most = self._admission.limits.password_links_per_address
        await self._admission.count_address(most, "password_link", visit.request)
