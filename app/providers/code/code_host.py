"""Port: a service that hosts repositories and accepts pull requests."""

import base64
import binascii
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any, Final, Protocol
from urllib.parse import quote

from app.core.errors import InvalidInput, Unavailable
from app.providers.http_caller import CallFailed, HttpCaller


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


API: Final = "https://api.github.com"
MAX_FILE_BYTES: Final = 1_000_000  # above that GitHub sends no content either
MAX_ANSWER_BYTES: Final = 4_000_000
_REFUSED: Final[Mapping[int, str]] = {
    401: "GitHub does not know the token, or it has expired. Give another one.",
    403: "The token may not do this, or has asked too often. It needs to read and write contents and pull requests.",
    404: "GitHub has no such repository or branch, or the token may not see it.",
    409: "The file has changed in the repository. Start again from its current text.",
    422: "GitHub refused the change: the branch may be there already, or nothing would change.",
}


class GitHubCodeHost:
    """GitHub's REST API, version 2022-11-28: https://docs.github.com/en/rest

    Only one host is called: no redirect is followed, so a token goes nowhere else. `caller` reads up to
    MAX_ANSWER_BYTES of a response.
    """

    def __init__(self, caller: HttpCaller) -> None:
        self._caller = caller

    async def first_file(self, access: RepositoryAccess, paths: Sequence[str]) -> RepositoryFile | None:
        await self._branch_head(access)  # else a wrong name would read as a missing file
        for path in paths:
            status, reply = await self._call(
                "GET", access, f"contents/{quote(path)}?ref={quote(access.branch, safe='')}"
            )
            if status == 200 and isinstance(reply, dict) and reply.get("type") == "file":
                return _file(path, reply)
            if status not in (200, 404):
                raise _refusal(status)
        return None

    async def propose(self, access: RepositoryAccess, proposal: Proposal) -> OpenedPullRequest:
        head = await self._branch_head(access)
        await self._must("POST", access, "git/refs", {"ref": f"refs/heads/{proposal.branch}", "sha": head})
        written = {
            "message": proposal.title,
            "content": base64.b64encode(proposal.text.encode()).decode(),
            "sha": proposal.file.version,
            "branch": proposal.branch,
        }
        await self._must("PUT", access, f"contents/{quote(proposal.file.path)}", written)
        reply = await self._must(
            "POST",
            access,
            "pulls",
            {"title": proposal.title, "body": proposal.body, "head": proposal.branch, "base": access.branch},
        )
        try:
            return OpenedPullRequest(int(reply["number"]), str(reply["html_url"]))
        except (KeyError, TypeError, ValueError) as error:
            raise Unavailable("GitHub did not say which pull request it opened.") from error

    async def _branch_head(self, access: RepositoryAccess) -> str:
        reply = await self._must("GET", access, f"git/ref/heads/{quote(access.branch)}")
        try:
            return str(reply["object"]["sha"])
        except (KeyError, TypeError) as error:
            raise Unavailable("GitHub did not return the branch's commit.") from error

    async def _must(
        self, method: str, access: RepositoryAccess, path: str, body: Mapping[str, str] | None = None
    ) -> Mapping[str, Any]:
        status, reply = await self._call(method, access, path, body)
        if status not in (200, 201) or not isinstance(reply, dict):
            raise _refusal(status)
        return reply

    async def _call(
        self, method: str, access: RepositoryAccess, path: str, body: Mapping[str, str] | None = None
    ) -> tuple[int, Any]:
        """The status, and the body as JSON, None if it is none."""
        url = f"{API}/repos/{quote(access.owner)}/{quote(access.name)}/{path}"
        headers = {
            "Authorization": f"Bearer {access.token}",
            "Accept": "application/vnd.github+json",
            "X-GitHub-Api-Version": "2022-11-28",
            "User-Agent": "docent",
        }
        sent = None if body is None else json.dumps(body).encode()
        if sent is not None:
            headers["Content-Type"] = "application/json"
        try:
            reply = await self._caller.call(method, url, headers, sent)
        except CallFailed as error:
            raise Unavailable(f"GitHub cannot be asked: {error}") from error
        if len(reply.body) >= MAX_ANSWER_BYTES:
            raise Unavailable("GitHub answers with more than is read of it.")
        try:
            return reply.status, json.loads(reply.body) if reply.body else None
        except ValueError:
            return reply.status, None


def _file(path: str, reply: Mapping[str, Any]) -> RepositoryFile:
    try:
        content = base64.b64decode(str(reply["content"]))
        if len(content) > MAX_FILE_BYTES or reply.get("encoding") != "base64":
            raise InvalidInput("", "The page's file is too large to be changed here.")
        return RepositoryFile(path, content.decode(), str(reply["sha"]))
    except (KeyError, binascii.Error, UnicodeDecodeError) as error:
        raise InvalidInput("", "The page's file is not text.") from error


def _refusal(status: int) -> InvalidInput | Unavailable:
    if status in _REFUSED:
        return InvalidInput("", _REFUSED[status])
    return Unavailable(f"GitHub answered {status}.")
