"""GitHub as a code host: what is asked of it, and what its refusals read as."""

import httpx
import pytest

from app.core.errors import InvalidInput, Unavailable
from app.providers.code.code_host import Proposal, RepositoryAccess
from tests.doubles.small_github import PRICING, TOKEN, SmallGitHub, version_of

ACCESS = RepositoryAccess("nimbrel", "website", "main", TOKEN)


async def test_the_first_file_that_is_there_is_read() -> None:
    github = SmallGitHub(files={"docs/a b/index.md": PRICING})
    file = await github.host.first_file(ACCESS, ["docs/a b.md", "docs/a b/index.md"])
    assert file is not None
    assert (file.path, file.text, file.version) == ("docs/a b/index.md", PRICING, version_of(PRICING))
    assert await github.host.first_file(ACCESS, ["none.md"]) is None


async def test_a_proposal_is_a_branch_a_commit_and_a_pull_request() -> None:
    github = SmallGitHub()
    file = await github.host.first_file(ACCESS, ["pricing.md"])
    assert file is not None
    opened = await github.host.propose(ACCESS, Proposal("docent/gap-1", file, "# New\n", "Say more", "The proof."))
    assert (opened.number, opened.url) == (7, "https://github.com/nimbrel/website/pull/7")
    assert github.branches["docent/gap-1"]["pricing.md"] == "# New\n"
    assert github.files["pricing.md"] == PRICING
    assert github.pulls == [
        {"number": 7, "title": "Say more", "body": "The proof.", "head": "docent/gap-1", "base": "main"}
    ]


async def test_only_githubs_own_host_is_asked_and_by_a_header_alone_hears_the_token() -> None:
    github = SmallGitHub()
    await github.host.first_file(ACCESS, ["pricing.md"])
    assert {request.url.host for request in github.asked} == {"api.github.com"}
    assert all(TOKEN not in str(request.url) for request in github.asked)
    assert TOKEN not in repr(ACCESS)


@pytest.mark.parametrize(
    ("access", "said"),
    [
        pytest.param(RepositoryAccess("nimbrel", "website", "main", "wrong"), "token", id="another token"),
        pytest.param(RepositoryAccess("nimbrel", "other", "main", TOKEN), "no such repository", id="no repository"),
        pytest.param(RepositoryAccess("nimbrel", "website", "old", TOKEN), "no such repository", id="no branch"),
    ],
)
async def test_a_refusal_says_what_to_mend(access: RepositoryAccess, said: str) -> None:
    with pytest.raises(InvalidInput, match=said):
        await SmallGitHub().host.first_file(access, ["pricing.md"])


async def test_a_host_that_answers_otherwise_is_away() -> None:
    class Broken(SmallGitHub):
        def answer(self, request: httpx.Request) -> httpx.Response:
            return httpx.Response(502, text="<html>")

    broken = Broken().host
    with pytest.raises(Unavailable):
        await broken.first_file(ACCESS, ["pricing.md"])


async def test_a_file_that_changed_meanwhile_is_not_overwritten() -> None:
    github = SmallGitHub()
    file = await github.host.first_file(ACCESS, ["pricing.md"])
    assert file is not None
    github.files["pricing.md"] = "# Another\n"
    with pytest.raises(InvalidInput, match="changed in the repository"):
        await github.host.propose(ACCESS, Proposal("docent/gap-1", file, "# New\n", "Say more", ""))
    assert github.pulls == []
