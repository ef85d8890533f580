"""A release has one version everywhere, and says what it consists of and how it was made."""

import json
import re
import stat
import subprocess
from datetime import UTC, datetime
from pathlib import Path

import pytest
import yaml

from tests.packaging.deployed_settings import ROOT
from tests.packaging.release_files import CHECKSUMS, changelog_section, digest, project_version, sbom, write
from tests.security.lock import LOCK, locked

VERSION = project_version()
MADE = datetime(2026, 11, 29, 12, tzinfo=UTC)
NAMING = {
    "CHANGELOG.md": "^## (.+)$",
    "Dockerfile": 'image.version="(.+)"',
    "deploy/docker-compose.yml": "image: docent:(.+)",
    "deploy/helm/docent/Chart.yaml": "^(?:version|appVersion): (.+)$",
    "docs/how-to/deploy.md": r"docent:(\d\S+)",
    "docs/releases.md": r"docent[:-](\d+\.\d+\.\d+)",
    "widget/package.json": '"version": "(.+)"',
    "widget/packages/client/package.json": '"version": "(.+)"',
    "widget/packages/react/package.json": '"(?:version|@docent/client)": "(.+?)"',
    "widget/packages/vue/package.json": '"(?:version|@docent/client)": "(.+?)"',
}


@pytest.mark.parametrize("name", NAMING)
def test_one_version_is_named_everywhere(name: str) -> None:
    named = re.findall(NAMING[name], (ROOT / name).read_text("utf-8"), re.MULTILINE)
    assert named
    assert set(named[:1] if name == "CHANGELOG.md" else named) == {VERSION}


def test_the_sbom_has_every_locked_package_with_its_licence_and_hashes() -> None:
    told = sbom(VERSION, MADE)
    assert {each["name"]: each["version"] for each in told["components"]} == {
        name: str(version) for name, version in locked(LOCK.read_text("utf-8")).items()
    }
    for each in told["components"]:
        assert each["licenses"][0]["license"]["name"] != "unknown", each["name"]
        assert each["externalReferences"][0]["hashes"], each["name"]
    assert set(told["dependencies"][0]["dependsOn"]) == {each["bom-ref"] for each in told["components"]}
    assert told == sbom(VERSION, MADE)


def test_checksums_and_provenance_are_of_the_files(tmp_path: Path) -> None:
    wheel = tmp_path / "docent.whl"
    wheel.write_bytes(b"a wheel")
    write(tmp_path, "c0ffee", MADE)
    subprocess.run(["sha256sum", "--check", "--strict", CHECKSUMS], cwd=tmp_path, check=True, capture_output=True)
    listed = {line.split("  ")[1] for line in (tmp_path / CHECKSUMS).read_text("utf-8").splitlines()}
    assert listed == {file.name for file in tmp_path.iterdir()} - {CHECKSUMS}
    told = json.loads((tmp_path / f"docent-{VERSION}.provenance.json").read_text("utf-8"))
    subjects = {each["name"]: each["digest"]["sha256"] for each in told["subject"]}
    assert subjects[wheel.name] == digest(wheel)
    assert told["predicate"]["buildDefinition"]["resolvedDependencies"][0]["digest"] == {"gitCommit": "c0ffee"}
    wheel.write_bytes(b"another")
    failed = subprocess.run(["sha256sum", "--check", CHECKSUMS], cwd=tmp_path, check=False, capture_output=True)
    assert failed.returncode == 1


def test_the_notes_are_the_changelogs_section_alone() -> None:
    text = "# Changelog\n\n## 1.1.0\n\n### Added\n\n- A.\n\n## 1.0.0\n\n- B.\n"
    assert changelog_section(text, "1.1.0") == "### Added\n\n- A.\n"
    assert changelog_section(text, "1.0.0") == "- B.\n"
    with pytest.raises(ValueError, match=r"no section 1\.1\. "):
        changelog_section(text, "1.1")


def test_the_forge_calls_the_script_and_nothing_of_others() -> None:
    workflow = yaml.safe_load((ROOT / ".github/workflows/release.yml").read_text("utf-8"))
    [job] = workflow["jobs"].values()
    assert all(set(step) == {"run"} for step in job["steps"])
    assert any(".ci/release" in step["run"] for step in job["steps"])


@pytest.mark.parametrize("tag", [[], ["v0.0.1"], [VERSION]])
def test_the_script_refuses_another_tag_than_the_versions(tag: list[str]) -> None:
    script = ROOT / ".ci/release"
    assert script.stat().st_mode & stat.S_IXUSR
    told = subprocess.run([str(script), *tag], cwd="/", capture_output=True, text=True, check=False)
    assert (told.returncode, f"call .ci/release v{VERSION}" in told.stdout) == (2, True)
