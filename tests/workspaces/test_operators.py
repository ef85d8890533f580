"""Accounts at the console, and signing in to them."""

from collections.abc import AsyncIterator
from dataclasses import dataclass, replace
from pathlib import Path
from uuid import UUID

import pytest

from app.core.actor import MANAGE, READ, SCOPES, WRITE, Actor
from app.core.errors import InvalidInput, NotFound, Unauthorized
from app.core.list_page import PageRequest
from app.mail.mailer import Mailer
from app.workspaces.audit_entry import AuditFilter
from app.workspaces.audit_log import AuditLog
from app.workspaces.operator import Operator, Role
from app.workspaces.operators import Operators, acting
from app.workspaces.records.tokens import TokenRecords
from app.workspaces.sign_in import SignIn
from tests.doubles.fixed_clock import FixedClock
from tests.doubles.plain_password_hasher import PlainPasswordHasher
from tests.doubles.temporary_record import temporary_record

PASSWORD = "correct horse battery"


@dataclass
class Office:
    operators: Operators
    sign_in: SignIn
    hasher: PlainPasswordHasher
    clock: FixedClock
    actor: Actor
    ann: Operator
    log: AuditLog

    async def signs_in(self, email: str, password: str = PASSWORD, replacing: str = "") -> str:
        """The secret of the session."""
        return (await self.sign_in.sign_in(email, password, replacing)).secret

    async def is_in(self, secret: str) -> bool:
        return await self.sign_in.signed_in(secret) is not None


@pytest.fixture
async def office(tmp_path: Path) -> AsyncIterator[Office]:
    clock, hasher = FixedClock(), PlainPasswordHasher()
    async with temporary_record(tmp_path, clock) as record:
        actor = await record.write(lambda tx: Actor(TokenRecords(tx).default_workspace(), "cli", frozenset(SCOPES)))
        operators = Operators(record, hasher, clock)
        ann = await operators.add(actor, " Ann@Example.com", Role.ADMIN, PASSWORD)
        yield Office(
            operators,
            SignIn(record, hasher, Mailer(is_on=False, public_url=""), clock),
            hasher,
            clock,
            actor,
            ann,
            AuditLog(record),
        )


async def test_an_address_is_kept_in_lower_case_and_taken_once(office: Office) -> None:
    assert office.ann.email == "ann@example.com"
    with pytest.raises(InvalidInput, match="already"):
        await office.operators.add(office.actor, "ANN@example.com", Role.VIEWER, PASSWORD)


@pytest.mark.parametrize("email", ["", "ann", "ann@", "@b", "a b@c", "a@b\n", "a@b,c@d", "<a@b>", "a" * 254 + "@b"])
async def test_what_is_no_address_is_refused(email: str, office: Office) -> None:
    if email == "a@b\n":
        email = "a@b\nc"
    with pytest.raises(InvalidInput) as refused:
        await office.operators.add(office.actor, email, Role.VIEWER, PASSWORD)
    assert refused.value.field == "email"


@pytest.mark.parametrize("length", [0, 11, 257])
async def test_a_password_has_12_to_256_characters(length: int, office: Office) -> None:
    with pytest.raises(InvalidInput, match="12 to 256"):
        await office.operators.add(office.actor, "bob@example.com", Role.VIEWER, "x" * length)
    with pytest.raises(InvalidInput, match="12 to 256"):
        await office.operators.change(office.actor, office.ann.id, password="x" * length)


@pytest.mark.parametrize(
    ("role", "scopes"), [(Role.VIEWER, {READ}), (Role.EDITOR, {READ, WRITE}), (Role.ADMIN, {READ, WRITE, MANAGE})]
)
def test_a_role_is_a_set_of_scopes(role: Role, scopes: set[str]) -> None:
    who = acting(Operator(UUID(int=1), UUID(int=2), "bob@example.com", role, FixedClock().now()))
    assert (who.name, who.workspace_id, set(who.scopes)) == ("bob@example.com", UUID(int=2), scopes)


