"""`docent doctor` on the services that several machines share: each answers, or is named with what mends it."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from app.cli import cli
from tests.doubles.postgres_server import PostgresServer
from tests.scale.object_store import ObjectStore
from tests.scale.redis_server import RedisServer, running_redis

KEY = "3q2-7wAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"


@pytest.fixture(scope="module")
def redis() -> Iterator[RedisServer]:
    with running_redis() as running:
        yield running


def doctor(data: Path, **environment: str) -> tuple[int, dict[str, Any]]:
    told = {"DOCENT_DATA": str(data), "DOCENT_LOG_LEVEL": "error", **environment}
    result = CliRunner().invoke(cli, ["doctor", "--json"], env=told)
    assert result.stdout, result.stderr
    return result.exit_code, json.loads(result.stdout)


def said(report: dict[str, Any], part: str) -> str:
    [found] = [check["state"] for check in report["checks"] if check["part"] == part]
    return str(found)


def test_an_object_store_is_written_to_read_and_left_as_it_was(store: ObjectStore, tmp_path: Path) -> None:
    before = store.object_keys()
    code, report = doctor(
        tmp_path, DOCENT_VECTORS_URI=f"s3://{store.bucket}/docent", DOCENT_VECTORS_OPTIONS=store.setting
    )
    assert (code, report["findings"]) == (0, [])
    assert "written, read and removed in" in said(report, "object store")
    assert said(report, "clock").endswith("s to 127.0.0.1")
    assert store.object_keys() == before


def test_a_bucket_that_is_not_there_is_said_with_its_settings(store: ObjectStore, tmp_path: Path) -> None:
    code, report = doctor(tmp_path, DOCENT_VECTORS_URI="s3://another/docent", DOCENT_VECTORS_OPTIONS=store.setting)
    assert code == 1
    [finding] = [each for each in report["findings"] if each.startswith("Object store")]
    assert "DOCENT_VECTORS_URI" in finding
    assert "secret" not in finding.replace("aws_secret_access_key", "")


def test_the_store_of_uploaded_files_is_written_to_read_and_left_as_it_was(store: ObjectStore, tmp_path: Path) -> None:
    options = {"DOCENT_VECTORS_OPTIONS": store.setting}  # files lie with the same store as vectors, unless told
    before = store.object_keys()
    code, report = doctor(tmp_path, DOCENT_FILES_URI=f"s3://{store.bucket}/files", **options)
    assert (code, report["findings"]) == (0, [])
    assert "written, read and removed in" in said(report, "files")
    assert store.object_keys() == before

    code, report = doctor(tmp_path, DOCENT_FILES_URI="s3://another/files", **options)
    assert code == 1
    [finding] = [each for each in report["findings"] if each.startswith("Files")]
    assert "DOCENT_FILES_URI" in finding


def test_redis_tells_its_version_and_its_time(redis: RedisServer, tmp_path: Path) -> None:
    code, report = doctor(tmp_path, DOCENT_REDIS_URL=redis.url)
    assert (code, report["findings"]) == (0, [])
    assert said(report, "Redis").startswith("Redis ")
    assert said(report, "clock").endswith("s to Redis")


def test_postgres_tells_its_version_and_its_time(server: PostgresServer, tmp_path: Path) -> None:
    code, report = doctor(tmp_path, DOCENT_DATABASE_URL=server.migrated_database(), DOCENT_SECRET_KEY=KEY)
    assert (code, report["findings"]) == (0, [])
    assert said(report, "database").startswith("PostgreSQL 1")
    assert said(report, "job queue") == "Postgres, answers"
    assert "s to PostgreSQL" in said(report, "clock")
