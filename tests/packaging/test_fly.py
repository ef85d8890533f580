"""Both files for Fly: they parse, and name settings, commands, addresses and stages that exist."""

import tomllib
from pathlib import Path
from typing import Any

import pytest

from tests.packaging.deployed_settings import ROOT, SECRETS, read_as_settings, subcommand
from tests.web.house import every_endpoint

ONE, MANY = ROOT / "fly.toml", ROOT / "deploy" / "fly.many.toml"
both = pytest.mark.parametrize("file", [ONE, MANY], ids=lambda file: file.name)
_STOP_SECONDS = 45


def said(file: Path) -> dict[str, Any]:
    return tomllib.loads(file.read_text("utf-8"))


@both
def test_every_variable_is_a_setting_that_takes_its_value(file: Path) -> None:
    settings = read_as_settings({**said(file)["env"], **(SECRETS if file == MANY else {})})
    assert settings.trusted_proxy_header == "Fly-Client-IP"
    assert settings.port == said(file)["http_service"]["internal_port"]
    assert settings.host == "0.0.0.0"


@both
def test_every_process_is_a_command_and_the_web_one_is_asked(file: Path) -> None:
    processes = said(file)["processes"]
    named = {group: subcommand(command) for group, command in processes.items()}
    assert named == ({"web": "serve"} if file == ONE else {"web": "serve", "worker": "work"})
    assert ("--with-worker" in processes["web"]) == (file == ONE)
    service = said(file)["http_service"]
    assert service["processes"] == ["web"]
    assert {check["path"] for check in service["checks"]} <= {endpoint.path for endpoint in every_endpoint()}


@both
def test_a_machine_has_the_time_that_a_stop_takes(file: Path) -> None:
    assert said(file)["kill_signal"] == "SIGTERM"
    assert int(said(file)["kill_timeout"].removesuffix("s")) >= _STOP_SECONDS


@both
def test_it_builds_a_stage_that_exists(file: Path) -> None:
    build = said(file)["build"]
    dockerfile = (file.parent / build["dockerfile"]).resolve()
    assert dockerfile == ROOT / "Dockerfile"
    if "build-target" in build:
        assert f" AS {build['build-target']}\n" in dockerfile.read_text("utf-8")


def test_one_machine_keeps_all_on_a_volume_that_it_may_write() -> None:
    file = said(ONE)
    assert file["mounts"]["destination"] == file["env"]["DOCENT_DATA"]
    assert file["build"]["build-target"] == "rootvolume"


def test_many_machines_share_what_they_know_and_keep_nothing() -> None:
    file = said(MANY)
    assert "mounts" not in file
    settings = read_as_settings({**file["env"], **SECRETS})
    assert settings.keywords == "own"
    assert settings.vectors_uri.startswith("s3://")
    named = [line for line in MANY.read_text("utf-8").splitlines() if line.startswith("# Secrets")]
    assert all(name in named[0] for name in SECRETS)
    assert file["http_service"]["min_machines_running"] >= 2
