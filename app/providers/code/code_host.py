"""The port to a service that keeps repositories and takes pull requests."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol


@dataclass(frozen=True, slots=True)
class RepositoryAccess:
    """`owner`/`name`, the branch that is published, and a token that may write there."""

    owner: str
    name: str
    branch: str
    token: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class RepositoryFile:
    """A text file as the branch has it; `version` is the host's name of that content."""

    path: str
    text: str
    version: str


@dataclass(frozen=True, slots=True)
class Proposal:
    """A change of one file, on a branch of its own. `text` is the whole file; `body` is Markdown."""

    branch: str
    file: RepositoryFile
    text: str
    title: str
    body: str


@dataclass(frozen=True, slots=True)
class OpenedPullRequest:
    number: int
    url: str


class CodeHost(Protocol):
    """Raises InvalidInput where the host refuses, in words for whoever set the repository up; Unavailable where it does
    not answer, or not as it should."""

    async def first_file(self, access: RepositoryAccess, paths: Sequence[str]) -> RepositoryFile | None:
        """The first of these files that the branch has; None where it has none."""
        ...

    async def propose(self, access: RepositoryAccess, proposal: Proposal) -> OpenedPullRequest:
        """Open a pull request. Done twice for one branch, the second is refused."""
        ...
