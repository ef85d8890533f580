"""The compose file: taken by the compose specification, of settings and commands that exist, with images that are
pinned, and an nginx that takes its configuration."""

import json
import re
import shutil
import subprocess
from importlib.resources import files
from ipaddress import IPv4Address, IPv4Network
from typing import Any

import jsonschema
import pytest
import yaml
from starlette.requests import Request

from app.store.secret_keys import new_key
from app.web.client_address import ClientAddresses
from tests.packaging.deployed_settings import ROOT, read_as_settings, subcommand

FOLDER = ROOT / "deploy"
TEXT = (FOLDER / "docker-compose.yml").read_text("utf-8")
GIVEN = {
    "POSTGRES_PASSWORD": "a-password",
    "REDIS_PASSWORD": "a-third-password",
    "S3_PASSWORD": "another-password",
    "SECRET_KEY": new_key(),
}
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
    store = compose["services"]["s3"]
    keys = store["environment"]
    assert settings.vector_options["aws_access_key_id"] == keys["ROOT_ACCESS_KEY"]
    assert settings.vector_options["aws_secret_access_key"] == keys["ROOT_SECRET_KEY"] == GIVEN["S3_PASSWORD"]
    assert settings.vector_options["endpoint"] == f"http://s3{store['command'][store['command'].index('--port') + 1]}"
    bucket = settings.vectors_uri.split("/")[2]
    assert store["volumes"] == [f"objects:{store['command'][-1]}/{bucket}"]


def test_redis_answers_nobody_without_its_password(compose: dict[str, Any]) -> None:
    redis, settings = compose["services"]["redis"], read_as_settings(compose["services"]["web"]["environment"])
    command = redis["command"]
    assert command[command.index("--requirepass") + 1] == GIVEN["REDIS_PASSWORD"]
    assert redis["environment"]["REDISCLI_AUTH"] == GIVEN["REDIS_PASSWORD"]  # of the health check
    assert f":{GIVEN['REDIS_PASSWORD']}@redis:" in settings.redis_url.get_secret_value()


def test_web_and_worker_write_their_two_folders_alone_as_nobody_in_particular(compose: dict[str, Any]) -> None:
    assert [subcommand(compose["services"][name]["command"]) for name in OWN] == ["serve", "work"]
    for name in OWN:
        service = compose["services"][name]
        assert service["user"] == "10001:10001"
        assert service["read_only"]
        assert service["cap_drop"] == ["ALL"]
        assert (service["tmpfs"], service["volumes"]) == (["/tmp"], ["/data"])
        assert int(service["stop_grace_period"].removesuffix("s")) >= 45


def test_nginx_alone_is_trusted_at_an_address_that_nobody_else_gets(compose: dict[str, Any]) -> None:
    """Not the network: its gateway is Docker's own proxy, through which clients come."""
    settings = read_as_settings(compose["services"]["web"]["environment"])
    [network] = compose["networks"]["default"]["ipam"]["config"]
    nginx = compose["services"]["nginx"]["networks"]["default"]["ipv4_address"]
    assert settings.trusted_proxies == (nginx,)
    subnet, given_out = IPv4Network(network["subnet"]), IPv4Network(network["ip_range"])
    assert IPv4Address(nginx) in subnet
    assert given_out.subnet_of(subnet)
    assert IPv4Address(nginx) not in given_out
    assert IPv4Address(nginx) != next(subnet.hosts()), "this is the gateway's"


def test_a_client_cannot_make_up_its_address(compose: dict[str, Any]) -> None:
    """nginx replaces what the client sent, so Docent sees the address that connected to nginx."""
    assert re.findall(r"X-Forwarded-For (\S+);", (FOLDER / "nginx.conf").read_text("utf-8")) == ["$remote_addr"]
    trusted = read_as_settings(compose["services"]["web"]["environment"]).trusted_proxies
    scope = {"type": "http", "client": (trusted[0], 1234), "headers": [(b"x-forwarded-for", b"172.30.57.1")]}
    assert ClientAddresses(trusted).limit_key(Request(scope)) == "172.30.57.1", "Docker's own proxy is one client"


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
