"""Port: a service that hosts repositories and accepts pull requests."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Annotated, Protocol


@dataclass(frozen=True, slots=True)
class RepositoryAccess:
    """`owner`/`name`, the branch that is published, and a token with write access."""

    owner: str
    name: str
    branch: str
    token: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class RepositoryFile:
    """A text file on the branch; `version` is the host's name of that content."""

    path: str
    text: str
    version: Annotated[str, "Send it back with the changed text."]


@dataclass(frozen=True, slots=True)
class Proposal:
    """A change to one file, on a branch of its own. `text` is the whole file; `body` is Markdown."""

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
    """Raises InvalidInput if the host refuses, with a reason for whoever configured the repository; Unavailable if it
    does not respond, or not as it should."""

    async def first_file(self, access: RepositoryAccess, paths: Sequence[str]) -> RepositoryFile | None:
        """The first of these files that the branch has; None if it has none."""
        ...

    async def propose(self, access: RepositoryAccess, proposal: Proposal) -> OpenedPullRequest:
        """Open a pull request. A second one for the same branch is refused."""
        ...
