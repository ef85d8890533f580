"""The console's pages for signing in and out, with a password or at an identity provider, and for the own password.

A pending sign-in at a provider is not stored: state, nonce and PKCE's verifier are derived from a secret in a cookie,
so the provider's response is valid only in the browser that asked, and once."""

import hashlib
import hmac
import re
import secrets
from base64 import urlsafe_b64encode
from typing import Annotated, Any
from urllib.parse import quote, unquote
from uuid import UUID

import structlog
from pydantic import Field
from starlette.responses import RedirectResponse, Response

from app.core.errors import InvalidInput, NotFound, Unauthorized, Unavailable
from app.kit.timeouts import EvenTime
from app.mail.mailer import Mailer
from app.providers.identity.oidc_provider import Attempt, OidcProvider
from app.web.access import Admission
from app.web.console.page import (
    HOME,
    Answer,
    Form,
    Go,
    NoForm,
    Pages,
    Query,
    Shown,
    Visit,
    action,
    everyone,
    page,
    read,
)
from app.web.console.rendering import HEADERS
from app.web.console.session_cookie import ATTEMPT, DEVICE, ID_TOKEN, SESSION, id_token_of, set_flash, set_id_token
from app.web.errors import Refusal
from app.web.limits_policy import codes_limits
from app.web.middleware.public_url import base_url_of
from app.web.model import Email
from app.workspaces.api import Password, TypedPassword
from app.workspaces.operator import CODE
from app.workspaces.operators import (
    MIN_PASSWORD_CHARS,
    Operators,
    SecondFactors,
    SignInMethods,
)
from app.workspaces.provider_sign_in import ProviderSignIn
from app.workspaces.sign_in import SIGNED_IN_FOR_AT_MOST, WARN_AFTER_CODES, SeveralAccounts, SignedIn
from app.workspaces.workspaces import Workspaces

_log = structlog.get_logger("docent.web")

_WRONG_CODES = (
    "Since you last signed in, somebody entered your password and {} wrong one-time codes. If that was not you, change "
    "your password now."
)
_MAX_CHOICE_CHARS = 200
_OURS = re.compile(r"/console(/[\w~-][\w.~-]*)*(\?[\w./~%&=+-]*)?", re.ASCII)


class Wanted(Form):
    next: Query = HOME


class SignInForm(Wanted):
    email: Email
    password: TypedPassword
    code: Annotated[str, CODE] = ""


class ChoiceForm(Wanted):
    """One of the buttons of the page after the password."""

    token: str = Field(default="", max_length=_MAX_CHOICE_CHARS)


class PasswordForm(Form):
    current_password: TypedPassword
    new_password: Password


