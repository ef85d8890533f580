"""Fetches URLs politely: with pacing, retries, checked redirects and limits on bodies."""

import random
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, replace

import anyio

from crawler.address_policy import AddressPolicy
from crawler.errors import (
    AddressRefused,
    BodyGarbled,
    BodyTooLarge,
    ConnectTimedOut,
    CrawlError,
    TimedOut,
    Unreachable,
    UrlRefused,
)
from crawler.extract.page import Outcome, Validators
from crawler.fetch.body_reader import ACCEPT_ENCODING, read_body
from crawler.fetch.fetch_result import HTML, Fetched, FetchLimits, NotFetched, Refusal, SiteAccess, WantedBody
from crawler.fetch.guarded_transport import Answer, Wire
from crawler.fetch.http_answers import (
    READ_BYTES,
    REDIRECTS,
    RETRIED,
    WALLED_STATUSES,
    bot_wall,
    looks_like_a_file,
    looks_like_html,
    media_type_and_charset,
    retry_after_seconds,
    status_outcome,
    validators_of,
    wall_reason,
)
from crawler.fetch.linked_files import begins_as_file
from crawler.fetch.pacing import HostPacing
from crawler.url_rules import CheckedUrl, check_url, resolve_url

Admit = Callable[[str], Awaitable[Refusal | None]]


@dataclass(frozen=True, slots=True)
class _Reply:
    """One response; `body` is None if it was not read."""

    status: int
    headers: Mapping[str, str]
    body: bytes | None


