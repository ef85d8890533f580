"""The files of one commit of a Git repository, by dulwich over HTTPS through the crawler's guard.

The commit's folders are fetched first, without files, and then the wanted files. A server without partial clones
(`uploadpack.allowFilter`) sends all files at once.
"""

from collections.abc import Callable, Coroutine, Iterable, Mapping, Sequence
from dataclasses import dataclass
from io import BytesIO
from typing import TYPE_CHECKING, Any, Final

import anyio
from anyio import from_thread, to_thread

from app.kit.guarded_client import GuardedClient
from app.providers.code.git_pack import GitFile, PackAnswer, PackRequest, serve_packs
from crawler.address_policy import Endpoint
from crawler.errors import BodyGarbled, BodyTooLarge, CrawlError, TimedOut, UrlRefused
from crawler.extract.page import Outcome
from crawler.fetch.body_reader import ACCEPT_ENCODING, read_body
from crawler.fetch.fetch_result import NotRead, Refusal, SiteAccess
from crawler.fetch.http_answers import REDIRECTS, status_outcome
from crawler.url_rules import check_url, resolve_url
from crawler.worker_processes import WorkerFailed, WorkerProcesses

if TYPE_CHECKING:
    from dulwich.client import AbstractHttpGitClient

MAX_ANSWER_BYTES: Final = 64 * 1024 * 1024
MAX_REDIRECTS: Final = 5
TIMEOUT_SECONDS: Final = 300.0
UNPACKING_SECONDS: Final = 60.0


@dataclass(frozen=True, slots=True)
class GitTree:
    """The files at a branch's tip. `branch` is the requested one, else the repository's default."""

    branch: str
    files: Sequence[GitFile]


@dataclass(frozen=True, slots=True)
class _Reply:
    """A response as dulwich's clients read it: `redirect_location` is its own address after a redirect, else ""."""

    content_type: str
    redirect_location: str
    body: bytes

    def close(self) -> None:
        """The body was read already."""


_Ask = Callable[[str, Mapping[str, str], bytes | None], Coroutine[Any, Any, _Reply]]


class GitRemotes(GuardedClient):
    """Use as an async context manager. `allowed` endpoints may be called although they are private."""

    def __init__(self, allowed: Iterable[Endpoint] = (), user_agent: str = "") -> None:
        super().__init__(allowed, TIMEOUT_SECONDS)
        self._user_agent = user_agent
        self._unpacking = WorkerProcesses(serve_packs, UNPACKING_SECONDS, max_workers=2, per_owner=1, max_idle=1)

    async def __aexit__(self, *_: object) -> None:
        await self._unpacking.aclose()
        await super().__aexit__()

    def repository(self, url: str, headers: Mapping[str, str] | None = None) -> "GitRepository":
        """`headers` are sent to the website of `url` only. Raises NotRead for an address that may not be called."""
        try:
            access = SiteAccess(check_url(url.strip(), self._policy), headers or {})
        except UrlRefused as error:
            raise NotRead(Outcome.FORBIDDEN_ADDRESS, error.reason) from error

        async def ask(url: str, sent: Mapping[str, str], body: bytes | None) -> _Reply:
            return await self._ask(access, url, sent, body)

        return GitRepository(str(access.start), ask, self._unpacking)

    async def _ask(self, access: SiteAccess, url: str, sent: Mapping[str, str], body: bytes | None) -> _Reply:
        try:
            with anyio.fail_after(self._timeout_seconds):
                return await self._answer(access, url, sent, body)
        except UrlRefused as error:
            raise NotRead(Outcome.FORBIDDEN_ADDRESS, error.reason) from error
        except BodyTooLarge as error:
            most = f"{MAX_ANSWER_BYTES // 1024**2} MiB"
            raise NotRead(Outcome.TOO_LARGE, f"the repository sends more than {most} at once") from error
        except (TimeoutError, TimedOut) as error:
            raise NotRead(Outcome.TIMED_OUT, f"no answer within {self._timeout_seconds:g} s") from error
        except (BodyGarbled, CrawlError) as error:
            raise NotRead(Outcome.UNREACHABLE, error.reason) from error

    async def _answer(self, access: SiteAccess, start: str, sent: Mapping[str, str], body: bytes | None) -> _Reply:
        url = self._checked(start)
        for _ in range(MAX_REDIRECTS + 1):
            headers = {**sent, **access.headers_for(url), "User-Agent": self._user_agent}
            headers |= {"Accept-Encoding": ACCEPT_ENCODING}
            async with self._wire.send("GET" if body is None else "POST", url, headers, body) as answer:
                location = answer.headers.get("location", "")
                if body is None and answer.status in REDIRECTS and location:
                    url = self._checked(str(resolve_url(str(url), location, self._policy)))
                    continue
                if answer.status != 200:
                    outcome, reason = status_outcome(answer.status)
                    raise NotRead(outcome, f"{url.path}: {reason}")
                encoding = answer.headers.get("content-encoding", "")
                content = await read_body(answer.chunks, encoding, MAX_ANSWER_BYTES)
                came_from = str(url)
                kind = answer.headers.get("content-type", "")
                return _Reply(kind, "" if came_from == start else came_from, content)
        raise NotRead(Outcome.TOO_MANY_REDIRECTS, f"more than {MAX_REDIRECTS} redirects")


