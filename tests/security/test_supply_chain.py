"""What the image installs is locked by version and hash, and can be held against known vulnerabilities."""

import importlib.metadata
import json
import platform
import re
import tomllib
from collections.abc import Collection
from contextlib import suppress
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version

from tests.every_row import every_row
from tests.security.advisories import findings, main, read
from tests.security.lock import LOCK, entries, locked
from tests.security.notices import NOTICES, written
from tests.security.threats import ROOT

TEXT = LOCK.read_text("utf-8")
VERSIONS = locked(TEXT)


def wanted() -> list[Requirement]:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    scale = project["project"]["optional-dependencies"]["scale"]
    return [
        Requirement(each) for each in project["project"]["dependencies"] + scale + project["build-system"]["requires"]
    ]


# The oldest that we install on, which is Debian 12's; and whatever runs these tests.
PYTHONS = ("3.11.2", platform.python_version())


def applies(requirement: Requirement, extras: Collection[str]) -> bool:
    return requirement.marker is None or any(
        requirement.marker.evaluate({"extra": extra, "python_full_version": version})
        for version in PYTHONS
        for extra in ("", *extras)
    )


def needs() -> dict[str, list[Requirement]]:
    """By locked package, of those that are installed here at that version."""
    found = {}
    for name, version in VERSIONS.items():
        with suppress(importlib.metadata.PackageNotFoundError):
            installed = importlib.metadata.distribution(name)
            if Version(installed.version) == version:
                found[name] = [Requirement(each) for each in installed.requires or ()]
    return found


def test_each_entry_is_one_version_with_hashes() -> None:
    assert len(entries(TEXT)) == len(VERSIONS) > 50
    for entry in entries(TEXT):
        assert re.match(r"[\w.-]+==\S+", entry), entry
        assert re.search(r"--hash=sha256:[0-9a-f]{64}", entry), entry


@every_row("requirement", wanted(), ids=lambda requirement: requirement.name)
def test_the_lock_holds_what_the_project_asks_for(requirement: Requirement) -> None:
    """Else: make lock."""
    assert requirement.specifier.contains(VERSIONS[canonicalize_name(requirement.name)], prereleases=True)


def test_the_lock_is_whole() -> None:
    """What a locked package needs is locked as well, and what it needs for an extra that another asks for: with
    sqlalchemy[asyncio] comes greenlet. Else pip, which takes nothing without a hash, refuses the whole lock."""
    looked_up = needs()
    assert len(looked_up) > 20
    extras: dict[str, set[str]] = {}
    for requirement in (*wanted(), *(each for some in looked_up.values() for each in some if applies(each, ()))):
        extras.setdefault(canonicalize_name(requirement.name), set()).update(requirement.extras)
    assert "asyncio" in extras["sqlalchemy"]
    for name, requirements in looked_up.items():
        for requirement in requirements:
            if applies(requirement, extras.get(name, ())):
                needed = VERSIONS.get(canonicalize_name(requirement.name))
                assert needed is not None, f"{name} needs {requirement}"
                assert requirement.specifier.contains(needed, prereleases=True), f"{name} needs {requirement}"


def test_the_image_installs_the_lock_and_nothing_beside_it() -> None:
    installs = [line for line in (ROOT / "Dockerfile").read_text("utf-8").splitlines() if "pip install" in line]
    assert len(installs) == 2
    assert all(option in installs[0] for option in ("--require-hashes", "--only-binary=:all:", "requirements.lock"))
    assert all(option in installs[1] for option in ("--no-deps", "--no-build-isolation"))


def test_the_notices_name_every_locked_package_its_licence_and_where_its_text_lies() -> None:
    """Else: make lock."""
    notices = written(NOTICES.read_text("utf-8"))
    assert {name: Version(notice.version) for name, notice in notices.items()} == VERSIONS
    for notice in notices.values():
        assert "unknown" not in (notice.licence, notice.text), notice
    below = NOTICES.read_text("utf-8").partition("## Texts that their packages leave out")[2]
    assert [name for name, notice in notices.items() if notice.text == "below" and f"`{name}`" not in below] == []


def test_wheel_and_image_carry_the_notices() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    assert NOTICES.name in project["license-files"]
    assert re.search(rf"^COPY .*\b{NOTICES.name} \./$", (ROOT / "Dockerfile").read_text("utf-8"), re.MULTILINE)
    contained = re.findall(r"^\| (`app/[^|]+) \|", NOTICES.read_text("utf-8"), re.MULTILINE)
    for path in re.findall(r"`([^`]+)`", " ".join(contained)):
        assert (ROOT / path).exists(), path


def an_advisory(**affected: Any) -> dict[str, Any]:
    package = {"ecosystem": "PyPI", "name": "Some_Package"}
    return {"id": "GHSA-1", "summary": "Bad.", "affected": [{"package": package} | affected]}


def a_range(*events: dict[str, str]) -> dict[str, Any]:
    return an_advisory(ranges=[{"type": "ECOSYSTEM", "events": list(events)}])


@every_row(
    ("version", "advisory", "is_hit"),
    [
        ("1.4", an_advisory(versions=["1.3", "1.4.0"]), True),
        ("1.5", an_advisory(versions=["1.3", "1.4.0"]), False),
        ("1.4", a_range({"introduced": "0"}, {"fixed": "1.5"}), True),
        ("1.5", a_range({"introduced": "0"}, {"fixed": "1.5"}), False),
        ("2.1", a_range({"introduced": "0"}, {"fixed": "1.5"}, {"introduced": "2.0"}, {"fixed": "2.2"}), True),
        ("1.6", a_range({"introduced": "0"}, {"fixed": "1.5"}, {"introduced": "2.0"}, {"fixed": "2.2"}), False),
        ("1.5", a_range({"introduced": "1.0"}, {"last_affected": "1.5"}), True),
        ("1.6", a_range({"introduced": "1.0"}, {"last_affected": "1.5"}), False),
        ("9.0", a_range({"introduced": "1.0"}), True),
        ("1.4", {**an_advisory(versions=["1.4"]), "withdrawn": "2026-01-01T00:00:00Z"}, False),
        ("1.4", an_advisory(versions=["1.4"], package={"ecosystem": "npm", "name": "some-package"}), False),
    ],
)  # fmt: skip
def test_an_advisory_is_found_by_name_and_version(version: str, advisory: dict[str, Any], is_hit: bool) -> None:
    assert bool(list(findings({"some-package": Version(version)}, [advisory]))) == is_hit


def test_advisories_come_from_a_file_a_folder_or_an_archive(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    name, version = next(iter(VERSIONS.items()))
    advisory = {"id": "A-1", "affected": [{"package": {"ecosystem": "PyPI", "name": name}, "versions": [str(version)]}]}
    file = tmp_path / "a.json"
    file.write_text(json.dumps(advisory))
    with ZipFile(tmp_path / "all.zip", "w") as archive:
        archive.write(file, "a.json")
    for path in (file, tmp_path, tmp_path / "all.zip"):
        assert list(read(path)) == [advisory]
        assert main(str(path)) == 1
        assert "A-1" in capsys.readouterr().out
