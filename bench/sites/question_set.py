"""A set of questions over documentation sites: which pages of which Debian package, and what is asked of them.

The folder of a set holds `sites.json` and `questions/SITE.jsonl`; README.md beside this file describes both.
"""

import html
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote

from selectolax.lexbor import LexborHTMLParser

from bench.debian_package import unpack

OWN_SET = Path(__file__).parent


@dataclass(frozen=True, slots=True)
class Question:
    """`expect` are groups of regular expressions, `pages` the paths that hold an answer; both are empty where the site
    has none."""

    site: str
    kind: str
    text: str
    expect: tuple[tuple[str, ...], ...]
    pages: tuple[str, ...]

    @property
    def is_answerable(self) -> bool:
        return bool(self.expect)


@dataclass(frozen=True, slots=True)
class Site:
    """`folder` is where its pages lie below the root of the unpacked `package`; those are pages that a glob of
    `pages` finds and none of `without`."""

    name: str
    title: str
    package: str
    folder: str
    pages: tuple[str, ...]
    without: tuple[str, ...]

    def files(self, packages: Path) -> dict[str, Path]:
        """By their path on the website, such as "cmds/set.html", sorted."""
        root = packages / self.folder
        left_out = {file for pattern in self.without for file in root.glob(pattern)}
        found = {file for pattern in self.pages for file in root.glob(pattern) if file.is_file()} - left_out
        return {file.relative_to(root).as_posix(): file for file in sorted(found)}

    def fetch(self, packages: Path) -> None:
        """Download and unpack the package into `packages`, unless that was done before. Raises SystemExit where the
        package cannot be had or has no such pages."""
        if self.files(packages):
            return
        unpack(self.package, packages)
        if not self.files(packages):
            raise SystemExit(
                f"{self.name}: {self.package} has no pages in /{self.folder}; sites.json names another one"
            )

    def website(self, packages: Path) -> dict[str, tuple[str, bytes]]:
        """Its pages by path, and a root that links to all of them: content type and body, as `website_online` takes
        them."""
        bodies = {path: file.read_bytes() for path, file in self.files(packages).items()}
        links = "".join(f'<li><a href="/{quote(path)}">{_title(body, path)}</a>' for path, body in bodies.items())
        name = html.escape(self.title)
        root = f'<!doctype html><html lang="en"><title>{name}</title><h1>{name}</h1><ul>{links}</ul></html>'
        pages = {f"/{quote(path)}": ("text/html", body) for path, body in bodies.items()}
        return {"/": ("text/html; charset=utf-8", root.encode()), **pages}


def read_sites(folder: Path) -> dict[str, Site]:
    """The sites of the set in `folder`, by name."""
    told: dict[str, dict[str, Any]] = json.loads((folder / "sites.json").read_text("utf-8"))
    return {
        name: Site(
            name, site["title"], site["package"], site["folder"], tuple(site["pages"]), tuple(site.get("without", ()))
        )
        for name, site in told.items()
    }


def read_questions(folder: Path, site: str) -> list[Question]:
    """In their order; ValueError names the line that is not well formed."""
    file = folder / "questions" / f"{site}.jsonl"
    questions = []
    for number, line in enumerate(file.read_text("utf-8").splitlines(), start=1):
        try:
            questions.append(_question(json.loads(line), site))
        except (ValueError, KeyError, TypeError) as error:
            raise ValueError(f"{file.name}, line {number}: {error}") from error
    return questions


def _question(told: dict[str, Any], site: str) -> Question:
    expect = tuple(tuple(group) for group in told.get("expect", ()))
    question = Question(told["site"], told["kind"], told["question"], expect, tuple(told.get("expect_paths", ())))
    if question.site != site:
        raise ValueError(f"site: {question.site!r} in the file of {site!r}")
    if told["answerable"] is not question.is_answerable or bool(question.pages) is not question.is_answerable:
        raise ValueError("answerable: a question has expect and expect_paths where it is true, and neither where not")
    if not all(expect) or any(isinstance(group, str) for group in told.get("expect", ())):
        raise ValueError("expect: groups are lists of at least one pattern")
    return question


def _title(body: bytes, path: str) -> str:
    found = LexborHTMLParser(body).css_first("title")
    return html.escape(" ".join(found.text().split()) if found else path)
