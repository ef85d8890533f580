import hashlib
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path
from uuid import UUID

import pytest

from app.core.actor import READ, SCOPES, Actor
from app.core.errors import InvalidInput, NotFound, Unauthorized
from app.store.system_of_record import SystemOfRecord
from app.workspaces.api_tokens import ApiTokens, is_well_formed, new_token
from app.workspaces.records.tokens import TokenRecords
from tests.doubles.fixed_clock import FixedClock
from tests.doubles.temporary_record import temporary_record
from tests.every_row import every_row


@dataclass
class Office:
    tokens: ApiTokens
    record: SystemOfRecord
    clock: FixedClock
    workspace: UUID

    @property
    def actor(self) -> Actor:
        return Actor(self.workspace, "tests", frozenset(SCOPES))

    async def last_used(self) -> object:
        return (await self.tokens.of_workspace(self.actor))[0].last_used_at


@pytest.fixture
async def office(tmp_path: Path) -> AsyncIterator[Office]:
    clock = FixedClock()
    async with temporary_record(tmp_path, clock) as record:
        workspace = await record.write(lambda tx: TokenRecords(tx).default_workspace())
        yield Office(ApiTokens(record, clock), record, clock, workspace)


def test_a_token_is_long_random_and_checked() -> None:
    token = new_token()
    assert token.startswith("dct_")
    assert len(token) == len("dct_") + 43 + 6
    assert token != new_token()
    assert is_well_formed(token)


@every_row("damage", [lambda t: t[:-1], lambda t: t + "a", lambda t: "x" + t[1:], lambda t: t.upper()])
def test_a_damaged_token_is_known_without_a_look_at_the_record(damage: object) -> None:
    assert callable(damage)
    assert not is_well_formed(damage(new_token()))


def test_every_single_changed_character_is_noticed() -> None:
    token = new_token()
    for place in range(4, len(token)):
        other = "A" if token[place] != "A" else "B"
        assert not is_well_formed(token[:place] + other + token[place + 1 :])


async def test_a_token_is_shown_once_and_known_by_its_hash(office: Office) -> None:
    issued = await office.tokens.issue(office.actor, "laptop", (READ,))
    assert issued.token not in repr(issued)
    assert issued.record.prefix == issued.token[:12]
    actor = await office.tokens.verify(issued.token)
    assert actor == Actor(office.workspace, "laptop", frozenset({READ}), token_id=issued.record.id)
    with office.record.reading() as tx:
        assert TokenRecords(tx).find_token(hashlib.sha256(issued.token.encode()).digest())


async def test_a_token_ends_with_its_days(office: Office) -> None:
    issued = await office.tokens.issue(office.actor, "week", days=7)
    office.clock.advance(7 * 24 * 3600 - 1)
    await office.tokens.verify(issued.token)
    office.clock.advance(1)
    with pytest.raises(Unauthorized, match="docent token create"):
        await office.tokens.verify(issued.token)


async def test_a_revoked_token_ends_at_once(office: Office) -> None:
    issued = await office.tokens.issue(office.actor, "lost")
    await office.tokens.revoke(office.actor, issued.record.id)
    with pytest.raises(Unauthorized):
        await office.tokens.verify(issued.token)
    with pytest.raises(NotFound):
        await office.tokens.revoke(office.actor, UUID(int=1))


async def test_a_token_revoked_in_one_process_ends_in_every_other(office: Office, tmp_path: Path) -> None:
    issued = await office.tokens.issue(office.actor, "shared")
    async with temporary_record(tmp_path, office.clock) as elsewhere:
        others = ApiTokens(elsewhere, office.clock)
        await others.verify(issued.token)
        await office.tokens.revoke(office.actor, issued.record.id)
        with pytest.raises(Unauthorized):
            await others.verify(issued.token)


async def test_its_use_is_noted_at_most_once_a_minute(office: Office) -> None:
    issued = await office.tokens.issue(office.actor, "busy")
    await office.tokens.verify(issued.token)
    first = office.clock.now()
    office.clock.advance(59)
    await office.tokens.verify(issued.token)
    assert await office.last_used() == first
    office.clock.advance(1)
    await office.tokens.verify(issued.token)
    assert await office.last_used() == office.clock.now()


@pytest.mark.parametrize(
    ("name", "scopes", "days", "field"),
    [
        ("", SCOPES, None, "name"),
        ("x", ("admin",), None, "scopes"),
        ("x", (), None, "scopes"),
        ("x", SCOPES, 0, "days"),
    ],
)
async def test_what_cannot_be_issued_is_refused_by_field(
    office: Office, name: str, scopes: tuple[str, ...], days: int | None, field: str
) -> None:
    with pytest.raises(InvalidInput) as refused:
        await office.tokens.issue(office.actor, name, scopes, days)
    assert refused.value.field == field
