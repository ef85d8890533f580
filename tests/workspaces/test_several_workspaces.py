"""An address with accounts in several workspaces: no workspace learns of another's, and the person gets into each."""

from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path

import pyotp
import pytest

from app.core.actor import SCOPES, Actor
from app.core.errors import InvalidInput, Unauthorized
from app.core.list_page import PageRequest
from app.mail.mailer import Mailer
from app.workspaces.audit_entry import AuditFilter
from app.workspaces.audit_log import AuditLog
from app.workspaces.operator import Operator, Role, new_secret
from app.workspaces.operators import Operators, SecondFactors, SignInMethods, acting
from app.workspaces.password_links import PasswordLinks
from app.workspaces.records.tokens import TokenRecords
from app.workspaces.sign_in import SeveralAccounts, SignIn, WorkspaceChoice
from app.workspaces.workspaces import Workspaces
from tests.doubles.fixed_clock import FixedClock
from tests.doubles.plain_password_hasher import PlainPasswordHasher
from tests.doubles.temporary_record import temporary_record

ANN, HERE, THERE = "ann@example.com", "the password of here", "the password of there"
BROWSER = "the browser's secret"


@dataclass
class Installation:
    """ANN has an account in the first workspace; `shop` manages another one, of which she is no member yet."""

    operators: Operators
    factors: SecondFactors
    links: PasswordLinks
    sign_in: SignIn
    hasher: PlainPasswordHasher
    clock: FixedClock
    log: AuditLog
    first: Actor
    shop: Actor
    ann: Operator

    async def opened(self, password: str, code: str = "") -> Operator:
        """Whose session the password starts."""
        return await self.whose((await self.sign_in.sign_in(ANN, password, BROWSER, code=code)).secret)

    async def choices(self, password: str, code: str = "") -> list[WorkspaceChoice]:
        with pytest.raises(SeveralAccounts) as found:
            await self.sign_in.sign_in(ANN, password, BROWSER, code=code)
        return list(found.value.choices)

    async def whose(self, secret: str) -> Operator:
        found = await self.sign_in.signed_in(secret)
        assert found is not None
        return found

    def code(self, secret: str) -> str:
        return pyotp.TOTP(secret).at(int(self.clock.now().timestamp()))

    async def refusals(self, actor: Actor) -> list[object]:
        page = await self.log.page(actor, PageRequest(50), AuditFilter(action="operator.refuse_sign_in"))
        return [each.details["reason"] for each in page.items]


@pytest.fixture
async def installation(tmp_path: Path) -> AsyncIterator[Installation]:
    clock, hasher = FixedClock(), PlainPasswordHasher()
    mailer = Mailer(is_on=False, public_url="")
    async with temporary_record(tmp_path, clock) as record:
        first = await record.write(lambda tx: Actor(TokenRecords(tx).default_workspace(), "cli", frozenset(SCOPES)))
        clock.advance(1)
        operators, sign_in = Operators(record, hasher, clock), SignIn(record, hasher, mailer, clock)
        await Workspaces(record, hasher, clock).create(first, "Shop", "bob@shop.example", "the password of bob")
        bob = await sign_in.signed_in((await sign_in.sign_in("bob@shop.example", "the password of bob")).secret)
        assert bob is not None
        yield Installation(
            operators,
            SecondFactors(record, hasher, clock),
            PasswordLinks(record, hasher, mailer, SignInMethods(), clock),
            sign_in,
            hasher,
            clock,
            AuditLog(record),
            first,
            acting(bob),
            await operators.add(first, ANN, Role.ADMIN, HERE),
        )


async def test_an_invitation_does_not_depend_on_another_workspaces_people(installation: Installation) -> None:
    for email in (ANN, "nobody@example.com"):
        made = await installation.links.invite(installation.shop, email, Role.VIEWER)
        assert (made.operator.email, made.url.startswith("/console/password?token=")) == (email, True)
    for email in ("other@example.com", "another@example.com"):
        await installation.operators.add(installation.first, email, Role.VIEWER, HERE)
        assert (await installation.operators.add(installation.shop, email, Role.VIEWER, THERE)).email == email
    with pytest.raises(InvalidInput, match="of this workspace already has"):
        await installation.links.invite(installation.shop, ANN, Role.VIEWER)


async def test_the_right_password_decides(installation: Installation) -> None:
    there = await installation.operators.add(installation.shop, ANN, Role.VIEWER, THERE)
    assert (await installation.opened(HERE)).id == installation.ann.id
    assert (await installation.opened(THERE)).id == there.id


