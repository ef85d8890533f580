"""`python -m tests.security.advisories FILE`: the locked packages against known vulnerabilities, without a network.

FILE is what OSV publishes for PyPI (https://osv-vulnerabilities.storage.googleapis.com/PyPI/all.zip), one of its files,
or a folder of them (https://ossf.github.io/osv-schema/). Exit code 1 when a locked version is named by one.
"""

import json
import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from zipfile import ZipFile

from packaging.utils import canonicalize_name
from packaging.version import InvalidVersion, Version

from tests.security.lock import LOCK, locked


@dataclass(frozen=True, slots=True)
class Finding:
    package: str
    version: str
    advisory: str
    summary: str


def findings(versions: Mapping[str, Version], advisories: Iterable[Mapping[str, Any]]) -> Iterator[Finding]:
    """`versions` is by canonical name."""
    for advisory in advisories:
        if "withdrawn" in advisory:
            continue
        for affected in advisory.get("affected", ()):
            package = affected.get("package", {})
            name = canonicalize_name(package.get("name", ""))
            if package.get("ecosystem") == "PyPI" and name in versions and _is_hit(versions[name], affected):
                yield Finding(name, str(versions[name]), advisory["id"], advisory.get("summary", ""))


def _is_hit(version: Version, affected: Mapping[str, Any]) -> bool:
    if any(_version(named) == version for named in affected.get("versions", ())):
        return True
    ranges = [each for each in affected.get("ranges", ()) if each.get("type") == "ECOSYSTEM"]
    return any(_is_within(version, each["events"]) for each in ranges)


def _is_within(version: Version, events: Iterable[Mapping[str, str]]) -> bool:
    """Events, in the order of versions: introduced, fixed (not any more from it on), last_affected (till it)."""
    is_within = False
    for event in events:
        [(kind, named)] = event.items()
        at = _version("0" if named == "0" else named)
        if at is None:
            return True  # a version that cannot be compared: let a person look
        if kind == "introduced":
            is_within = is_within or version >= at
        elif kind == "fixed":
            is_within = is_within and version < at
        elif kind == "last_affected":
            is_within = is_within and version <= at
    return is_within


def _version(text: str) -> Version | None:
    try:
        return Version(text)
    except InvalidVersion:
        return None


def read(path: Path) -> Iterator[dict[str, Any]]:
    if path.suffix == ".zip":
        with ZipFile(path) as archive:
            yield from (json.loads(archive.read(name)) for name in archive.namelist() if name.endswith(".json"))
    else:
        for file in sorted(path.glob("*.json")) if path.is_dir() else [path]:
            yield json.loads(file.read_text("utf-8"))


def main(path: str) -> int:
    versions = locked(LOCK.read_text("utf-8"))
    advisories = list(read(Path(path)))
    found = list(findings(versions, advisories))
    for each in found:
        print(f"{each.package} {each.version}: {each.advisory} {each.summary}")  # noqa: T201
    print(f"{len(versions)} packages, {len(advisories)} advisories, {len(found)} findings")  # noqa: T201
    return int(bool(found) or not advisories)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
