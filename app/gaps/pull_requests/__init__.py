"""Closes a gap at its source: by changing the page in the website's own repository."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

from app.feature import Edge, Feature, Fill, Opened

if TYPE_CHECKING:
    from app.providers.code.code_host import CodeHost


@asynccontextmanager
async def _code_host() -> "AsyncIterator[CodeHost]":
    from app.providers.code.code_host import MAX_ANSWER_BYTES, GitHubCodeHost
    from app.providers.http_caller import CrawlerHttpCaller

    async with CrawlerHttpCaller(max_reply_bytes=MAX_ANSWER_BYTES) as caller:
        yield GitHubCodeHost(caller)


def _edge() -> Edge:
    from app.gaps.api.gaps import AdminGapReplays
    from app.gaps.pull_requests.api import AdminPullRequests
    from app.gaps.pull_requests.pages import PullRequestPages
    from app.providers.code.code_host import CodeHost

    return Edge({AdminPullRequests: AdminGapReplays}, (PullRequestPages,), (Opened(CodeHost, _code_host),))


def _fills() -> Sequence[Fill[Any]]:
    from app.gaps.gap_replays import GapNews
    from app.gaps.pull_requests.pull_requests import GoodNews

    return (Fill(GapNews, GoodNews),)


FEATURE = Feature(name="pull_requests", edge=_edge, fills=_fills)