class GitRepository:
    """A repository during one reading: its branches are requested once. Every method raises NotRead."""

    def __init__(self, url: str, ask: _Ask, unpacking: WorkerProcesses) -> None:
        self._url = url
        self._ask = ask
        self._unpacking = unpacking
        self._client: AbstractHttpGitClient | None = None
        self._branch = ""
        self._texts: dict[bytes, bytes] = {}  # contents that came with the tree

    async def tree(self, branch: str, folder: str, suffixes: Sequence[str]) -> GitTree:
        """The files below `folder` ("" for all) whose names end in one of `suffixes`, at the tip of a branch or tag (""
        for the repository's default). Without links, submodules, and names that begin with a full stop."""
        self._branch = branch
        fetched, pack = await to_thread.run_sync(self._fetch, self._tip, 1, b"blob:none")
        own = fetched.symrefs.get(b"HEAD", b"HEAD").decode(errors="replace").removeprefix("refs/heads/")
        tip = self._tip(fetched.refs)[0]
        found = await self._unpack(PackRequest(pack, tip, folder.strip("/"), tuple(suffixes)))
        self._texts = dict(found.texts)
        return GitTree(branch or own, found.files)

    async def texts(self, blobs: Sequence[str]) -> Mapping[str, bytes]:
        """The contents of these files of `tree`, by blob; what the server does not send is left out."""
        wanted = [blob.encode() for blob in blobs]
        missing = [blob for blob in dict.fromkeys(wanted) if blob not in self._texts]
        found: Mapping[bytes, bytes] = {}
        if missing:
            _, pack = await to_thread.run_sync(self._fetch, lambda refs, depth=None: missing)
            found = (await self._unpack(PackRequest(pack, blobs=missing))).texts
        texts = {**self._texts, **found}
        return {blob.decode(): texts[blob] for blob in wanted if blob in texts}

    async def _unpack(self, request: PackRequest) -> PackAnswer:
        try:
            answer: PackAnswer | Refusal = await self._unpacking.ask(request, owner=self._url)
        except WorkerFailed as error:
            raise NotRead(Outcome.NOT_HTML, f"unpacking what the repository sent {error}") from error
        if isinstance(answer, Refusal):
            raise NotRead(answer.outcome, answer.reason)
        return answer

    def _tip(self, refs: Mapping[bytes, bytes | None], depth: int | None = None) -> list[bytes]:
        tip = next((refs[name] for name in self._names if refs.get(name)), None)
        if tip is None:
            named = f"no branch or tag {self._branch}" if self._branch else "no commit"
            raise NotRead(Outcome.NOT_FOUND, f"the repository has {named}")
        return [tip]

    @property
    def _names(self) -> list[bytes]:
        branch = self._branch.encode()
        return [b"refs/heads/" + branch, b"refs/tags/" + branch] if branch else [b"HEAD"]

    def _fetch(self, wants: Any, depth: int | None = None, filter_spec: bytes | None = None) -> tuple[Any, bytes]:
        """Fetch `wants`; return the server's list of branches and the pack."""
        from dulwich.errors import GitProtocolError, NotGitRepository

        self._client = self._client or _client(self._url, self._ask)
        pack = BytesIO()
        prefixes = list(dict.fromkeys([b"HEAD", *self._names]))
        try:
            fetched = self._client.fetch_pack(
                "", wants, _NoHistory(), pack.write, ref_prefix=prefixes, depth=depth, filter_spec=filter_spec
            )
        except (GitProtocolError, NotGitRepository, NotImplementedError) as error:
            raise NotRead(Outcome.NOT_HTML, f"this is not a readable Git repository: {error}") from error
        except (ValueError, LookupError, AssertionError, EOFError) as error:
            raise NotRead(Outcome.NOT_HTML, "what it answers is not Git's protocol") from error
        return fetched, pack.getvalue()


class _NoHistory:
    """An empty local repository, so that the server sends everything."""

    def __next__(self) -> None:
        return None

    def ack(self, sha: bytes) -> None: ...

    def nak(self) -> None: ...


def _client(url: str, ask: _Ask) -> "AbstractHttpGitClient":
    """Created in the thread that fetches, because dulwich takes a tenth of a second to import."""
    from dulwich.client import AbstractHttpGitClient

    remembered: dict[tuple[str, bytes | None], _Reply] = {}

    class Client(AbstractHttpGitClient):
        def _http_request(self, url: str, headers: Any = None, data: Any = None, raise_for_status: bool = True) -> Any:
            body = data if data is None or isinstance(data, bytes) else b"".join(data)
            is_branches = body is None or b"command=ls-refs" in body[:64]
            reply = remembered.get((url, body)) if is_branches else None
            if reply is None:
                reply = from_thread.run(ask, url, headers or {}, body)
            if not reply.content_type.startswith("application/x-git-"):  # else dulwich asks for objects one by one
                raise NotRead(Outcome.NOT_HTML, "no Git repository answers there")
            if is_branches:
                remembered[url, body] = reply
            return reply, BytesIO(reply.body).read

    return Client(url, thin_packs=False, quiet=True)
