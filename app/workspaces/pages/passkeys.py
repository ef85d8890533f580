"""The passkeys of one's own account, and the page that signs in by one."""

from base64 import urlsafe_b64decode, urlsafe_b64encode
from typing import Any
from uuid import UUID

import structlog
from pydantic import Field
from starlette.responses import RedirectResponse, Response

from app.core.errors import InvalidInput, Unauthorized
from app.mail.mailer import Mailer
from app.web.admission import Admission
from app.web.console.page import HOME, Form, Go, NoForm, Pages, Shown, Visit, action, everyone, page, read
from app.web.console.rendering import HEADERS
from app.web.console.session_cookie import secret_of, set_secret
from app.web.errors import Refusal
from app.web.middleware.public_url import base_url_of
from app.workspaces.operators import MAX_PASSWORD_CHARS, Operators
from app.workspaces.pages.sign_in import Wanted, address_of_ours
from app.workspaces.passkey import MAX_CREDENTIAL_CHARS, MAX_NAME_CHARS, RelyingParty
from app.workspaces.passkeys import Answer, Passkeys
from app.workspaces.sign_in import SIGNED_IN_FOR_AT_MOST
from app.workspaces.sign_in_methods import SignInMethods

_log = structlog.get_logger("docent.web")

_MAX_CHALLENGE_CHARS = 100


class PasskeyForm(Form):
    """Both are filled in by the page's script."""

    challenge: str = Field(default="", max_length=_MAX_CHALLENGE_CHARS)
    credential: str = Field(default="", max_length=MAX_CREDENTIAL_CHARS)


class NewPasskey(PasskeyForm):
    name: str = Field(max_length=MAX_NAME_CHARS)
    password: str = Field(max_length=MAX_PASSWORD_CHARS)


class PasskeySignIn(PasskeyForm):
    next: str = Field(default=HOME, max_length=2000)


class RemoveForm(Form):
    passkey: UUID
    own_password: str = Field(max_length=MAX_PASSWORD_CHARS)


class PasskeyPages(Pages):
    def __init__(
        self, admission: Admission, passkeys: Passkeys, operators: Operators, methods: SignInMethods, mailer: Mailer
    ) -> None:
        self._admission = admission
        self._passkeys = passkeys
        self._operators = operators
        self._methods = methods
        self._mailer = mailer

    @page("/console/account/passkeys", access=read, under="account")
    async def passkeys(self, visit: Visit[NoForm]) -> Shown:
        if not self._methods.by_password or not await self._operators.has_password(visit.actor):
            raise Refusal("forbidden", "Your account has no password: the identity provider asks for what it wants.")
        challenge, asked = await self._passkeys.asked_to_add(visit.operator, self._party(visit), visit.secret)
        found = await self._passkeys.of_operator(visit.operator)
        options = [(str(each.id), each.name) for each in found]
        told = {"found": found, "options": options, "challenge": _text_of(challenge), "asked": asked}
        return Shown("passkeys.html", told)

    @action("/console/account/passkeys", access=read, shown_on="passkeys")
    async def add_passkey(self, visit: Visit[NewPasskey]) -> Go:
        given = visit.input
        await self._count_password(visit)
        await self._passkeys.add(visit.actor, visit.operator, given.password, given.name, self._answer(visit, given))
        return Go(visit.url("passkeys"), f"{given.name} is a passkey of yours now.")

    @action("/console/account/passkeys/remove", access=read, shown_on="passkeys")
    async def remove_passkey(self, visit: Visit[RemoveForm]) -> Go:
        await self._count_password(visit)
        try:
            given = visit.input
            await self._passkeys.remove(visit.actor, visit.operator, given.own_password, given.passkey)
        except InvalidInput as error:
            raise InvalidInput("own_password", error.message) from None
        return Go(visit.url("passkeys"), "The passkey is removed.")

    @page("/console/sign-in/passkey", access=everyone)
    async def passkey_sign_in(self, visit: Visit[Wanted]) -> Shown | Go:
        if visit.operator_or_none is not None:
            return Go(address_of_ours(visit, visit.input.next))
        challenge, asked = await self._passkeys.asked_to_sign_in(self._party(visit), visit.secret)
        told = {"next": visit.input.next, "challenge": _text_of(challenge), "asked": asked, "methods": self._methods}
        return Shown("passkey_sign_in.html", told)

    @action("/console/sign-in/passkey", access=everyone, shown_on="passkey_sign_in")
    async def do_passkey_sign_in(self, visit: Visit[PasskeySignIn]) -> Response:
        if not self._methods.by_password:
            raise Refusal("forbidden", f"Passkeys are not taken here. Sign in with {self._methods.provider}.")
        most = self._admission.limits.sign_ins_per_address
        await self._admission.count_address(most, "passkey_sign_in", visit.request)
        try:
            secret = await self._passkeys.sign_in(self._answer(visit, visit.input), secret_of(visit.request))
        except Unauthorized as error:
            _log.warning("operator.sign_in_refused")
            raise InvalidInput("", str(error)) from None
        response = RedirectResponse(address_of_ours(visit, visit.input.next), 303, HEADERS)
        set_secret(visit.request, response, secret, SIGNED_IN_FOR_AT_MOST)
        return response

    def _party(self, visit: Visit[Any]) -> RelyingParty:
        """By the address that the settings name, else the one under which the page is open."""
        return RelyingParty.at(self._mailer.url("") or base_url_of(visit.request))

    def _answer(self, visit: Visit[Any], given: PasskeyForm) -> Answer:
        return Answer(self._party(visit), visit.secret, _bytes_of(given.challenge), given.credential)

    async def _count_password(self, visit: Visit[Any]) -> None:
        most = self._admission.limits.password_changes_per_operator
        await self._admission.count(most, "password", "operator", str(visit.operator.id))


def _text_of(challenge: bytes) -> str:
    return urlsafe_b64encode(challenge).decode().rstrip("=")


def _bytes_of(challenge: str) -> bytes:
    """b"", which is no challenge of ours, for what cannot be read."""
    try:
        return urlsafe_b64decode(challenge + "=" * (-len(challenge) % 4))
    except ValueError:
        return b""
