"""Workspaces, API tokens and signing keys."""

from concurrent.futures import ThreadPoolExecutor, wait
from datetime import timedelta
from uuid import UUID

import pytest
from sqlalchemy import Engine, update

from app.core.errors import NotFound
from app.store.system_of_record import SystemOfRecord
from app.workspaces.records.tokens import SIGNING_KEYS, TokenRecords
from app.workspaces.workspace import ApiToken, SigningKey
from tests.doubles.fixed_clock import FixedClock
from tests.store.sample_rows import an_id

SHA = b"\x01" * 32


async def create(record: SystemOfRecord, workspace_id: UUID, sha256: bytes = SHA, days: int | None = None) -> ApiToken:
    return await record.write(
        lambda tx: TokenRecords(tx).create_token(workspace_id, "ci", sha256, "dct_ab", ("agents", "read"), days)
    )


async def find(record: SystemOfRecord, sha256: bytes = SHA) -> ApiToken | None:
    return await record.read(lambda tx: TokenRecords(tx).find_token(sha256))


async def test_there_is_one_default_workspace(record: SystemOfRecord, foreign_workspace_id: UUID) -> None:
    with record.writing() as tx:
        first = TokenRecords(tx).default_workspace()
        assert TokenRecords(tx).default_workspace() == first
    assert first != foreign_workspace_id


async def test_a_token_is_found_by_its_hash(record: SystemOfRecord, workspace_id: UUID) -> None:
    token = await create(record, workspace_id)
    assert await find(record) == token
    assert (token.scopes, token.workspace_id, token.expires_at) == (("agents", "read"), workspace_id, None)
    assert await find(record, b"\x02" * 32) is None


async def test_a_token_needs_a_workspace(record: SystemOfRecord) -> None:
    with pytest.raises(NotFound, match="workspace"):
        await create(record, an_id())


async def test_a_token_holds_until_it_expires(record: SystemOfRecord, workspace_id: UUID, clock: FixedClock) -> None:
    token = await create(record, workspace_id, days=2)
    clock.advance(2 * 86_400 - 1)
    assert await find(record) == token
    clock.advance(1)
    assert await find(record) is None


async def test_a_token_says_when_it_was_last_used(
    record: SystemOfRecord, workspace_id: UUID, clock: FixedClock
) -> None:
    token = await create(record, workspace_id)
    clock.advance(60)
    with record.writing() as tx:
        TokenRecords(tx).touch_token(token.id)
    found = await find(record)
    assert found is not None
    assert found.last_used_at == clock.now()


async def test_a_revoked_token_does_not_hold_but_is_listed(
    record: SystemOfRecord, workspace_id: UUID, clock: FixedClock
) -> None:
    token = await create(record, workspace_id)
    other = await create(record, workspace_id, b"\x02" * 32)
    revoked_at = clock.now()
    with record.writing() as tx:
        TokenRecords(tx).revoke_token(workspace_id, token.id)
        clock.advance(60)
        TokenRecords(tx).revoke_token(workspace_id, token.id)
        listed = TokenRecords(tx).list_tokens(workspace_id)
    assert await find(record) is None
    assert [(one.id, one.revoked_at) for one in listed] == [(token.id, revoked_at), (other.id, None)]


async def test_a_foreign_token_is_an_absent_one(
    record: SystemOfRecord, workspace_id: UUID, foreign_workspace_id: UUID
) -> None:
    token = await create(record, workspace_id)
    with record.writing() as tx:
        assert TokenRecords(tx).list_tokens(foreign_workspace_id) == []
        for workspace, asked in ((foreign_workspace_id, token.id), (workspace_id, an_id())):
            with pytest.raises(NotFound, match="token"):
                TokenRecords(tx).revoke_token(workspace, asked)
    assert await find(record) == token


async def test_a_signing_key_is_made_once(record: SystemOfRecord) -> None:
    with record.writing() as tx:
        keys = TokenRecords(tx).signing_keys()
    with record.reading() as tx:
        assert TokenRecords(tx).signing_keys() == keys
    assert [len(key.secret) for key in keys] == [32]


async def test_processes_that_start_together_make_one_signing_key(record: SystemOfRecord) -> None:
    def other_process() -> list[SigningKey]:
        with record.writing() as tx:
            return TokenRecords(tx).signing_keys()

    with ThreadPoolExecutor(1) as elsewhere:
        with record.writing() as tx:
            [made] = TokenRecords(tx).signing_keys()
            asked = elsewhere.submit(other_process)
            wait([asked], timeout=0.5)  # it has one of its own by then, or waits for us
        assert asked.result() == [made]


async def test_a_rotated_key_is_for_visitors_until_then_and_kept_for_what_was_drawn_from_it(
    record: SystemOfRecord, clock: FixedClock
) -> None:
    with record.writing() as tx:
        (first,) = TokenRecords(tx).signing_keys()
        soon, later = clock.now() + timedelta(minutes=1), clock.now() + timedelta(minutes=9)
        clock.advance(1)
        second = TokenRecords(tx).rotate_signing_key(soon)
        clock.advance(1)
        third = TokenRecords(tx).rotate_signing_key(later)
        keys = TokenRecords(tx).signing_keys()
    assert [(key.kid, key.visitors_until) for key in keys] == [
        (third.kid, None), (second.kid, later), (first.kid, soon)
    ]  # fmt: skip
    assert [key.secret for key in keys] == [third.secret, second.secret, first.secret]


async def test_a_retired_key_gives_way_to_a_new_one(record: SystemOfRecord, engine: Engine, clock: FixedClock) -> None:
    with record.writing() as tx:
        (old,) = TokenRecords(tx).signing_keys()
    with engine.begin() as connection:
        connection.execute(update(SIGNING_KEYS).values(retired_at=clock.now()))
    with record.writing() as tx:
        (new,) = TokenRecords(tx).signing_keys()
    assert new.kid != old.kid
