"""SiteReader for sources that list their documents themselves; another reader handles the rest."""

import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from html import escape
from pathlib import PurePosixPath
from typing import Final

import anyio

from app.core.errors import InvalidInput
from app.kit.clock import Clock
from app.kit.tasks import Interrupted, unless
from app.knowledge.document import PageContent
from app.providers.code.git_repository import GitRemotes
from app.sources.listed.document_list import Article, DocumentList, ListedKind, ListedSource
from app.sources.runs.crawler_site_reader import page_content
from app.sources.runs.site_reader import PageQueue, QueuedPage, ReadPage, RunSummary, SiteReader
from app.sources.source import SourceAccess, SourceConfig
from crawler.discover.scope import passes_patterns
from crawler.errors import ExtractionFailed, UrlRefused
from crawler.extract.extraction_pool import Extractor
from crawler.extract.page import Outcome
from crawler.fetch.fetch_result import NotRead
from crawler.fetch.fetcher import Fetcher
from crawler.url_rules import check_url, normalise_url

_MARKDOWN_SIGN: Final = re.compile(r"[\\`*_{}\[\]<>#|~!&]")
_TAKEN: Final = 20  # pages taken from the queue at a time
LOOK_SECONDS: Final = 2.0  # between two looks at whether the run was cancelled


@dataclass(frozen=True, slots=True)
class _Listed:
    """The result of reading a list. `articles` are those that the source wants, by address; `others` are listed but not
    wanted. `is_cut` if the limit of pages ended it early."""

    articles: Mapping[str, Article]
    others: frozenset[str]
    is_cut: bool = False

    def changed(self, pages: Sequence[QueuedPage]) -> list[Article]:
        """The articles of those pages whose content has changed."""
        found = ((self.articles.get(page.url), page.etag) for page in pages)
        return [article for article, etag in found if article is not None and article.changed != etag]

    def summary(self, max_pages: int) -> RunSummary:
        if self.is_cut:
            return RunSummary(f"The limit of {max_pages} pages was reached; there are more.", is_complete=False)
        return RunSummary("Every listed page was read.")


@dataclass(frozen=True, slots=True)
class ListedReader:
    """`otherwise` reads sources of other kinds. The caller owns it, `fetcher`, `remotes` and `extractor`, and closes
    them."""

    _otherwise: SiteReader
    _fetcher: Fetcher
    _remotes: GitRemotes
    _extractor: Extractor
    _clock: Clock

    async def read(
        self,
        source: SourceConfig,
        queue: PageQueue,
        settle: Callable[[ReadPage], Awaitable[None]],
        is_cancelled: Callable[[], Awaitable[bool]],
        *,
        only_queued: bool = False,
        access: SourceAccess | None = None,
    ) -> RunSummary:
        """If a list cannot be read to its end, the reading fails, because missing pages may still exist."""
        if not isinstance(source.kind, ListedKind):
            return await self._otherwise.read(
                source, queue, settle, is_cancelled, only_queued=only_queued, access=access
            )

        async def cancelled() -> None:
            while not await is_cancelled():  # noqa: ASYNC110 - the record says so, for another process
                await anyio.sleep(LOOK_SECONDS)

        documents = source.kind.opened(self._start(source, access))
        try:
            listed = await unless(cancelled, partial(self._listed, source, documents))
            if not only_queued:
                await queue.add([QueuedPage(url, depth=0) for url in listed.articles])
            while not await is_cancelled():
                pages = await queue.take(_TAKEN)
                if not pages:
                    return listed.summary(source.max_pages)
                await unless(cancelled, partial(documents.fetch_ahead, listed.changed(pages)))
                for page in pages:
                    await settle(replace(await self._read(source, documents, listed, page), read_at=self._clock.now()))
        except NotRead as error:
            raise InvalidInput("url", f"The list of pages could not be read: {error.reason}.") from error
        except Interrupted:
            pass
        return RunSummary("The reading was cancelled.", is_complete=False)

    def _start(self, source: SourceConfig, access: SourceAccess | None) -> ListedSource:
        try:
            start = check_url(source.url.strip(), self._fetcher.policy)
        except UrlRefused as error:
            raise InvalidInput("url", error.reason) from error
        return ListedSource(source, start, access, self._fetcher, self._remotes)

    async def _listed(self, source: SourceConfig, documents: DocumentList) -> _Listed:
        articles: dict[str, Article] = {}
        others: set[str] = set()
        async for article in documents.articles():
            try:
                address, _, fragment = article.url.partition("#")
                url = normalise_url(address, self._fetcher.policy) + (f"#{fragment}" if fragment else "")
                target = check_url(url, self._fetcher.policy).target + (f"#{fragment}" if fragment else "")
            except UrlRefused:
                continue
            if not passes_patterns(article.path or target, source.include, source.exclude):
                others.add(url)
            elif len(articles) < source.max_pages:
                articles[url] = article
            else:
                return _Listed(articles, frozenset({*others, url}), is_cut=True)
        return _Listed(articles, frozenset(others))

    async def _read(self, source: SourceConfig, documents: DocumentList, listed: _Listed, page: QueuedPage) -> ReadPage:
        article = listed.articles.get(page.url)
        if article is None:
            return _not_listed(listed, page)
        if page.etag == article.changed:
            return _ended(page, Outcome.UNCHANGED, "unchanged since the last reading", article.changed)
        try:
            text = await documents.text(article)
            content = await self._content(source, article, page.url, text)
        except NotRead as error:
            return _ended(page, error.outcome, error.reason)
        except ExtractionFailed as error:
            return _ended(page, Outcome.EMPTY_TEXT, error.reason)
        if not content.markdown.strip():
            return _ended(page, Outcome.EMPTY_TEXT, "it has no text")
        read = _ended(page, Outcome.FETCHED, "", article.changed)
        return replace(read, content=content, http_status=200, body_bytes=len(text.encode()))

    async def _content(self, source: SourceConfig, article: Article, url: str, text: str) -> PageContent:
        """Convert the article, without the page around it that its readers see."""
        if article.is_markdown:
            title, media_type = _MARKDOWN_SIGN.sub(r"\\\g<0>", article.title), "text/markdown"
            body = f"# {title}\n\n{text}" if title else text
        else:
            title, media_type = escape(article.title), "text/html"
            body = (
                f'<!doctype html><html lang="{escape(article.language or "")}"><head><title>{title}</title></head>'
                f"<body><main><h1>{title}</h1>{text}</main></body></html>"
            )
        page = await self._extractor.extract(body.encode(), url, "utf-8", media_type)
        modified = article.modified or page.modified
        title = article.title or page.title or PurePosixPath(article.path).stem
        return page_content(replace(page, url=url, canonical_url=url, title=title, modified=modified), source)


def _not_listed(listed: _Listed, page: QueuedPage) -> ReadPage:
    """The outcome of an earlier reading's page that is not among the articles: gone, unless it is only unwanted, or the
    list was not read to its end."""
    if page.url in listed.others or listed.is_cut:
        return _ended(page, Outcome.OUT_OF_SCOPE, "the source's settings now exclude it")
    return _ended(page, Outcome.GONE, "it is no longer listed")


def _ended(page: QueuedPage, outcome: Outcome, reason: str, changed: str | None = None) -> ReadPage:
    return ReadPage(page.url, page.depth, outcome.value, reason, etag=changed or None)