class SignInPages(Pages):
    def __init__(
        self,
        admission: Admission,
        operators: Operators,
        methods: SignInMethods,
        factors: SecondFactors,
        workspaces: Workspaces,
        even_time: EvenTime,
    ) -> None:
        self._workspaces = workspaces
        self._even_time = even_time
        self._admission = admission
        self._sessions = admission.sign_in
        self._operators = operators
        self._methods = methods
        self._factors = factors

    @page("/console/sign-in", access=everyone)
    async def sign_in(self, visit: Visit[Wanted]) -> Answer:
        if visit.operator_or_none is not None:
            return Go(address_of_ours(visit, visit.input.next))
        return Shown(
            "workspaces/pages/sign_in.html",
            {"next": address_of_ours(visit, visit.input.next), "methods": self._methods},
        )

    @action("/console/sign-in", access=everyone, shown_on="sign_in")
    async def do_sign_in(self, visit: Visit[SignInForm]) -> Answer:
        given, browser = visit.input, SESSION.read(visit.request)
        self._check_passwords()
        await self._count(visit)
        try:
            async with self._even_time(if_refused=True):
                signed_in = await self._sessions.sign_in(
                    given.email, given.password, browser, code=given.code, before_code=self._count_code
                )
        except Unauthorized as error:
            _log.warning("operator.sign_in_refused")
            raise InvalidInput("", str(error)) from None
        except SeveralAccounts as found:
            # In the response itself, because the tokens must not be in a cookie or an address.
            return Shown(
                "workspaces/pages/choose_workspace.html",
                {"choices": found.choices, "accounts": (), "next": address_of_ours(visit, given.next)},
            )
        return self._welcomed(visit, signed_in)

    @action("/console/sign-in/workspace", access=everyone, shown_on="sign_in")
    async def choose_workspace(self, visit: Visit[ChoiceForm]) -> Response:
        self._check_passwords()
        most = self._admission.limits.sign_ins_per_address
        await self._admission.count_address(most, "choose_workspace", visit.request)
        try:
            signed_in = await self._sessions.choose(visit.input.token, SESSION.read(visit.request))
        except Unauthorized as error:
            raise InvalidInput("", str(error)) from None
        return self._welcomed(visit, signed_in)

    def _welcomed(self, visit: Visit[SignInForm] | Visit[ChoiceForm], signed_in: SignedIn) -> Response:
        response = with_session(visit, signed_in, visit.input.next)
        if self._methods.provider:
            ID_TOKEN.forget(visit.request, response)
        if signed_in.wrong_codes >= WARN_AFTER_CODES:
            set_flash(visit.request, response, "bad", _WRONG_CODES.format(signed_in.wrong_codes))
        return response

    async def _count_code(self, account: str) -> None:
        """Raises RateLimited."""
        for limit in codes_limits(self._admission.limits.codes_per_operator):
            await self._admission.limiter.hit(limit, "code", "operator", account, str(limit.seconds))

    def _check_passwords(self) -> None:
        """Raises Refusal."""
        if not self._methods.by_password:
            raise Refusal("forbidden", f"Passwords are off here. Sign in with {self._methods.provider}.")

    async def _count(self, visit: Visit[SignInForm]) -> None:
        email, limits, addresses = visit.input.email, self._admission.limits, self._admission.addresses
        device = await self._sessions.known_device(email, DEVICE.read(visit.request))
        if device is not None:
            await self._admission.count(limits.sign_ins_per_known_device, "sign_in", "device", device)
            return
        address = addresses.limit_key(visit.request)
        await self._admission.count(limits.sign_ins_per_address, "sign_in", "address", address)
        account = hashlib.sha256(email.strip().lower().encode()).hexdigest()
        pair = ("sign_in", "account", account, address)
        await self._admission.count(limits.sign_ins_per_account_and_address, *pair)

    @action("/console/sign-out", access=read)
    async def sign_out(self, visit: Visit[NoForm]) -> Response:
        await self._sessions.sign_out(visit.secret)
        if self._methods.provider and id_token_of(visit.request) is not None:
            response = RedirectResponse(visit.url("signed_out"), 303, HEADERS)
            SESSION.forget(visit.request, response)
            return response
        return _to_sign_in(visit, "You are signed out.")

    @page("/console/account", access=read)
    async def account(self, visit: Visit[NoForm]) -> Shown:
        has_password = self._methods.by_password and await self._operators.has_password(visit.actor)
        operator = visit.operator
        factor = await self._factors.state(operator.id, operator.workspace_id) if has_password else None
        known = await self._workspaces.known(visit.actor)
        context = {
            "least": MIN_PASSWORD_CHARS,
            "has_password": has_password,
            "factor": factor,
            "workspace": next(each.name for each in known if each.id == operator.workspace_id),
        }
        return Shown("workspaces/pages/account.html", context)

    @action("/console/account/leave", access=read, shown_on="account")
    async def leave_workspace(self, visit: Visit[NoForm]) -> Response:
        await self._operators.leave(visit.actor)
        return _to_sign_in(visit, "You left the workspace. Your account is removed.")

    @action("/console/account/password", access=read, shown_on="account")
    async def change_password(self, visit: Visit[PasswordForm]) -> Response:
        self._check_passwords()
        given = visit.input
        await count_password(self._admission, visit)
        try:
            await self._operators.change_own_password(visit.actor, given.current_password, given.new_password)
        except InvalidInput as error:
            fields = {"current": "current_password", "password": "new_password"}
            raise InvalidInput(fields.get(error.field, ""), error.message) from None
        return _to_sign_in(visit, "Password changed. Sign in with the new one.")