class Fetcher:
    """Fetches URLs for one crawler.

    `user_agent` is sent unchanged, such as "DocentBot/1.0 (+https://example.com/bot)". `jitter` returns numbers in [0,
    1). All waiting is in `pacing`. `policy` must be that of the wire. `access` is sent to its own site.
    """

    def __init__(
        self,
        wire: Wire,
        user_agent: str,
        pacing: HostPacing | None = None,
        policy: AddressPolicy | None = None,
        limits: FetchLimits | None = None,
        jitter: Callable[[], float] = random.random,
        access: SiteAccess | None = None,
    ) -> None:
        self._wire = wire
        self.user_agent = user_agent
        self.pacing = pacing or HostPacing()
        self.policy = policy or AddressPolicy()
        self.limits = limits or FetchLimits()
        self._jitter = jitter
        self._access = access

    def with_access(self, access: SiteAccess) -> "Fetcher":
        """A fetcher that sends these credentials, with the same wire and pacing."""
        return Fetcher(self._wire, self.user_agent, self.pacing, self.policy, self.limits, self._jitter, access)

    @property
    def agent(self) -> str:
        """Our product token, "DocentBot", which robots.txt groups and X-Robots-Tag use."""
        return self.user_agent.partition("/")[0].strip()

    async def fetch(
        self,
        url: str,
        validators: Validators | None = None,
        wanted: WantedBody = HTML,
        admit: Admit | None = None,
        query: bytes | None = None,
    ) -> Fetched | NotFetched:
        """Get `url`, following up to five redirects; every hop is checked like a new URL.

        With `validators` the GET is conditional, and an unchanged page ends as UNCHANGED. `admit` is called with the
        target of each redirect before it is followed. If `query` is given, it is JSON to POST to `url`; redirects are
        followed without it. Never raises for what a server does.
        """
        try:
            hop = check_url(url, self.policy)
        except UrlRefused as error:
            return NotFetched(url, Outcome.FORBIDDEN_ADDRESS, error.reason)
        visited: set[str] = set()
        for hops in range(self.limits.max_redirects + 1):
            visited.add(str(hop))
            sent = query if hops == 0 else None
            reply = await self._try_patiently(hop, self._headers(hop, validators, hops), wanted, sent)
            if isinstance(reply, NotFetched):
                return replace(reply, url=url)
            if reply.status not in REDIRECTS:
                return _judged(url, hop, reply, wanted, is_conditional=validators is not None)
            target = await self._redirect_target(hop, reply, visited, admit)
            if isinstance(target, NotFetched):
                return replace(target, url=url)
            hop = target
        reason = f"more than {self.limits.max_redirects} redirects"
        return NotFetched(url, Outcome.TOO_MANY_REDIRECTS, reason, reply.status, str(hop), reply.headers)

    def _headers(self, url: CheckedUrl, validators: Validators | None, hops: int) -> dict[str, str]:
        headers = {
            **(self._access.headers_for(url) if self._access else {}),
            "User-Agent": self.user_agent,
            "Accept": "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.5",
            "Accept-Encoding": ACCEPT_ENCODING,
        }
        if validators and validators.etag:
            headers["If-None-Match"] = validators.etag
        # Only for the first URL, because the date proves nothing about the target of a redirect.
        if validators and validators.last_modified and hops == 0:
            headers["If-Modified-Since"] = validators.last_modified
        return headers

    async def _try_patiently(
        self, url: CheckedUrl, headers: Mapping[str, str], wanted: WantedBody, query: bytes | None
    ) -> _Reply | NotFetched:
        """Request one hop, with retries. Each try waits for the host's turn, so that backing off delays all requests to
        the host."""
        for tries_left in reversed(range(self.limits.attempts)):
            reply, may_pass = await self._try_once(url, headers, wanted, query)
            asked = reply.retry_after_seconds if isinstance(reply, NotFetched) else None
            if not may_pass or tries_left == 0:
                break
            if asked is not None and asked > self.limits.max_retry_after_seconds:
                self.pacing.push_back(url.host, self.limits.max_retry_after_seconds)
                break
            retry = self.limits.attempts - 1 - tries_left
            backoff = min(self.limits.backoff_seconds * 2**retry, self.limits.max_backoff_seconds)
            self.pacing.push_back(url.host, max(asked or 0.0, backoff * (0.5 + self._jitter() / 2)))
        return reply

    async def _try_once(
        self, url: CheckedUrl, headers: Mapping[str, str], wanted: WantedBody, query: bytes | None
    ) -> tuple[_Reply | NotFetched, bool]:
        """Send one request; return the result, and whether trying again soon may help."""
        may_pass = False
        method = "GET"
        if query is not None:
            method, headers = "POST", {**headers, "Content-Type": "application/json"}
        async with self.pacing.turn(url.host):
            try:
                with anyio.fail_after(self.limits.total_timeout_seconds):
                    async with self._wire.send(method, url, headers, query) as answer:
                        reply = await _read(url, answer, wanted)
                        is_wall = isinstance(reply, NotFetched) and reply.outcome is Outcome.BOT_WALL
                        return reply, answer.status in RETRIED and not is_wall
            except (UrlRefused, AddressRefused) as error:
                outcome, reason = Outcome.FORBIDDEN_ADDRESS, error.reason
            except TimedOut as error:
                outcome, reason = Outcome.TIMED_OUT, error.reason
                may_pass = isinstance(error, ConnectTimedOut)
            except TimeoutError:
                outcome = Outcome.TIMED_OUT
                reason = f"no complete answer within {self.limits.total_timeout_seconds:g} s"
            except Unreachable as error:
                outcome, reason, may_pass = Outcome.UNREACHABLE, error.reason, True
            except BodyGarbled as error:
                outcome, reason = Outcome.UNREACHABLE, error.reason
            except BodyTooLarge as error:
                outcome, reason = Outcome.TOO_LARGE, error.reason
            return NotFetched(str(url), outcome, reason), may_pass

    async def _redirect_target(
        self, hop: CheckedUrl, reply: _Reply, visited: set[str], admit: Admit | None
    ) -> CheckedUrl | NotFetched:
        location = reply.headers.get("location", "")
        if not location:
            return _stopped(hop, reply, Outcome.HTTP_ERROR, f"the redirect ({reply.status}) has no target")
        try:
            target = resolve_url(str(hop), location, self.policy)
        except UrlRefused as error:
            reason = f"it redirects to an address that is not allowed: {error.reason}"
            return replace(_stopped(hop, reply, Outcome.FORBIDDEN_ADDRESS, reason), status=None)
        if str(target) in visited:
            return _stopped(hop, reply, Outcome.TOO_MANY_REDIRECTS, f"the redirects form a loop at {target}")
        if admit is not None and (refusal := await admit(str(target))):
            return replace(_stopped(hop, reply, refusal.outcome, refusal.reason), final_url=str(target))
        return target


