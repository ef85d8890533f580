"""A pull request that changes a page to close a gap, with its proof in words."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from difflib import ndiff
from enum import StrEnum
from typing import Final
from uuid import UUID

from app.gaps.gap_replay import GapAsking

MAX_TITLE_CHARS: Final = 100
MAX_FILE_CHARS: Final = 500_000
_MAX_SHOWN: Final = 6000  # characters of the change that are tried; a browser's page says at most 8 KB of itself
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
    """The lines that a change adds, up to the number of characters that can be tried."""
    added = [line[2:] for line in ndiff(old.splitlines(), new.splitlines()) if line.startswith("+ ")]
    return "\n".join(added)[:_MAX_SHOWN]


def proof_text(asked: int, change: str, questions: Sequence[ProvedQuestion]) -> str:
    """The pull request's description in Markdown. Visitors' and models' words are fenced, so that the host finds no
    mentions, links or closing keywords in them."""
    times = "once" if asked == 1 else f"{asked} times"
    parts = [f"Visitors asked this in vain, {times}.", "### What this adds", _fenced(change)]
    for each in questions:
        parts += [
            "### Question",
            _fenced(each.before.question),
            "Answer before:",
            _fenced(each.before.answer or "No answer."),
            "Answer with this change:",
            _fenced(each.after or "No answer."),
        ]
    parts.append("When this is merged, the page is read again and the questions are asked once more.")
    return "\n\n".join(parts)


def _fenced(text: str) -> str:
    longest = max((len(found.group()) for found in _TICKS.finditer(text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}text\n{text.strip()}\n{fence}"
