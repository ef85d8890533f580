"""The Dockerfile, built line by line, and what it makes, started as user 10001 with a read-only root and one volume."""

import json
import os
import re
import socket
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

from app.cli.demo.script import ApiClient, Demonstration, nimbrel_plan
from app.cli.demo.site_server import serve_demo_site
from tests.image.built_image import ROOT, Image, build, stage
from tests.image.container import USER, Machine

QUESTION = "How long is the warranty on a station?"
PACKAGES_MIB = 650  # as files, Docent with them
IMPORT_ALL = """
import importlib, pkgutil
for package in ("app", "crawler"):
    for module in pkgutil.walk_packages(importlib.import_module(package).__path__, package + "."):
        if not module.name.endswith("__main__") and ".migrations." not in module.name:
            try:
                importlib.import_module(module.name)
            except ModuleNotFoundError as missing:
                if missing.name.partition(".")[0] != "playwright":  # the browser is an extra
                    raise
"""
TOLD = re.compile(r"3[ -]years?")  # which passage is quoted depends on whether the reranker has the time to read it

pytestmark = pytest.mark.timeout(3600)


@pytest.fixture(scope="module", autouse=True)
def built() -> None:
    build()


@pytest.fixture(scope="module")
def image(built: None) -> Iterator[Image]:
    """Mounted once for all tests: it is read, or started with a read-only root."""
    with stage() as image:
        yield image


@pytest.fixture
def machine(image: Image, tmp_path: Path) -> Machine:
    return a_machine(image, tmp_path, owner=USER)


def a_machine(image: Image, folder: Path, owner: int) -> Machine:
    data = folder / "volume"
    data.mkdir()
    os.chown(data, owner, owner)
    return Machine(image, folder, data)


def a_free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


def test_it_crawls_answers_ends_in_time_and_keeps_its_data(machine: Machine) -> None:
    port = a_free_port()
    with serve_demo_site() as site:
        settings = {"DOCENT_CRAWL_ALLOW": site.base.removeprefix("http://"), "DOCENT_CRAWL_DELAY_SECONDS": "0"}
        token = json.loads(machine.run("docent", "token", "create", "tests", "--json"))["token"]
        with machine.started(port, settings) as container:
            demonstration = Demonstration(ApiClient(container.base, token), nimbrel_plan(site.base, ()))
            demonstration.set_up()
            ended = demonstration.crawl(lambda _: None)
            assert ended["state"] == "finished", ended
            assert TOLD.search(ask(container.base, demonstration.agent_id, site.base))
            machine.run(*machine.image.health_check, settings={"DOCENT_PORT": str(port)})
            assert container.owner() == USER
            assert container.temporary_files() == []
            assert container.stop() == 0
        said = container.log.read_text()
        assert "Read-only file system" not in said
        assert {line.get("level") for line in map(json.loads, said.splitlines())} <= {"info"}
        with machine.started(port, settings) as container:
            assert TOLD.search(ask(container.base, demonstration.agent_id, site.base))
            assert container.stop() == 0
    kept = {path.name for path in machine.data.iterdir()}
    assert {"docent.sqlite", "secret.key", "vectors", "keywords", "jobs.sqlite"} <= kept
    assert {path.stat().st_uid for path in machine.data.rglob("*")} == {USER}


def ask(base: str, agent_id: str, origin: str) -> str:
    """What a visitor reads."""
    client = ApiClient(base, "")
    page_url = f"{origin}/"
    token = client.open_conversation(agent_id, page_url, origin)
    return "".join(event.get("token", "") for event in client.ask(token, QUESTION, page_url, origin))


def test_a_volume_of_roots_is_handed_over_and_the_rights_are_dropped(tmp_path: Path) -> None:
    with stage("rootvolume") as image:
        machine = a_machine(image, tmp_path, owner=0)
        with machine.started(a_free_port(), {}) as container:
            assert container.owner() == USER
            assert container.stop() == 0
        assert {path.stat().st_uid for path in (machine.data, *machine.data.rglob("*"))} == {USER}


def test_it_starts_as_nobody_in_particular(image: Image) -> None:
    assert image.config["User"] == f"{USER}:{USER}"
    assert image.config["StopSignal"] == "SIGTERM"
    assert list(image.config["Volumes"]) == ["/data"]
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    labels = {name.removeprefix("org.opencontainers.image."): value for name, value in image.config["Labels"].items()}
    assert labels["version"] == project["version"]
    assert labels["licenses"] == project["license"]
    assert labels["title"] == "Docent"


def test_models_and_widget_are_inside_and_the_builders_tools_are_not(image: Image) -> None:
    [packages] = (image.root / "opt/docent/lib").glob("python3*/site-packages")
    for name in ("embedder", "reranker"):
        assert list((packages / "app/weights").rglob(f"*{name}*")), name
    assert (packages / "widget/dist/widget.js").is_file()
    present = {re.split(r"[-.]", path.name)[0] for path in packages.iterdir()}
    assert present & {"pip", "setuptools", "hatchling", "pytest", "tests", "bench"} == set()
    assert not (image.root / "src").exists()
    assert not (image.root / "data").is_symlink()
    assert list((image.root / "data").iterdir()) == []


def test_what_was_left_out_of_the_packages_is_missed_by_no_module(machine: Machine) -> None:
    machine.run("python", "-c", IMPORT_ALL)
    files = [
        path for path in (machine.image.root / "opt/docent").rglob("*") if path.is_file() and not path.is_symlink()
    ]
    assert sum(path.stat().st_size for path in files) / 2**20 < PACKAGES_MIB
