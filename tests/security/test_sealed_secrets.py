"""Whoever has the database has no secret: they lie there sealed, and the key lies elsewhere."""

import sqlite3
from collections.abc import Sequence
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from uuid import UUID

import pytest

from app.agents.agent import AgentConfig
from app.agents.records import AgentRecords
from app.bootstrap.infrastructure import open_infrastructure, open_record
from app.cli.local_operator import machine_operator
from app.core.errors import SecretsLocked
from app.settings import BadSettings, Settings, read_settings
from app.sources import kinds
from app.sources.records import SourceAccessRecords, SourceRecords
from app.sources.source import AccessKind, SourceAccess, SourceConfig
from app.store.secret_keys import key_name, new_key, read_key
from app.store.system_of_record import Transaction
from app.workspaces.records.tokens import TokenRecords
from app.workspaces.sealed_secrets import SealedSecrets
from app.workspaces.workspace import SigningKey
from tests.doubles.stored_bytes import StoredBytes

PLAIN = b"zqxPLAINSECRETzqx--------------+"


async def signing_keys(settings: Settings) -> list[SigningKey]:
    """After a start of the house."""
    async with open_infrastructure(settings) as base:
        return await base.record.write(lambda tx: TokenRecords(tx).signing_keys())


def leave_plain(folder: Path, count: int) -> None:
    """As a version before sealing left its keys, one of them retired."""
    now = datetime(2026, 1, 1, tzinfo=UTC).isoformat(" ")
    rows = [(f"{number:032x}", PLAIN + b"%d" % number, now, None if number else now) for number in range(count)]
    with closing(sqlite3.connect(folder / "docent.sqlite")) as connection:
        statement = "insert into signing_keys (kid, secret, created_at, retired_at) values (?, ?, ?, ?)"
        connection.executemany(statement, rows)
        connection.commit()


def held(folder: Path, secrets: Sequence[bytes]) -> list[str]:
    """The files in which one of the secrets stands, as it is or in hexadecimal."""
    files = [path for path in folder.rglob("*") if path.is_file()]
    return [
        path.name
        for path in files
        for secret in secrets
        if secret in path.read_bytes() or secret.hex().encode() in path.read_bytes()
    ]


@pytest.mark.parametrize("secret_key", ["", new_key()], ids=["key file", "key in the environment"])
async def test_no_byte_of_a_signing_key_is_in_any_file(secret_key: str, tmp_path: Path) -> None:
    settings = read_settings(data=tmp_path, secret_key=secret_key)
    made = await signing_keys(settings)
    assert await signing_keys(settings) == made, "they outlive a restart"
    assert not held(tmp_path, [key.secret for key in made])
    assert (tmp_path / "secret.key").exists() == (secret_key == "")


async def test_plain_keys_of_an_earlier_version_are_sealed_at_the_first_start(tmp_path: Path) -> None:
    settings = read_settings(data=tmp_path)
    async with open_infrastructure(settings):
        leave_plain(tmp_path, 40)
        assert held(tmp_path, [PLAIN])
    keys = await signing_keys(settings)
    assert sorted(key.secret for key in keys) == sorted(PLAIN + b"%d" % number for number in range(1, 40))
    assert not held(tmp_path, [PLAIN])
    assert StoredBytes(tmp_path).rows("select count(*) from signing_keys where sealed_by is null") == [(0,)]


async def test_with_another_key_nothing_starts_and_the_message_says_which_is_missing(tmp_path: Path) -> None:
    right, wrong = new_key(), new_key()
    made = await signing_keys(read_settings(data=tmp_path, secret_key=right))
    with pytest.raises(SecretsLocked, match=key_name(read_key(right))) as caught:
        await signing_keys(read_settings(data=tmp_path, secret_key=wrong))
    assert right not in str(caught.value)
    assert wrong not in str(caught.value)
    assert await signing_keys(read_settings(data=tmp_path, secret_key=f"{wrong},{right}")) == made


async def test_a_row_that_was_moved_or_changed_does_not_open(tmp_path: Path) -> None:
    settings = read_settings(data=tmp_path)
    await signing_keys(settings)
    with closing(sqlite3.connect(tmp_path / "docent.sqlite")) as connection:
        connection.execute("update signing_keys set kid = ?", ("0" * 32,))
        connection.commit()
    with pytest.raises(SecretsLocked, match="changed"):
        await signing_keys(settings)


async def test_keys_do_not_print_themselves(tmp_path: Path) -> None:
    [key] = await signing_keys(read_settings(data=tmp_path))
    for told in (repr(key), str(key), f"{key!r}"):
        assert "secret" not in told


async def test_rotating_seals_all_with_the_first_key(tmp_path: Path) -> None:
    old, new = new_key(), new_key()
    made = await signing_keys(read_settings(data=tmp_path, secret_key=old))
    async with open_infrastructure(read_settings(data=tmp_path, secret_key=f"{new},{old}")) as base:
        assert await SealedSecrets(base.record).rotate(await machine_operator(base.record)) == 1
    assert await signing_keys(read_settings(data=tmp_path, secret_key=new)) == made
    [(details,)] = StoredBytes(tmp_path).rows("select details from audit_log where action = 'secrets.rotate'")
    assert details == '{"secrets": 1}'


async def test_what_a_website_is_sent_lies_sealed_is_sealed_anew_and_given_up(tmp_path: Path) -> None:
    secret = "zqxOPENSESAMEzqx"
    async with open_infrastructure(read_settings(data=tmp_path, secret_key=new_key())) as base:

        def give(tx: Transaction) -> UUID:
            agent = AgentRecords(tx).create(TokenRecords(tx).default_workspace(), AgentConfig("Docs"))
            config = SourceConfig(kinds.SITE, "Docs", "https://www.example.com")
            source = SourceRecords(tx).create(agent.id, config)
            SourceAccessRecords(tx).set(source.id, SourceAccess(AccessKind.BASIC, "docent", secret))
            return source.id

        source_id = await base.record.write(give)
        await SealedSecrets(base.record).rotate(await machine_operator(base.record))
        found = await base.record.read(lambda tx: SourceAccessRecords(tx).opened(source_id))
        assert found is not None
        assert found.secret == secret
    assert not held(tmp_path, [secret.encode()])
    async with open_record(read_settings(data=tmp_path, secret_key=new_key())) as record:
        with pytest.raises(SecretsLocked, match="source_access"):
            await record.read(lambda tx: SourceAccessRecords(tx).opened(source_id))
        await SealedSecrets(record).forget(await machine_operator(record))
        assert await record.read(lambda tx: SourceAccessRecords(tx).opened(source_id)) is None


def test_postgres_needs_a_key(tmp_path: Path) -> None:
    url = "postgresql+psycopg://docent@db.example/docent"
    with pytest.raises(BadSettings, match="DOCENT_SECRET_KEY"):
        read_settings(data=tmp_path, database_url=url)
    assert read_settings(data=tmp_path, database_url=url, secret_key=new_key()).secret_keys


def test_a_value_that_is_no_key_is_named_and_not_repeated(tmp_path: Path) -> None:
    with pytest.raises(BadSettings, match="DOCENT_SECRET_KEY") as caught:
        read_settings(data=tmp_path, secret_key=f"{new_key()},hunter2hunter2")
    assert "hunter2" not in str(caught.value)
