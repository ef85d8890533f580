"""The console's pages for everybody: where to go from the server's address, and the first account."""

from typing import Annotated

from starlette.responses import Response

from app.core.errors import InvalidInput
from app.web.access import Admission
from app.web.console.page import HOME, Form, NoForm, Pages, Shown, Visit, action, everyone, page
from app.web.console.session_cookie import SESSION
from app.web.health import WELCOME
from app.web.model import Email
from app.workspaces.api import Password
from app.workspaces.first_account import FIRST_PATH, FirstAccount
from app.workspaces.operators import MIN_PASSWORD_CHARS, SignInMethods
from app.workspaces.pages.sign_in import with_session
from app.workspaces.password_links import TOKEN


class FirstAccountQuery(Form):
    token: Annotated[str, TOKEN] = ""


class FirstAccountForm(FirstAccountQuery):
    email: Email
    password: Password


class WelcomePages(Pages):
    _admission: Admission
    _first: FirstAccount
    _methods: SignInMethods

    @page(WELCOME, access=everyone)
    async def welcome(self, visit: Visit[NoForm]) -> Shown:
        is_first = self._methods.by_password and await self._first.is_wanted()
        return Shown("workspaces/pages/welcome.html", {"is_first": is_first})

    @page(FIRST_PATH, access=everyone)
    async def first_account(self, visit: Visit[FirstAccountQuery]) -> Shown:
        sent = visit.rejected.values.get("token", ("",))[-1] if visit.rejected else visit.input.token
        return Shown(
            "workspaces/pages/first_account.html",
            {"token": sent, "is_right": await self._first.is_right(sent), "least": MIN_PASSWORD_CHARS},
        )

    @action(FIRST_PATH, access=everyone, shown_on="first_account")
    async def create_first_account(self, visit: Visit[FirstAccountForm]) -> Response:
        """Also signs in."""
        most = self._admission.limits.password_links_per_address
        await self._admission.count_address(most, "first_account", visit.request)
        if not self._methods.by_password:
            raise InvalidInput("", f"Passwords are off here. Operators sign in with {self._methods.provider}.")
        given = visit.input
        made = await self._first.create(given.token, given.email, given.password)
        signed_in = await self._admission.sign_in.sign_in(made.email, given.password, SESSION.read(visit.request))
        return with_session(visit, signed_in, HOME)
