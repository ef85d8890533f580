"""Admin API: gaps closed by a change in the website's own repository, and the repository's webhook."""

from typing import Annotated
from uuid import uuid4

from pydantic import Field

from app.core.actor import Actor
from app.core.errors import NotFound
from app.core.setting import required
from app.gaps.api.gaps import TAG
from app.gaps.pull_requests.pull_request import (
    FILE,
    TITLE,
    TOKEN,
    PullRequest,
    Repository,
)
from app.gaps.pull_requests.pull_requests import Merges, PullRequests, Repositories
from app.providers.code.code_host import RepositoryFile
from app.web.access import hook
from app.web.middleware.public_url import root_path_of
from app.web.model import RequiredUrl
from app.web.operation import DEFAULT_MAX_BODY_BYTES, Api, Call, Model, delete, get, items_of, post, put, read, write
from app.web.request_body import read_body

SIGNATURE_HEADER = "x-hub-signature-256"
EVENT_HEADER = "x-github-event"
MAX_BODY_BYTES = 16 * DEFAULT_MAX_BODY_BYTES
_MAX_URL_CHARS = 2048


class RepositoryIn(Model, takes=Repository, fields="owner name branch base_path root patterns token"):
    owner: str = Field(examples=["nimbrel"])
    name: str = Field(examples=["website"])
    token: Annotated[
        str,
        TOKEN,
        "A token that may write contents and pull requests in the repository. It is stored sealed. If empty, the "
        "current one is kept.",
    ] = ""


class RepositoryOut(Model, shows=Repository, fields="owner name branch base_path root patterns hook_path hook_secret"):
    hook_path: Annotated[str, "The path that the repository's webhook posts to."]
    hook_secret: Annotated[str | None, "Shown once, when it is created."] = None

    @classmethod
    def showing(cls, repository: Repository, root_path: str, secret: str | None = None) -> "RepositoryOut":
        hook_path = f"{root_path}/v1/hooks/github/{repository.agent_id}"
        return super().showing(repository, hook_path=hook_path, hook_secret=secret)


class PageFileIn(Model):
    page_url: RequiredUrl


class PageFileOut(Model, shows=RepositoryFile, fields="path text version"): ...


class PullRequestIn(PageFileIn):
    text: Annotated[str, FILE, "The whole file, with your changes."]
    version: Annotated[str, required(100), "The version of the file that you changed."]
    title: Annotated[str, TITLE] = ""


class PullRequestOut(Model, shows=PullRequest, fields="id gap_id number url path page_url state author created_at"): ...


class PullRequestsOut(Model, adds=items_of(PullRequestOut)): ...


class HeardOut(Model):
    pages: int = Field(description="Pages that are read again.")


class AdminPullRequests(Api):
    tag = TAG
    _repositories: Repositories
    _pull_requests: PullRequests
    _merges: Merges

    @put("/v1/agents/{agent_id}/repository", "Set the GitHub repository that the website is built from", access=write)
    async def set_repository(self, call: Call[Actor, RepositoryIn]) -> RepositoryOut:
        repository = call.input.made(Repository, id=uuid4(), agent_id=call.path_id("agent_id"))
        made = await self._repositories.put(call.caller, repository, call.input.token)
        return RepositoryOut.showing(made.repository, root_path_of(call.request), made.hook_secret)

    @get(
        "/v1/agents/{agent_id}/repository",
        "Get the repository that the website is built from, without its token",
        access=read,
    )
    async def get_repository(self, call: Call[Actor, None]) -> RepositoryOut:
        found = await self._repositories.find(call.caller, call.path_id("agent_id"))
        if found is None:
            raise NotFound("repository")
        return RepositoryOut.showing(found, root_path_of(call.request))

    @delete("/v1/agents/{agent_id}/repository", "Remove the repository and its token", access=write)
    async def remove_repository(self, call: Call[Actor, None]) -> None:
        await self._repositories.remove(call.caller, call.path_id("agent_id"))

    @post("/v1/gaps/{gap_id}/page-file", "Get the source file of a page, to edit it", access=write)
    async def read_page_file(self, call: Call[Actor, PageFileIn]) -> PageFileOut:
        file = await self._pull_requests.file(call.caller, call.path_id("gap_id"), call.input.page_url)
        return PageFileOut.showing(file)

    @post(
        "/v1/gaps/{gap_id}/pull-requests",
        "Propose a changed file as a pull request, with the gap's questions as proof",
        access=write,
        status=201,
    )
    async def open_pull_request(self, call: Call[Actor, PullRequestIn]) -> PullRequestOut:
        given = call.input
        opened = await self._pull_requests.open(
            call.caller, call.path_id("gap_id"), given.page_url, given.text, given.version, given.title
        )
        return PullRequestOut.showing(opened)

    @get("/v1/gaps/{gap_id}/pull-requests", "List a gap's pull requests, latest first", access=read)
    async def list_pull_requests(self, call: Call[Actor, None]) -> PullRequestsOut:
        found = await self._pull_requests.of_gap(call.caller, call.path_id("gap_id"))
        return PullRequestsOut.showing(items=found)

    @post(
        "/v1/hooks/github/{agent_id}",
        "GitHub's webhook, signed with the repository's secret: a merge, or a deployment that succeeded",
        access=hook,
        codes=("too_large",),
    )
    async def hear_github(self, call: Call[None, None]) -> HeardOut:
        """The signature covers the raw bytes."""
        body = await read_body(call.request, MAX_BODY_BYTES)
        headers = call.request.headers
        pages = await self._merges.receive(
            call.path_id("agent_id"), headers.get(EVENT_HEADER, ""), headers.get(SIGNATURE_HEADER, ""), body
        )
        return HeardOut(pages=pages)
