"""A code host of one repository, in memory."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from app.providers.code.code_host import OpenedPullRequest, Proposal, RepositoryAccess, RepositoryFile
from tests.doubles.small_github import PRICING, version_of


@dataclass
class MemoryCodeHost:
    """It takes whatever is proposed."""

    files: dict[str, str] = field(default_factory=lambda: {"pricing.md": PRICING})
    proposals: list[Proposal] = field(default_factory=list)

    async def first_file(self, access: RepositoryAccess, paths: Sequence[str]) -> RepositoryFile | None:
        for path in paths:
            if path in self.files:
                return RepositoryFile(path, self.files[path], version_of(self.files[path]))
        return None

    async def propose(self, access: RepositoryAccess, proposal: Proposal) -> OpenedPullRequest:
        self.proposals.append(proposal)
        number = len(self.proposals)
        return OpenedPullRequest(number, f"https://github.com/{access.owner}/{access.name}/pull/{number}")
