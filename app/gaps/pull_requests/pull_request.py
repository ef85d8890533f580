"""The repository that a website is built from, and a pull request that changes a page's file to close a gap."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from difflib import ndiff
from enum import StrEnum
from typing import Annotated, Final
from urllib.parse import unquote, urlsplit
from uuid import UUID

from app.core.errors import InvalidInput
from app.core.setting import at_most, check_limits, required
from app.gaps.gap import GapAsking

_MAX_PATH_CHARS: Final = 500
DEFAULT_PATTERNS: Final = ("{path}.md", "{path}/index.md", "{path}/README.md", "{path}.mdx")
_NAME: Final = re.compile(r"[A-Za-z0-9_.-]+")
_BRANCH: Final = re.compile(r"[A-Za-z0-9_./-]+")
_PLACE: Final = "{path}"


@dataclass(frozen=True, slots=True)
class Repository:
    """An agent's repository. {path} in a pattern is "index" for the page at `base_path` itself."""

    id: UUID
    agent_id: UUID
    owner: Annotated[str, required(100)]
    name: Annotated[str, required(100)]
    branch: Annotated[str, required(200), "The branch that is published."] = "main"
    base_path: Annotated[
        str, at_most(_MAX_PATH_CHARS), "The part of the website that is built from the repository, such as /docs."
    ] = ""
    root: Annotated[str, at_most(_MAX_PATH_CHARS), "The folder that contains the sources of the pages."] = ""
    patterns: Annotated[
        tuple[str, ...],
        required(20, each=_MAX_PATH_CHARS),
        "Candidate files of a page below root, in order. {path} is the part of the page's URL after base_path.",
    ] = DEFAULT_PATTERNS

    def files_of(self, url: str) -> tuple[str, ...]:
        """Candidate source files of the page, likeliest first; none for a page outside `base_path` or a path that would
        leave the root."""
        path, base = unquote(urlsplit(url).path), self.base_path.rstrip("/")
        if base and path != base and not path.startswith(f"{base}/"):
            return ()
        inner = re.sub(r"\.html?$", "", path[len(base) :].strip("/")) or "index"
        inner = inner.removesuffix("/index") or "index"
        if not _is_inside(inner):
            return ()
        files = (pattern.replace(_PLACE, inner) for pattern in self.patterns)
        root = self.root.strip("/")
        return tuple(dict.fromkeys(f"{root}/{file}" if root else file for file in files))


def check_repository(repository: Repository) -> None:
    """Raises InvalidInput with the field and the fix."""
    check_limits("", repository)
    for field in ("owner", "name"):
        value = getattr(repository, field)
        if not _NAME.fullmatch(value) or value in (".", ".."):
            raise InvalidInput(field, "Enter it as in the repository's address: letters, digits, dots and hyphens.")
    if not _BRANCH.fullmatch(repository.branch) or not _is_inside(repository.branch):
        raise InvalidInput("branch", "Enter the name of the published branch, such as main.")
    for field in ("base_path", "root"):
        value = getattr(repository, field).strip("/")
        if value and not _is_inside(value):
            raise InvalidInput(field, "Enter a path without empty segments, . or .. in it.")
    for number, pattern in enumerate(repository.patterns):
        if _PLACE not in pattern or not _is_inside(pattern.replace(_PLACE, "page")):
            raise InvalidInput(f"patterns.{number}", f"Enter a path with {_PLACE} in it, such as {_PLACE}/index.md.")


def _is_inside(path: str) -> bool:
    """Whether the path is relative and stays inside its folder."""
    parts: Sequence[str] = path.split("/")
    is_plain = all(character.isprintable() and character != "\\" for character in path)
    return is_plain and all(part not in ("", ".", "..", ".git", ".github") for part in parts)


MAX_TITLE_CHARS: Final = 100
TITLE: Final = at_most(MAX_TITLE_CHARS)
MAX_FILE_CHARS: Final = 500_000
FILE: Final = required(MAX_FILE_CHARS, rows=20)
TOKEN: Final = at_most(500)
_MAX_SHOWN: Final = 6000  # characters of the change to try; a page context has at most 8 KB
_TICKS: Final = re.compile(r"`+")


class PullRequestState(StrEnum):
    OPEN = "open"
    MERGED = "merged"
    CLOSED = "closed"  # without being merged


@dataclass(frozen=True, slots=True)
class PullRequest:
    """`number` and `url` are the host's; `path` is the changed file, `page_url` the page built from it."""

    id: UUID
    agent_id: UUID
    gap_id: UUID
    number: int
    url: str
    path: str
    page_url: str
    state: PullRequestState
    author: str
    created_at: datetime


@dataclass(frozen=True, slots=True)
class ProvedQuestion:
    """A wording of the gap, the answer its visitor got, and the answer the agent gives with the change."""

    before: GapAsking
    after: str


def added_text(old: str, new: str) -> str:
    """The lines that a change adds, at most _MAX_SHOWN characters."""
    added = [line[2:] for line in ndiff(old.splitlines(), new.splitlines()) if line.startswith("+ ")]
    return "\n".join(added)[:_MAX_SHOWN]


def proof_text(askings: int, change: str, questions: Sequence[ProvedQuestion]) -> str:
    """The pull request's description in Markdown. Visitors' and models' words are fenced, so that the host finds no
    mentions, links or closing keywords in them."""
    times = "once" if askings == 1 else f"{askings} times"
    parts = [f"Visitors asked this {times} and got no answer.", "### What this adds", _fenced(change)]
    for each in questions:
        parts += [
            "### Question",
            _fenced(each.before.question),
            "Answer before:",
            _fenced(each.before.answer or "No answer."),
            "Answer with this change:",
            _fenced(each.after or "No answer."),
        ]
    parts.append("When this is merged, Docent reads the page and asks the questions again.")
    return "\n\n".join(parts)


def _fenced(text: str) -> str:
    longest = max((len(found.group()) for found in _TICKS.finditer(text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}text\n{text.strip()}\n{fence}"
