"""Where who forgot a password asks for a link, and where a link leads to."""

from pydantic import Field

from app.web.admission import Admission
from app.web.console.page import Form, Go, NoForm, Pages, Shown, Visit, action, everyone, page
from app.workspaces.operators import MAX_EMAIL_CHARS, MAX_PASSWORD_CHARS, MIN_PASSWORD_CHARS
from app.workspaces.password_links import LINK_PATH, MAX_TOKEN_CHARS, PasswordLinks
from app.workspaces.sign_in_methods import SignInMethods

_ASKED = "If an account with a password has this address, a mail with a link is on its way. It holds for an hour."


class AskForm(Form):
    email: str = Field(max_length=MAX_EMAIL_CHARS)


class LinkQuery(Form):
    token: str = Field(default="", max_length=MAX_TOKEN_CHARS)


class LinkForm(Form):
    token: str = Field(default="", max_length=MAX_TOKEN_CHARS)
    password: str = Field(min_length=MIN_PASSWORD_CHARS, max_length=MAX_PASSWORD_CHARS)


class PasswordLinkPages(Pages):
    def __init__(self, admission: Admission, links: PasswordLinks, methods: SignInMethods) -> None:
        self._admission = admission
        self._links = links
        self._methods = methods

    @page("/console/forgotten", access=everyone)
    async def forgotten_password(self, visit: Visit[NoForm]) -> Shown:
        return Shown("forgotten_password.html", {"has_mail": self._links.are_mailed, "methods": self._methods})

    @action("/console/forgotten", access=everyone, shown_on="forgotten_password")
    async def ask_for_link(self, visit: Visit[AskForm]) -> Go:
        await self._count(visit)
        if not self._links.are_mailed:
            return Go(visit.url("sign_in"), "This installation sends no mail. Ask an admin for a link.", "bad")
        await self._links.ask(visit.input.email)
        return Go(visit.url("sign_in"), _ASKED)

    @page(LINK_PATH, access=everyone)
    async def password_link(self, visit: Visit[LinkQuery]) -> Shown:
        sent = visit.rejected.values.get("token", ("",))[-1] if visit.rejected else visit.input.token
        owner = await self._links.owner(sent)
        return Shown("password_link.html", {"token": sent, "owner": owner, "least": MIN_PASSWORD_CHARS})

    @action(LINK_PATH, access=everyone, shown_on="password_link")
    async def use_password_link(self, visit: Visit[LinkForm]) -> Go:
        await self._count(visit)
        owner = await self._links.use(visit.input.token, visit.input.password)
        return Go(visit.url("sign_in"), f"The password of {owner.email} is set. Sign in with it.")

    async def _count(self, visit: Visit[AskForm] | Visit[LinkForm]) -> None:
        """Raises RateLimited."""
        most = self._admission.limits.password_links_per_address
        await self._admission.count_address(most, "password_link", visit.request)
