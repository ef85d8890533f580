"""`python -m tests.packaging.release_files FOLDER`: what goes with the packages of a release in that folder: an SBOM,
the changelog's section, provenance and checksums. The same commit makes the same files."""

import hashlib
import json
import os
import re
import subprocess
import sys
import tomllib
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final
from uuid import NAMESPACE_URL, uuid5

from tests.security.lock import LOCK, entries
from tests.security.notices import NOTICES, written
from tests.security.threats import ROOT

CHECKSUMS: Final = "SHA256SUMS"
_HASH: Final = re.compile(r"--hash=sha256:([0-9a-f]{64})")
_NAMED: Final = re.compile(r"([A-Za-z0-9._-]+)==([^\s;\\]+)")


def project_version() -> str:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    return str(project["project"]["version"])


def changelog_section(changelog: str, version: str) -> str:
    """Raises ValueError if the changelog has none of that version."""
    found = re.search(rf"^## {re.escape(version)}(?: [^\n]*)?\n(.*?)(?=^## |\Z)", changelog, re.MULTILINE | re.DOTALL)
    if found is None or not found[1].strip():
        raise ValueError(f"CHANGELOG.md has no section {version}. Give what is unreleased that heading.")
    return found[1].strip() + "\n"


def sbom(version: str, made: datetime) -> dict[str, Any]:
    """What the image installs beside Docent, in CycloneDX 1.6: https://cyclonedx.org/docs/1.6/json/"""
    lock, notices = LOCK.read_text("utf-8"), written(NOTICES.read_text("utf-8"))
    components = []
    for entry in entries(lock):
        named = _NAMED.match(entry)
        assert named, entry
        name, locked = named.groups()
        purl = f"pkg:pypi/{name}@{locked}"
        components.append(
            {
                "type": "library",
                "bom-ref": purl,
                "name": name,
                "version": locked,
                "purl": purl,
                "licenses": [{"license": {"name": notices[name].licence}}],
                # Each hash is of one file: which one is installed depends on the machine.
                "externalReferences": [
                    {
                        "type": "distribution",
                        "url": f"https://pypi.org/project/{name}/{locked}/",
                        "hashes": [{"alg": "SHA-256", "content": content} for content in _HASH.findall(entry)],
                    }
                ],
            }
        )
    root = f"pkg:pypi/docent@{version}"
    docent = {"type": "application", "bom-ref": root, "name": "docent", "version": version, "purl": root}
    return {
        "$schema": "http://cyclonedx.org/schema/bom-1.6.schema.json",
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "serialNumber": f"urn:uuid:{uuid5(NAMESPACE_URL, root + hashlib.sha256(lock.encode()).hexdigest())}",
        "version": 1,
        "metadata": {
            "timestamp": made.strftime("%Y-%m-%dT%H:%M:%SZ"),
            "component": docent | {"licenses": [{"license": {"id": "Apache-2.0"}}]},
        },
        "components": components,
        "dependencies": [{"ref": root, "dependsOn": sorted(each["bom-ref"] for each in components)}],
    }


_LOCKS: Final = (LOCK, ROOT / "widget" / "package-lock.json")


def provenance(files: list[Path], commit: str, version: str) -> dict[str, Any]:
    """How the files were made, unsigned: an in-toto statement with SLSA's predicate, https://slsa.dev/spec/v1.0/provenance"""
    return {
        "_type": "https://in-toto.io/Statement/v1",
        "subject": [{"name": file.name, "digest": {"sha256": digest(file)}} for file in files],
        "predicateType": "https://slsa.dev/provenance/v1",
        "predicate": {
            "buildDefinition": {
                "buildType": "make release",
                "externalParameters": {"version": version},
                "resolvedDependencies": [
                    {"uri": "git+.", "digest": {"gitCommit": commit}},
                    *({"uri": str(lock.relative_to(ROOT)), "digest": {"sha256": digest(lock)}} for lock in _LOCKS),
                ],
            },
            "runDetails": {"builder": {"id": os.environ.get("BUILDER_ID", "local")}},
        },
    }


def digest(file: Path) -> str:
    return hashlib.sha256(file.read_bytes()).hexdigest()


def write(folder: Path, commit: str, made: datetime) -> None:
    """Raises ValueError without a changelog's section."""
    version = project_version()
    notes = changelog_section((ROOT / "CHANGELOG.md").read_text("utf-8"), version)
    (folder / f"docent-{version}.notes.md").write_text(notes, "utf-8")
    _write_json(folder / f"docent-{version}.cdx.json", sbom(version, made))
    _write_json(folder / f"docent-{version}.provenance.json", provenance(_files(folder), commit, version))
    sums = "".join(f"{digest(file)}  {file.name}\n" for file in _files(folder))
    (folder / CHECKSUMS).write_text(sums, "utf-8")


def _files(folder: Path) -> list[Path]:
    return sorted(file for file in folder.iterdir() if file.is_file() and file.name != CHECKSUMS)


def _write_json(file: Path, told: dict[str, Any]) -> None:
    file.write_text(json.dumps(told, indent=1, sort_keys=True) + "\n", "utf-8")


def main() -> None:
    def git(*words: str) -> str:
        return subprocess.run(
            ["git", "-C", str(ROOT), *words], capture_output=True, text=True, check=True
        ).stdout.strip()

    try:
        made = datetime.fromtimestamp(int(git("log", "-1", "--format=%ct")), UTC)
        write(Path(sys.argv[1]), git("rev-parse", "HEAD"), made)
    except ValueError as error:
        sys.exit(str(error))


if __name__ == "__main__":
    main()
