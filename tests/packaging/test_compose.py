"""The compose file: taken by the compose specification, of settings and commands that exist, with images that are
pinned, and an nginx that takes its configuration."""

import json
import re
import shutil
import subprocess
from collections.abc import Iterator
from importlib.resources import files
from typing import Any

import jsonschema
import pytest
import yaml

from app.store.secret_keys import new_key
from tests.packaging.deployed_settings import ROOT, read_as_settings, subcommand

FOLDER = ROOT / "deploy"
TEXT = (FOLDER / "docker-compose.yml").read_text("utf-8")
GIVEN = {"POSTGRES_PASSWORD": "a-password", "S3_PASSWORD": "another-password", "SECRET_KEY": new_key()}
OWN = ("web", "worker")
_VARIABLE = re.compile(r"\$\{([A-Z0-9_]+)(?::([-?])([^}]*))?\}")


def interpolated(text: str) -> str:
    """With the variables that an operator gives, or their defaults."""
    return _VARIABLE.sub(lambda found: GIVEN[found[1]] if found[2] != "-" else GIVEN.get(found[1], found[3]), text)


@pytest.fixture(scope="module")
def compose() -> dict[str, Any]:
    loaded: dict[str, Any] = yaml.safe_load(interpolated(TEXT))
    return loaded


def test_it_is_what_the_compose_specification_takes(compose: dict[str, Any]) -> None:
    schema = files("check_jsonschema") / "builtin_schemas" / "vendor" / "compose-spec.json"
    jsonschema.validate(compose, json.loads(schema.read_text("utf-8")))


def test_what_an_operator_must_give_is_asked_for_by_name() -> None:
    asked = {name for name, sign, _ in _VARIABLE.findall(TEXT) if sign == "?"}
    assert asked == set(GIVEN)
    assert not [found for found in _VARIABLE.findall(TEXT) if not found[1]]


@pytest.mark.parametrize("name", OWN)
def test_every_variable_is_a_setting_that_takes_its_value(compose: dict[str, Any], name: str) -> None:
    environment = compose["services"][name]["environment"]
    settings = read_as_settings(environment)
    assert settings.database_url.startswith("postgresql")
    assert settings.vectors_uri.startswith("s3://")
    assert settings.keywords == "own"
    hosts = set(re.findall(r"(?:@|//)([a-z0-9]+)(?=:\d)", " ".join(environment.values())))
    assert hosts == {"postgres", "redis", "s3"}
    assert hosts < set(compose["services"])


def test_the_store_the_bucket_and_the_vectors_agree(compose: dict[str, Any]) -> None:
    settings = read_as_settings(compose["services"]["web"]["environment"])
    store, bucket = compose["services"]["s3"]["environment"], compose["services"]["bucket"]
    assert settings.vector_options["aws_access_key_id"] == store["MINIO_ROOT_USER"]
    assert settings.vector_options["aws_secret_access_key"] == store["MINIO_ROOT_PASSWORD"] == GIVEN["S3_PASSWORD"]
    assert bucket["command"][-1].partition("/")[2] == settings.vectors_uri.split("/")[2]


def test_web_and_worker_write_their_two_folders_alone_as_nobody_in_particular(compose: dict[str, Any]) -> None:
    assert [subcommand(compose["services"][name]["command"]) for name in OWN] == ["serve", "work"]
    for name in OWN:
        service = compose["services"][name]
        assert service["user"] == "10001:10001"
        assert service["read_only"]
        assert service["cap_drop"] == ["ALL"]
        assert (service["tmpfs"], service["volumes"]) == (["/tmp"], ["/data"])
        assert int(service["stop_grace_period"].removesuffix("s")) >= 45


def images(compose: dict[str, Any]) -> Iterator[str]:
    for service in compose["services"].values():
        yield service["image"]


def test_images_are_pinned_to_a_version(compose: dict[str, Any]) -> None:
    for image in images(compose):
        assert re.search(r":(\d+\.\d+[\w.-]*|RELEASE\.[\w-]+)$", image), image


def test_the_proxy_is_the_one_that_is_trusted(compose: dict[str, Any]) -> None:
    settings = read_as_settings(compose["services"]["web"]["environment"])
    [network] = compose["networks"]["default"]["ipam"]["config"]
    assert settings.trusted_proxies == (network["subnet"],)


def test_nginx_takes_its_configuration_and_leads_to_the_web_process(compose: dict[str, Any]) -> None:
    program = shutil.which("nginx") or shutil.which("nginx", path="/usr/sbin")
    assert program, "nginx is not installed: apt install nginx-light"
    configuration = FOLDER / "nginx.conf"
    checked = subprocess.run(
        [program, "-t", "-e", "stderr", "-c", str(configuration)], capture_output=True, text=True, timeout=30
    )
    assert checked.returncode == 0, checked.stderr
    text = configuration.read_text("utf-8")
    assert "http://web:8000" in text
    listens = re.search(r"listen (\d+);", text)
    assert listens is not None
    assert compose["services"]["nginx"]["ports"] == [f"8080:{listens[1]}"]
    assert compose["services"]["nginx"]["volumes"] == ["./nginx.conf:/etc/nginx/nginx.conf:ro"]
