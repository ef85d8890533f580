"""Signing in and out, and one's own password."""

import hashlib
import re
from typing import Any

import structlog
from pydantic import Field
from starlette.responses import RedirectResponse, Response

from app.core.errors import InvalidInput, Unauthorized
from app.web.admission import Admission
from app.web.console.page import HOME, Answer, Form, Go, NoForm, Pages, Shown, Visit, action, everyone, page, read
from app.web.console.rendering import HEADERS
from app.web.console.session_cookie import (
    device_of,
    forget_id_token,
    forget_secret,
    id_token_of,
    secret_of,
    set_device,
    set_flash,
    set_secret,
)
from app.web.errors import Refusal
from app.workspaces.operators import MAX_EMAIL_CHARS, MAX_PASSWORD_CHARS, MIN_PASSWORD_CHARS, Operators
from app.workspaces.second_factor import MAX_CODE_CHARS
from app.workspaces.second_factors import SecondFactors
from app.workspaces.sign_in import SIGNED_IN_FOR_AT_MOST
from app.workspaces.sign_in_methods import SignInMethods

_log = structlog.get_logger("docent.web")

_OURS = re.compile(r"/console(/[\w~-][\w.~-]*)*(\?[\w./~%&=+-]*)?", re.ASCII)


class Wanted(Form):
    next: str = Field(default=HOME, max_length=2000)


class SignInForm(Wanted):
    email: str = Field(max_length=MAX_EMAIL_CHARS)
    password: str = Field(max_length=MAX_PASSWORD_CHARS)
    code: str = Field(default="", max_length=MAX_CODE_CHARS)


class PasswordForm(Form):
    current_password: str = Field(max_length=MAX_PASSWORD_CHARS)
    new_password: str = Field(min_length=MIN_PASSWORD_CHARS, max_length=MAX_PASSWORD_CHARS)


class SignInPages(Pages):
    def __init__(
        self, admission: Admission, operators: Operators, methods: SignInMethods, factors: SecondFactors
    ) -> None:
        self._admission = admission
        self._sessions = admission.sign_in
        self._operators = operators
        self._methods = methods
        self._factors = factors

    @page("/console/sign-in", access=everyone)
    async def sign_in(self, visit: Visit[Wanted]) -> Answer:
        if visit.operator_or_none is not None:
            return Go(address_of_ours(visit, visit.input.next))
        return Shown("sign_in.html", {"next": address_of_ours(visit, visit.input.next), "methods": self._methods})

    @action("/console/sign-in", access=everyone, shown_on="sign_in")
    async def do_sign_in(self, visit: Visit[SignInForm]) -> Response:
        given = visit.input
        self._check_passwords()
        await self._count(visit)
        try:
            signed_in = await self._sessions.sign_in(
                given.email, given.password, secret_of(visit.request), code=given.code, before_code=self._count_code
            )
        except Unauthorized as error:
            _log.warning("operator.sign_in_refused")
            raise InvalidInput("", str(error)) from None
        response = RedirectResponse(address_of_ours(visit, given.next), 303, HEADERS)
        set_secret(visit.request, response, signed_in.secret, SIGNED_IN_FOR_AT_MOST)
        set_device(visit.request, response, signed_in.device)
        if self._methods.provider:
            forget_id_token(visit.request, response)
        return response

    async def _count_code(self, account: str) -> None:
        """Raises RateLimited."""
        await self._admission.count(self._admission.limits.codes_per_operator, "code", "operator", account)

    def _check_passwords(self) -> None:
        """Raises Refusal."""
        if not self._methods.by_password:
            raise Refusal("forbidden", f"Passwords are not taken here. Sign in with {self._methods.provider}.")

    async def _count(self, visit: Visit[SignInForm]) -> None:
        """Raises RateLimited."""
        email, limits, addresses = visit.input.email, self._admission.limits, self._admission.addresses
        device = await self._sessions.known_device(email, device_of(visit.request))
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
            forget_secret(visit.request, response)
            return response
        return _to_sign_in(visit, "You are signed out.")

    @page("/console/account", access=read)
    async def account(self, visit: Visit[NoForm]) -> Shown:
        has_password = self._methods.by_password and await self._operators.has_password(visit.actor)
        operator = visit.operator
        factor = await self._factors.state(operator.id, operator.workspace_id) if has_password else None
        told = {"least": MIN_PASSWORD_CHARS, "has_password": has_password, "factor": factor}
        return Shown("account.html", told)

    @action("/console/account/leave", access=read, shown_on="account")
    async def leave_workspace(self, visit: Visit[NoForm]) -> Response:
        await self._operators.leave(visit.actor)
        return _to_sign_in(visit, "You have left. Your account is removed.")

    @action("/console/account/password", access=read, shown_on="account")
    async def change_password(self, visit: Visit[PasswordForm]) -> Response:
        self._check_passwords()
        given, most = visit.input, self._admission.limits.password_changes_per_operator
        await self._admission.count(most, "password", "operator", str(visit.operator.id))
        try:
            await self._operators.change_own_password(visit.actor, given.current_password, given.new_password)
        except InvalidInput as error:
            fields = {"current": "current_password", "password": "new_password"}
            raise InvalidInput(fields.get(error.field, ""), error.message) from None
        return _to_sign_in(visit, "Your password is changed. Sign in with the new one.")


def _to_sign_in(visit: Visit[Any], message: str) -> Response:
    response = RedirectResponse(visit.url("sign_in"), 303, HEADERS)
    forget_secret(visit.request, response)
    set_flash(visit.request, response, "good", message)
    return response


def address_of_ours(visit: Visit[Any], address: str) -> str:
    """An address of the console, whatever was asked for: a link that signs in never leads to another website."""
    path = address.removeprefix(visit.root_path)
    return visit.root_path + (path if _OURS.fullmatch(path) else HOME)