async def test_a_sign_in_is_a_new_session_that_the_old_one_gives_way_to(office: Office) -> None:
    first = await office.signs_in("ANN@example.com ", PASSWORD)
    second = await office.signs_in("ann@example.com", PASSWORD, replacing=first)
    assert len(second) >= 43
    assert not await office.is_in(first)
    found = await office.sign_in.signed_in(second)
    assert found is not None
    assert (found.id, found.signed_in_at) == (office.ann.id, office.clock.now())


@pytest.mark.parametrize("email", ["ann@example.com", "nobody@example.com", "", "\ud7ff"])
async def test_a_wrong_sign_in_reads_alike_and_costs_a_check(email: str, office: Office) -> None:
    with pytest.raises(Unauthorized, match="e-mail address, password or one-time code is wrong"):
        await office.signs_in(email, "wrong password")
    assert office.hasher.checked == ["wrong password"]


async def test_a_disabled_operator_is_out_and_stays_out(office: Office) -> None:
    await office.operators.add(office.actor, "bob@example.com", Role.ADMIN, PASSWORD)
    secret = await office.signs_in("ann@example.com", PASSWORD)
    await office.operators.change(office.actor, office.ann.id, is_disabled=True)
    assert not await office.is_in(secret)
    with pytest.raises(Unauthorized, match="wrong"):
        await office.signs_in("ann@example.com", PASSWORD)
    await office.operators.change(office.actor, office.ann.id, is_disabled=False)
    assert not await office.is_in(secret)
    assert await office.is_in(await office.signs_in("ann@example.com", PASSWORD))


async def test_another_role_or_password_ends_the_sessions(office: Office) -> None:
    bob = await office.operators.add(office.actor, "bob@example.com", Role.VIEWER, PASSWORD)
    secret = await office.signs_in(bob.email, PASSWORD)
    await office.operators.change(office.actor, bob.id, role=Role.VIEWER)
    assert await office.is_in(secret), "nothing changed"
    await office.operators.change(office.actor, bob.id, role=Role.EDITOR)
    assert not await office.is_in(secret)
    secret = await office.signs_in(bob.email, PASSWORD)
    with pytest.raises(InvalidInput, match="password is wrong"):
        await office.operators.change_own_password(acting(bob), "wrong password", "another password")
    assert await office.is_in(secret)
    await office.operators.change_own_password(acting(bob), PASSWORD, "another password")
    assert not await office.is_in(secret)
    assert await office.is_in(await office.signs_in(bob.email, "another password"))


async def test_a_token_that_is_named_like_an_operator_has_no_account(office: Office) -> None:
    token = replace(acting(office.ann), operator_id=None)
    assert (await office.operators.has_password(acting(office.ann)), await office.operators.has_password(token)) == (
        True,
        False,
    )
    with pytest.raises(InvalidInput, match="password is wrong"):
        await office.operators.change_own_password(token, PASSWORD, "another password")
    with pytest.raises(NotFound):
        await office.operators.leave(token)


async def test_a_session_ends_when_it_is_not_used_or_old(office: Office) -> None:
    secret = await office.signs_in("ann@example.com", PASSWORD)
    for _ in range(14 * 3 - 1):
        office.clock.advance(8 * 3600)
        assert await office.is_in(secret)
    office.clock.advance(9 * 3600)
    assert not await office.is_in(secret), "fourteen days are over"
    secret = await office.signs_in("ann@example.com", PASSWORD)
    office.clock.advance(12 * 3600 + 1)
    assert not await office.is_in(secret), "not used for half a day"


async def test_signing_out_ends_this_session_alone(office: Office) -> None:
    here, there = [await office.signs_in("ann@example.com", PASSWORD) for _ in range(2)]
    await office.sign_in.sign_out(here)
    await office.sign_in.sign_out("no session")
    assert (await office.is_in(here), await office.is_in(there)) == (False, True)