async def count_password(admission: Admission, visit: Visit[Any]) -> None:
    """Counts a guess at the operator's own password. Raises RateLimited."""
    most = admission.limits.password_changes_per_operator
    await admission.count(most, "password", "operator", str(visit.operator.id))


def _to_sign_in(visit: Visit[Any], message: str) -> Response:
    response = RedirectResponse(visit.url("sign_in"), 303, HEADERS)
    SESSION.forget(visit.request, response)
    set_flash(visit.request, response, "good", message)
    return response


def with_session(visit: Visit[Any], signed_in: SignedIn, to: str) -> Response:
    response = RedirectResponse(address_of_ours(visit, to), 303, HEADERS)
    SESSION.set(visit.request, response, signed_in.secret, SIGNED_IN_FOR_AT_MOST)
    DEVICE.set(visit.request, response, signed_in.device)
    return response


def address_of_ours(visit: Visit[Any], address: str) -> str:
    """An address of the console, whatever was requested: a sign-in link never leads to another website."""
    path = address.removeprefix(visit.root_path)
    return visit.root_path + (path if _OURS.fullmatch(path) else HOME)


_SECRET_BYTES = 32
_ATTEMPT = re.compile(r"([\w-]{43})\.([0-9a-f]{32}|)\.([\w.%~-]*)", re.ASCII)
_MAX_NEXT_CHARS = 1000
_WORD = re.compile(r"[a-z_]{1,60}")
_LOST = "This sign-in began in another browser or has expired. Sign in again."


class ProviderWanted(Wanted):
    workspace: UUID | None = None


class ProviderAnswer(Form):
    """The parameters with which the provider redirects the browser back (RFC 6749, 4.1.2; RFC 9207)."""

    state: str = Field(default="", max_length=200)
    code: str = Field(default="", max_length=4000)
    error: str = Field(default="", max_length=200)
    iss: str = Field(default="", max_length=2000)


