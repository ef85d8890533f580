"""`docent secrets`: keys are made, changed while Docent runs, and given up."""

import json
from pathlib import Path
from typing import Any

import anyio.to_thread
from typer.testing import CliRunner, Result

from app.bootstrap.infrastructure import open_infrastructure
from app.cli import cli
from app.settings import read_settings
from app.store.secret_keys import read_key
from app.workspaces.records.tokens import TokenRecords
from app.workspaces.workspace import SigningKey

runner = CliRunner()


def docent(folder: Path, *words: str, code: int = 0, key: str = "") -> Result:
    environment = {"DOCENT_DATA": str(folder), "DOCENT_SECRET_KEY": key, "DOCENT_LOG_LEVEL": "error"}
    result = runner.invoke(cli, list(words), env=environment)
    assert result.exit_code == code, f"{result.output}\n{result.exception!r}"
    return result


def doctor(folder: Path, code: int = 0, key: str = "") -> Any:
    return json.loads(docent(folder, "doctor", "--json", code=code, key=key).stdout)


def test_a_new_key_is_one_line_for_the_environment(tmp_path: Path) -> None:
    key = docent(tmp_path, "secrets", "new-key").stdout
    assert read_key(key)
    assert list(tmp_path.iterdir()) == []
    assert doctor(tmp_path, key=key)["secrets_sealed_by"] == "DOCENT_SECRET_KEY"
    assert not (tmp_path / "secret.key").exists()


def test_doctor_says_where_the_key_lies_and_who_may_read_it(tmp_path: Path) -> None:
    assert doctor(tmp_path)["secrets_sealed_by"] == str(tmp_path / "secret.key")
    (tmp_path / "secret.key").chmod(0o644)
    [finding] = doctor(tmp_path, code=1)["findings"]
    assert "chmod 600" in finding


async def keys_of(folder: Path) -> list[SigningKey]:
    async with open_infrastructure(read_settings(data=folder)) as base:
        return await base.record.write(lambda tx: TokenRecords(tx).signing_keys())


async def test_the_files_key_changes_under_a_process_that_runs(tmp_path: Path) -> None:
    async with open_infrastructure(read_settings(data=tmp_path)) as running:
        with running.record.writing() as tx:
            before = TokenRecords(tx).signing_keys()
        old = (tmp_path / "secret.key").read_text()
        rotated = await anyio.to_thread.run_sync(lambda: docent(tmp_path, "secrets", "rotate"))
        assert "1 secrets" in rotated.output
        assert old.strip() not in (tmp_path / "secret.key").read_text()
        with running.record.reading() as tx:
            assert TokenRecords(tx).known_keys() == before


async def test_a_lost_key_ends_in_a_message_and_forgetting_in_new_keys(tmp_path: Path) -> None:
    [lost] = await keys_of(tmp_path)
    (tmp_path / "secret.key").unlink()
    refused = await anyio.to_thread.run_sync(lambda: docent(tmp_path, "token", "list", code=1))
    assert "docent secrets forget" in " ".join(refused.output.split())
    await anyio.to_thread.run_sync(lambda: docent(tmp_path, "secrets", "forget"))
    [new] = await keys_of(tmp_path)
    assert new.kid != lost.kid