async def _read(url: CheckedUrl, answer: Answer, wanted: WantedBody) -> _Reply | NotFetched:
    if answer.status != 200:
        if answer.status in REDIRECTS or answer.status == 304:
            return _Reply(answer.status, answer.headers, None)
        outcome, reason = status_outcome(answer.status)
        if wall := await _wall(answer):
            outcome, reason = Outcome.BOT_WALL, f"{wall_reason(wall)} (status {answer.status})"
        wait = retry_after_seconds(answer.headers)
        return NotFetched(str(url), outcome, reason, answer.status, str(url), answer.headers, wait)
    media_type, _ = media_type_and_charset(answer.headers.get("content-type", ""))
    if not wanted.takes(media_type):
        reason = f"the content is {media_type}, not a web page"
        return NotFetched(str(url), Outcome.NOT_HTML, reason, 200, str(url), answer.headers)
    length, most = answer.headers.get("content-length", ""), wanted.most_bytes(media_type)
    if length.isascii() and length.isdigit() and int(length[:18]) > most and not wanted.truncate:
        raise BodyTooLarge(f"the page is larger than {most} bytes")
    encoding = answer.headers.get("content-encoding", "")
    body = await read_body(answer.chunks, encoding, most, wanted.truncate)
    return _Reply(200, answer.headers, body)


async def _wall(answer: Answer) -> str:
    """The service whose bot wall sent the answer; "" if the website itself did."""
    if answer.status not in WALLED_STATUSES:
        return ""
    try:
        body = await read_body(answer.chunks, answer.headers.get("content-encoding", ""), READ_BYTES, truncate=True)
    except CrawlError:  # without a body, status and headers decide
        body = b""
    return bot_wall(answer.status, answer.headers, body)


def _judged(url: str, hop: CheckedUrl, reply: _Reply, wanted: WantedBody, is_conditional: bool) -> Fetched | NotFetched:
    if reply.status == 304:
        if not is_conditional:
            return replace(
                _stopped(
                    hop, reply, Outcome.HTTP_ERROR, "the server answered that the page is unchanged, but was not asked"
                ),
                url=url,
            )
        return replace(_stopped(hop, reply, Outcome.UNCHANGED, "unchanged since the last visit"), url=url)
    body = reply.body or b""
    media_type, charset = media_type_and_charset(reply.headers.get("content-type", ""))
    is_file = bool(wanted.file_types) and begins_as_file(body)
    if media_type in wanted.file_types and not is_file:
        reason = f"the content is declared as {media_type}, but is something else"
        return replace(_stopped(hop, reply, Outcome.NOT_HTML, reason), url=url)
    if wanted.media_types and not media_type and not is_file and not looks_like_html(body):
        return replace(_stopped(hop, reply, Outcome.NOT_HTML, "the content is not a web page"), url=url)
    is_known_file = is_file and media_type not in wanted.media_types
    if HTML.media_types & wanted.media_types and not is_known_file and looks_like_a_file(body, charset):
        reason = "the content is declared as a web page, but is a file"
        return replace(_stopped(hop, reply, Outcome.NOT_HTML, reason), url=url)
    return Fetched(url, str(hop), reply.status, reply.headers, body, media_type, charset, validators_of(reply.headers))


def _stopped(hop: CheckedUrl, reply: _Reply, outcome: Outcome, reason: str) -> NotFetched:
    return NotFetched(str(hop), outcome, reason, reply.status, str(hop), reply.headers)