async def test_where_the_password_is_that_of_both_the_person_chooses(installation: Installation) -> None:
    there = await installation.operators.add(installation.shop, ANN, Role.VIEWER, HERE)
    choices = await installation.choices(HERE)
    assert [each.workspace for each in choices] == ["default", "Shop"]
    for choice, operator in zip(choices, (installation.ann, there), strict=True):
        with pytest.raises(Unauthorized, match="another browser"):
            await installation.sign_in.choose(choice.token, "another browser's secret")
        signed_in = await installation.sign_in.choose(choice.token, BROWSER)
        assert (await installation.whose(signed_in.secret)).id == operator.id
        assert await installation.sign_in.known_device(ANN, signed_in.device) is not None


@pytest.mark.parametrize("what", ["five minutes", "another password", "disabled", "made up"])
async def test_a_choice_ends(what: str, installation: Installation) -> None:
    there = await installation.operators.add(installation.shop, ANN, Role.VIEWER, HERE)
    token = (await installation.choices(HERE))[1].token
    match what:
        case "five minutes":
            installation.clock.advance(301)
        case "another password":
            await installation.operators.change(installation.shop, there.id, password=THERE)
        case "disabled":
            await installation.operators.change(installation.shop, there.id, is_disabled=True)
        case _:
            token = token[:22] + "A" * (len(token) - 22)
    for tried in (token, token[:5], "", "ü"):
        with pytest.raises(Unauthorized, match="has expired"):
            await installation.sign_in.choose(tried, BROWSER)


async def test_a_sign_in_costs_one_computation_however_many_accounts_there_are(installation: Installation) -> None:
    costs = []
    for _ in range(2):
        installation.hasher.checked.clear()
        with pytest.raises(Unauthorized):
            await installation.opened("a wrong password")
        costs.append(list(installation.hasher.checked))
        made = await installation.links.invite(installation.shop, ANN, Role.VIEWER)
        await installation.links.use(made.url.partition("token=")[2], THERE)
        own = await installation.opened(HERE)
        await installation.operators.change_own_password(acting(own), HERE, "a new password")
        await installation.operators.change(installation.first, own.id, password=HERE)
        await installation.operators.delete(installation.shop, made.operator.id)
        await installation.operators.add(installation.shop, ANN, Role.VIEWER, THERE)
        installation.hasher.checked.clear()
        with pytest.raises(Unauthorized):
            await installation.opened("a wrong password")
        costs.append(list(installation.hasher.checked))
        [there] = [each for each in await installation.operators.of_workspace(installation.shop) if each.email == ANN]
        await installation.operators.delete(installation.shop, there.id)
    assert costs == [["a wrong password"]] * 4


async def test_settings_of_hashes_stay_alike_while_there_are_several(installation: Installation) -> None:
    installation.hasher.outdated.add(f"{installation.hasher.made}:{HERE}")
    await installation.operators.add(installation.shop, ANN, Role.VIEWER, THERE)
    await installation.opened(HERE)
    installation.hasher.checked.clear()
    await installation.opened(THERE)
    assert installation.hasher.checked == [THERE]


async def test_a_refusal_is_audited_in_each_workspace(installation: Installation) -> None:
    there = await installation.operators.add(installation.shop, ANN, Role.VIEWER, THERE)
    await installation.operators.change(installation.shop, there.id, is_disabled=True)
    for password in (THERE, "a wrong password"):
        with pytest.raises(Unauthorized, match="is wrong"):
            await installation.opened(password)
    assert await installation.refusals(installation.first) == ["wrong password", "wrong password"]
    assert await installation.refusals(installation.shop) == ["wrong password", "the account is disabled"]
    assert (await installation.opened(HERE)).id == installation.ann.id


async def test_a_one_time_code_says_which_account_is_meant(installation: Installation) -> None:
    there = await installation.operators.add(installation.shop, ANN, Role.VIEWER, HERE)
    secret = new_secret()
    code = installation.code(secret)
    await installation.factors.switch_on(acting(installation.ann), HERE, secret, code)
    assert (await installation.opened(HERE)).id == there.id, "without a code, the account that requires none"
    with pytest.raises(Unauthorized):
        await installation.opened(HERE, code)  # used
    assert await installation.refusals(installation.first) == ["wrong one-time code"]
    assert await installation.refusals(installation.shop) == []
    installation.clock.advance(30)
    assert len(await installation.choices(HERE, installation.code(secret))) == 2
