"""The second factor of one's own account."""

from markupsafe import Markup
from pydantic import Field

from app.web.admission import Admission
from app.web.console.page import Form, Go, NoForm, Pages, Shown, Visit, action, page, read
from app.web.errors import Refusal
from app.workspaces.operators import MAX_PASSWORD_CHARS, Operators
from app.workspaces.second_factor import MAX_CODE_CHARS, is_secret, new_secret, provisioning_uri
from app.workspaces.second_factors import SecondFactors
from app.workspaces.sign_in_methods import SignInMethods


class SwitchOnForm(Form):
    """The secret travels with the form until a code shows that an authenticator has it: nothing is kept before."""

    secret: str = Field(default="", max_length=64)
    code: str = Field(max_length=MAX_CODE_CHARS)
    password: str = Field(max_length=MAX_PASSWORD_CHARS)


class SwitchOffForm(Form):
    own_password: str = Field(max_length=MAX_PASSWORD_CHARS)


class SecondFactorPages(Pages):
    def __init__(
        self, admission: Admission, factors: SecondFactors, operators: Operators, methods: SignInMethods
    ) -> None:
        self._admission = admission
        self._factors = factors
        self._operators = operators
        self._methods = methods

    @page("/console/account/second-factor", access=read, under="account")
    async def second_factor(self, visit: Visit[NoForm]) -> Shown:
        if not self._methods.by_password or not await self._operators.has_password(visit.actor):
            raise Refusal("forbidden", "Your account has no password: the identity provider asks for what it wants.")
        sent = visit.rejected.values.get("secret", ("",))[-1] if visit.rejected else ""
        secret = sent if is_secret(sent) else new_secret()
        return Shown(
            "second_factor.html", {"secret": secret, "drawn": qr_code(provisioning_uri(secret, visit.operator.email))}
        )

    @action("/console/account/second-factor", access=read, shown_on="second_factor")
    async def switch_on_second_factor(self, visit: Visit[SwitchOnForm]) -> Shown:
        """The codes are shown with the answer itself: they go into no cookie and no address."""
        given = visit.input
        await self._count(visit)
        codes = await self._factors.switch_on(visit.actor, given.password, given.secret, given.code)
        return Shown("recovery_codes.html", {"codes": codes})

    @action("/console/account/second-factor/off", access=read, shown_on="account")
    async def switch_off_second_factor(self, visit: Visit[SwitchOffForm]) -> Go:
        await self._count(visit)
        await self._factors.switch_off(visit.actor, visit.input.own_password)
        return Go(visit.url("account"), "Your account asks for no one-time code any more.")

    async def _count(self, visit: Visit[SwitchOnForm] | Visit[SwitchOffForm]) -> None:
        most = self._admission.limits.password_changes_per_operator
        await self._admission.count(most, "password", "operator", str(visit.operator.id))


def qr_code(text: str) -> Markup:
    """An SVG, in black on white on a dark page as well, for cameras want it so."""
    import segno

    drawn = segno.make(text, error="m", micro=False).svg_inline(scale=4, border=4, dark="#000", light="#fff")
    return Markup(drawn)  # noqa: S704 (segno draws squares, and writes none of the text)
