"""More workspaces in one installation: the first one's admins make and see them, and one may leave."""

from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from app.core.actor import MANAGE, READ, SCOPES, WRITE, Actor
from app.core.errors import InvalidInput
from app.core.list_page import PageRequest
from app.mail.mailer import Mailer
from app.store.system_of_record import SystemOfRecord
from app.workspaces.operator import Role
from app.workspaces.operators import Operators, acting
from app.workspaces.records.audit import AuditRecords
from app.workspaces.records.tokens import TokenRecords
from app.workspaces.sign_in import SignIn
from app.workspaces.workspaces import Workspaces
from tests.doubles.fixed_clock import FixedClock
from tests.doubles.plain_password_hasher import PlainPasswordHasher
from tests.doubles.temporary_record import temporary_record

PASSWORD = "correct horse battery"


@dataclass
class Installation:
    record: SystemOfRecord
    workspaces: Workspaces
    operators: Operators
    sign_in: SignIn
    first: Actor

    async def of_shop(self) -> Actor:
        """The admin of a second workspace, signed in."""
        await self.workspaces.create(self.first, "Shop", " Ann@Shop.example", PASSWORD)
        found = await self.sign_in.signed_in((await self.sign_in.sign_in("ann@shop.example", PASSWORD)).secret)
        assert found is not None
        return acting(found)


@pytest.fixture
async def installation(tmp_path: Path) -> AsyncIterator[Installation]:
    clock, hasher = FixedClock(), PlainPasswordHasher()
    async with temporary_record(tmp_path, clock) as record:
        first = await record.write(
            lambda tx: Actor(TokenRecords(tx).default_workspace(), "bob@example.com", frozenset(SCOPES))
        )
        clock.advance(1)
        parts = (
            Workspaces(record, hasher, clock),
            Operators(record, hasher, clock),
            SignIn(record, hasher, Mailer(is_on=False, public_url=""), clock),
        )
        yield Installation(record, *parts, first)


async def test_its_first_admin_signs_in_to_a_workspace_of_their_own(installation: Installation) -> None:
    ann = await installation.of_shop()
    assert ann.workspace_id != installation.first.workspace_id
    assert ann.scopes == {READ, WRITE, MANAGE}
    assert [each.name for each in await installation.workspaces.known(installation.first)] == ["default", "Shop"]


async def test_nobody_but_the_first_ones_admins_sees_or_makes_others(installation: Installation) -> None:
    ann = await installation.of_shop()
    assert [each.name for each in await installation.workspaces.known(ann)] == ["Shop"]
    with pytest.raises(InvalidInput, match="admins of the first workspace"):
        await installation.workspaces.create(ann, "Another", "eve@example.com", PASSWORD)


@pytest.mark.parametrize(
    ("name", "email", "password", "field"),
    [
        pytest.param("", "eve@example.com", PASSWORD, "name", id="no name"),
        pytest.param("Shop", "eve@example.com", PASSWORD, "name", id="a name that is taken"),
        pytest.param("More", "eve", PASSWORD, "email", id="no address"),
        pytest.param("More", "eve@example.com", "short", "password", id="a short password"),
    ],
)
async def test_what_cannot_be_made_is_named_and_leaves_nothing(
    name: str, email: str, password: str, field: str, installation: Installation
) -> None:
    await installation.of_shop()
    with pytest.raises(InvalidInput) as refused:
        await installation.workspaces.create(installation.first, name, email, password)
    assert refused.value.field == field
    assert len(await installation.workspaces.known(installation.first)) == 2


async def test_both_audits_say_who_made_it(installation: Installation) -> None:
    ann = await installation.of_shop()
    with installation.record.reading() as tx:
        own = AuditRecords(tx).page(ann.workspace_id, PageRequest(10))
        firsts = AuditRecords(tx).page(installation.first.workspace_id, PageRequest(10))
    assert ("bob@example.com", "operator.create") in [(each.actor, each.action) for each in own.items]
    assert [(each.actor, each.action) for each in firsts.items] == [("bob@example.com", "workspace.create")]


async def test_who_leaves_is_gone_and_the_last_admin_stays(installation: Installation) -> None:
    ann = await installation.of_shop()
    with pytest.raises(InvalidInput, match="last admin"):
        await installation.operators.leave(ann)
    await installation.operators.add(ann, "eve@example.com", Role.ADMIN, PASSWORD)
    await installation.operators.leave(ann)
    assert [each.email for each in await installation.operators.of_workspace(ann)] == ["eve@example.com"]