class ProviderSignInPages(Pages):
    _admission: Admission
    _sign_in: ProviderSignIn
    _methods: SignInMethods
    _mailer: Mailer
    _provider: OidcProvider | None

    @page("/console/sign-in/provider", access=everyone)
    async def sign_in_at_provider(self, visit: Visit[ProviderWanted]) -> Response | Go:
        provider = self._there()
        await self._count(visit)
        where, wanted = visit.input.workspace, quote(visit.input.next[:_MAX_NEXT_CHARS], safe="")
        attempt = f"{secrets.token_urlsafe(_SECRET_BYTES)}.{where.hex if where else ''}.{wanted}"
        try:
            url = await provider.authorization_url(self._attempt(visit, attempt))
        except Unavailable as error:
            return self._refused(visit, str(error))
        response = RedirectResponse(url, 303, HEADERS)
        ATTEMPT.set(visit.request, response, attempt)
        return response

    @page("/console/sign-in/provider/answer", access=everyone)
    async def provider_answer(self, visit: Visit[ProviderAnswer]) -> Answer:
        provider, given, kept = self._there(), visit.input, ATTEMPT.read(visit.request)
        await self._count(visit)
        attempt = _ATTEMPT.fullmatch(kept)
        if attempt is None or not hmac.compare_digest(_drawn(kept, "state"), given.state):
            return self._refused(visit, _LOST)
        if given.error or not given.code:
            word = given.error if _WORD.fullmatch(given.error) else "no code"
            return await self._noted(visit, f"The provider did not sign you in: {word}.")
        try:
            identity = await provider.identity(self._attempt(visit, kept), given.code, given.iss)
        except Unauthorized as error:
            return await self._noted(visit, str(error))
        except Unavailable as error:
            return self._refused(visit, str(error))
        where, wanted = UUID(attempt[2]) if attempt[2] else None, unquote(attempt[3])
        try:
            secret = await self._sign_in.sign_in(identity, SESSION.read(visit.request), where)
        except Unauthorized as error:
            return self._refused(visit, str(error))
        if not isinstance(secret, str):
            return Shown("workspaces/pages/choose_workspace.html", {"choices": (), "accounts": secret, "next": wanted})
        response = RedirectResponse(address_of_ours(visit, wanted), 303, HEADERS)
        ATTEMPT.forget(visit.request, response)
        SESSION.set(visit.request, response, secret, SIGNED_IN_FOR_AT_MOST)
        set_id_token(visit.request, response, identity.id_token, SIGNED_IN_FOR_AT_MOST)
        return response

    @page("/console/sign-out", access=everyone)
    async def signed_out(self, visit: Visit[NoForm]) -> Shown | Go:
        """The page after signing out here, which continues to the provider by itself. A redirect of the form would not
        get there, because the console's policy lets no form lead to another host."""
        if self._provider is None or id_token_of(visit.request) is None:
            return Go(visit.url("sign_in"))
        return Shown("workspaces/pages/signed_out.html", {"provider": self._methods.provider})

    @page("/console/sign-out/provider", access=everyone)
    async def sign_out_at_provider(self, visit: Visit[NoForm]) -> Response:
        id_token, there = id_token_of(visit.request), visit.url("sign_in")
        target = None
        if id_token is not None and visit.operator_or_none is None:
            back_to = self._address(visit, "sign_in")
            try:
                target = await self._there().sign_out_url(id_token, back_to)
            except Unavailable as error:
                _log.warning("operator.provider_away", reason=str(error))
        response = RedirectResponse(target or there, 303, HEADERS)
        if visit.operator_or_none is None:
            ID_TOKEN.forget(visit.request, response)
        if target is None:
            set_flash(visit.request, response, "good", f"Signed out of Docent, but not of {self._methods.provider}.")
        return response

    def _there(self) -> OidcProvider:
        if self._provider is None:
            raise NotFound("page")
        return self._provider

    async def _count(self, visit: Visit[Any]) -> None:
        most = self._admission.limits.sign_ins_per_address
        await self._admission.count_address(most, "provider_sign_in", visit.request)

    def _attempt(self, visit: Visit[Any], kept: str) -> Attempt:
        redirect_uri = self._address(visit, "provider_answer")
        return Attempt(redirect_uri, _drawn(kept, "state"), _drawn(kept, "nonce"), _drawn(kept, "verifier"))

    def _address(self, visit: Visit[Any], page: str) -> str:
        """The page's address for the provider, from the settings; else from the request, whose Host the sender
        chooses."""
        path = visit.pages[page].path
        return self._mailer.whole_url(path) or base_url_of(visit.request) + path

    async def _noted(self, visit: Visit[Any], reason: str) -> Response:
        await self._sign_in.note_refusal(reason)
        return self._refused(visit, reason)

    def _refused(self, visit: Visit[Any], reason: str) -> Response:
        _log.warning("operator.sign_in_refused")
        response = RedirectResponse(visit.url("sign_in"), 303, HEADERS)
        ATTEMPT.forget(visit.request, response)
        set_flash(visit.request, response, "bad", reason)
        return response


def _drawn(kept: str, what: str) -> str:
    """43 characters, the minimum for a verifier in RFC 7636."""
    secret = kept.partition(".")[0]
    drawn = hmac.new(secret.encode(), f"docent sign-in {what}".encode(), hashlib.sha256).digest()
    return urlsafe_b64encode(drawn).decode().rstrip("=")