async def test_the_last_admin_stays(office: Office) -> None:
    disabled = await office.operators.add(office.actor, "old@example.com", Role.ADMIN, PASSWORD)
    await office.operators.change(office.actor, disabled.id, is_disabled=True)
    with pytest.raises(InvalidInput, match="last admin"):
        await office.operators.change(office.actor, office.ann.id, role=Role.EDITOR)
    with pytest.raises(InvalidInput, match="last admin"):
        await office.operators.change(office.actor, office.ann.id, is_disabled=True)
    with pytest.raises(InvalidInput, match="last admin"):
        await office.operators.delete(office.actor, office.ann.id)
    await office.operators.add(office.actor, "bob@example.com", Role.ADMIN, PASSWORD)
    await office.operators.delete(office.actor, office.ann.id)
    assert [o.email for o in await office.operators.of_workspace(office.actor)] == ["bob@example.com", disabled.email]


async def test_a_hash_of_former_settings_is_made_anew_at_sign_in(office: Office) -> None:
    made = office.hasher.made
    office.hasher.outdated.add(f"{made}:{PASSWORD}")
    secret = await office.signs_in("ann@example.com", PASSWORD)
    assert office.hasher.made == made + 1
    assert await office.is_in(secret)
    await office.signs_in("ann@example.com", PASSWORD)
    assert office.hasher.made == made + 1


async def test_a_refused_sign_in_is_audited_where_the_account_is(office: Office) -> None:
    bob = await office.operators.add(office.actor, "bob@example.com", Role.ADMIN, PASSWORD)
    await office.operators.change(office.actor, bob.id, is_disabled=True)
    attempts = (("ann@example.com", "wrong password"), ("bob@example.com", PASSWORD), ("my secret", "ann@example.com"))
    for email, password in attempts:
        with pytest.raises(Unauthorized):
            await office.sign_in.sign_in(email, password)
    page = await office.log.page(office.actor, PageRequest(10), AuditFilter(action="operator.refuse_sign_in"))
    assert [(entry.actor, entry.subject, dict(entry.details)) for entry in reversed(page.items)] == [
        ("somebody", str(office.ann.id), {"email": "ann@example.com", "reason": "wrong password"}),
        ("somebody", str(bob.id), {"email": "bob@example.com", "reason": "the account is disabled"}),
        ("somebody", str(office.actor.workspace_id), {"reason": "no such account"}),
    ]


async def test_a_password_that_is_too_long_costs_a_check_as_well(office: Office) -> None:
    with pytest.raises(Unauthorized, match="wrong"):
        await office.sign_in.sign_in("ann@example.com", "x" * 257)
    assert office.hasher.checked == ["x" * 256]


async def test_a_device_is_known_for_its_account_until_the_password_changes(office: Office) -> None:
    bob = await office.operators.add(office.actor, "bob@example.com", Role.VIEWER, PASSWORD)
    known = office.sign_in.known_device
    first, second = [(await office.sign_in.sign_in("bob@example.com", PASSWORD)).device for _ in range(2)]
    assert None is not await known(" BOB@example.com", first) != await known("bob@example.com", second)
    assert await known("ann@example.com", first) is None, "another account"
    assert await known("nobody@example.com", first) is None
    for made_up in ("", "x", first[:-1] + "g", second[:22] + first[22:], first.upper(), first + "\n"):
        assert await known("bob@example.com", made_up) is None
    await office.operators.change(office.actor, bob.id, password="another password")
    assert await known("bob@example.com", first) is None


async def test_a_device_is_known_after_its_sign_in_renewed_the_hash(office: Office) -> None:
    office.hasher.outdated.add(f"{office.hasher.made}:{PASSWORD}")
    signed_in = await office.sign_in.sign_in("ann@example.com", PASSWORD)
    assert await office.sign_in.known_device("ann@example.com", signed_in.device) is not None
