"""Real HTML pages with lines that a reader marked: of the content (keep) and of the frame around it (drop).

A page whose licence allows it stands in the repository. The others stay in the package that they come from, which
`fetch_missing` downloads; their SHA-256 says that it is the same page.
"""

import gzip
import hashlib
import json
import subprocess
import tarfile
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

import httpx

_ROOT = Path(__file__).parents[2]
_MARKS = _ROOT / "tests" / "data" / "extraction" / "marks.jsonl"
_SDIST = (
    "https://files.pythonhosted.org/packages/b6/20/"
    "733d9dd3adfb6295454e6ba81f6407d96bf66bfda36c75c99b1f99accbf0/newspaper4k-0.9.6.tar.gz"
)


class Kept(StrEnum):
    """Where the bytes of a page are."""

    STORED = "stored"  # in tests/data/extraction/pages
    REPOSITORY = "repository"  # a page of our own demonstration site
    DEBIAN = "debian"
    SDIST = "sdist"


@dataclass(frozen=True, slots=True)
class MarkedPage:
    """`origin` is the package and its version; `sha256` of the page's bytes, "" for our own pages. No rule was made
    by looking at a page that is `held_out`: its figures say what to expect of pages that nobody has seen."""

    name: str
    held_out: bool
    generator: str
    origin: str
    licence: str
    kind: Kept
    path: str
    sha256: str
    keep: tuple[str, ...]
    drop: tuple[str, ...]

    @property
    def is_real(self) -> bool:
        """Not written by us."""
        return self.kind is not Kept.REPOSITORY

    @property
    def is_in_repository(self) -> bool:
        return self.kind in {Kept.STORED, Kept.REPOSITORY}

    @property
    def url(self) -> str:
        return f"https://docs.example/{self.path.lstrip('/').removesuffix('.gz')}"

    def body(self, packages: Path) -> bytes | None:
        """Its bytes; None when it lies in a package that is not in `packages`, or there in another version."""
        if self.kind is Kept.STORED:
            return gzip.decompress((_ROOT / self.path).read_bytes())
        if self.kind is Kept.REPOSITORY:
            return (_ROOT / self.path).read_bytes()
        file = packages / self.path.lstrip("/")
        body = file.read_bytes() if file.is_file() else b""
        return body if hashlib.sha256(body).hexdigest() == self.sha256 else None


def marked_pages() -> list[MarkedPage]:
    rows = [json.loads(line) for line in _MARKS.read_text(encoding="utf-8").splitlines()]
    return [
        MarkedPage(**{**row, "kind": Kept(row["kind"]), "keep": tuple(row["keep"]), "drop": tuple(row["drop"])})
        for row in rows
    ]


def fetch_missing(pages: list[MarkedPage], packages: Path) -> list[str]:
    """Download and unpack into `packages` what the pages need; the reasons why some could not be had."""
    problems = []
    missing = [page for page in pages if page.body(packages) is None]
    packages.mkdir(parents=True, exist_ok=True)
    for package in sorted({page.origin.split()[0] for page in missing if page.kind is Kept.DEBIAN}):
        try:
            _unpack_debian(package, packages)
        except (OSError, subprocess.SubprocessError) as error:
            problems.append(f"{package}: {error}")
    if any(page.kind is Kept.SDIST for page in missing):
        try:
            _unpack_sdist(packages)
        except (OSError, httpx.HTTPError, tarfile.TarError) as error:
            problems.append(f"{_SDIST}: {error}")
    return problems


def _unpack_debian(package: str, into: Path) -> None:
    subprocess.run(["apt-get", "download", package], cwd=into, check=True, capture_output=True, timeout=300)
    for archive in into.glob(f"{package}_*.deb"):
        subprocess.run(["dpkg-deb", "-x", archive.name, "."], cwd=into, check=True, capture_output=True, timeout=300)
        archive.unlink()


def _unpack_sdist(into: Path) -> None:
    archive = into / "sdist.tar.gz"
    archive.write_bytes(httpx.get(_SDIST, timeout=120).raise_for_status().content)
    with tarfile.open(archive) as members:
        members.extractall(into, filter="data")
    archive.unlink()
