"""SiteReader of sources that list their documents themselves; others are another reader's."""

import re
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, replace
from html import escape
from typing import Final

from app.core.errors import InvalidInput
from app.kit.clock import Clock
from app.knowledge.document import PageContent
from app.sources.listed.discourse import Discourse
from app.sources.listed.document_list import Article, DocumentList
from app.sources.listed.intercom import HEADERS as INTERCOM_HEADERS
from app.sources.listed.intercom import Intercom
from app.sources.listed.json_api import ApiFailed, JsonApi
from app.sources.listed.openapi_reference import OpenApiReference
from app.sources.listed.zendesk import Zendesk
from app.sources.runs.crawler_site_reader import page_content
from app.sources.runs.site_reader import PageQueue, QueuedPage, ReadPage, RunSummary, SiteReader
from app.sources.source import SourceConfig, SourceKind
from app.sources.source_access import SourceAccess
from crawler.discover.scope import passes_patterns
from crawler.errors import ExtractionFailed, UrlRefused
from crawler.extract.extractor import Extractor
from crawler.extract.page import Outcome
from crawler.fetch.fetcher import Fetcher
from crawler.url_rules import check_url, normalise_url

LISTS: Final[Mapping[SourceKind, DocumentList]] = {
    SourceKind.ZENDESK: Zendesk(),
    SourceKind.INTERCOM: Intercom(),
    SourceKind.DISCOURSE: Discourse(),
    SourceKind.OPENAPI: OpenApiReference(),
}
_HEADERS: Final[Mapping[SourceKind, Mapping[str, str]]] = {SourceKind.INTERCOM: INTERCOM_HEADERS}
_MARKDOWN_SIGN: Final = re.compile(r"[\\`*_{}\[\]<>#|~!&]")
_TAKEN: Final = 20  # at a time; between them the reading can be stopped


@dataclass(frozen=True, slots=True)
class _Listed:
    """`articles` by address, as far as the source wants them; `others` are listed as well, and not wanted."""

    articles: Mapping[str, Article]
    others: frozenset[str]
    is_cut: bool = False

    def summary(self, max_pages: int) -> RunSummary:
        if self.is_cut:
            return RunSummary(f"The limit of {max_pages} pages was reached; there are more.", is_complete=False)
        return RunSummary("Every page that is listed was read.")


class ListedReader:
    """`otherwise` reads sources of other kinds; it, `fetcher` and `extractor` stay the caller's, who closes them."""

    def __init__(self, otherwise: SiteReader, fetcher: Fetcher, extractor: Extractor, clock: Clock) -> None:
        self._otherwise = otherwise
        self._fetcher = fetcher
        self._extractor = extractor
        self._clock = clock

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
        """A list that cannot be read to its end ends the reading as failed, for what it lacks may be there still."""
        if source.kind not in LISTS:
            return await self._otherwise.read(
                source, queue, settle, is_cancelled, only_queued=only_queued, access=access
            )
        api = self._api(source, access)
        try:
            listed = await self._listed(source, api)
        except ApiFailed as error:
            raise InvalidInput("url", f"It does not list its pages: {error.reason}.") from error
        if not only_queued:
            await queue.add([QueuedPage(url, depth=0) for url in listed.articles])
        while not await is_cancelled():
            pages = await queue.take(_TAKEN)
            if not pages:
                return listed.summary(source.max_pages)
            for page in pages:
                await settle(replace(await self._read(source, api, listed, page), read_at=self._clock.now()))
        return RunSummary("The reading was cancelled.", is_complete=False)

    def _api(self, source: SourceConfig, access: SourceAccess | None) -> JsonApi:
        try:
            start = check_url(source.url.strip(), self._fetcher.policy)
        except UrlRefused as error:
            raise InvalidInput("url", error.reason) from error
        return JsonApi(self._fetcher, start, access, _HEADERS.get(source.kind))

    async def _listed(self, source: SourceConfig, api: JsonApi) -> _Listed:
        articles: dict[str, Article] = {}
        others: set[str] = set()
        async for article in LISTS[source.kind].articles(api, source):
            try:
                address, _, fragment = article.url.partition("#")
                url = normalise_url(address, self._fetcher.policy) + (f"#{fragment}" if fragment else "")
                target = check_url(url, self._fetcher.policy).target + (f"#{fragment}" if fragment else "")
            except UrlRefused:
                continue
            if not passes_patterns(target, source.include, source.exclude):
                others.add(url)
            elif len(articles) < source.max_pages:
                articles[url] = article
            else:
                return _Listed(articles, frozenset({*others, url}), is_cut=True)
        return _Listed(articles, frozenset(others))

    async def _read(self, source: SourceConfig, api: JsonApi, listed: _Listed, page: QueuedPage) -> ReadPage:
        article = listed.articles.get(page.url)
        if article is None:
            return _not_listed(listed, page)
        if page.etag == article.changed:
            return _ended(page, Outcome.UNCHANGED, "unchanged since the last reading", article.changed)
        try:
            text = await LISTS[source.kind].text(api, article)
            content = await self._content(source, article, page.url, text)
        except ApiFailed as error:
            return _ended(page, error.outcome, error.reason)
        except ExtractionFailed as error:
            return _ended(page, Outcome.EMPTY_TEXT, error.reason)
        if not content.markdown.strip():
            return _ended(page, Outcome.EMPTY_TEXT, "it has no text")
        read = _ended(page, Outcome.FETCHED, "", article.changed)
        return replace(read, content=content, http_status=200, body_bytes=len(text.encode()))

    async def _content(self, source: SourceConfig, article: Article, url: str, text: str) -> PageContent:
        """The article alone, as a page: what stands around it where its readers find it never comes."""
        if article.is_markdown:
            title, media_type = _MARKDOWN_SIGN.sub(r"\\\g<0>", article.title), "text/markdown"
            body = f"# {title}\n\n{text}"
        else:
            title, media_type = escape(article.title), "text/html"
            body = (
                f'<!doctype html><html lang="{escape(article.language or "")}"><head><title>{title}</title></head>'
                f"<body><main><h1>{title}</h1>{text}</main></body></html>"
            )
        page = await self._extractor.extract(body.encode(), url, "utf-8", media_type)
        modified = article.modified or page.modified
        return page_content(replace(page, url=url, canonical_url=url, title=article.title, modified=modified), source)


def _not_listed(listed: _Listed, page: QueuedPage) -> ReadPage:
    """Of a page of an earlier reading: withdrawn or deleted, unless the list was not read so far."""
    if page.url in listed.others or listed.is_cut:
        return _ended(page, Outcome.OUT_OF_SCOPE, "the source does not want it any more")
    return _ended(page, Outcome.GONE, "it is listed no more")


def _ended(page: QueuedPage, outcome: Outcome, reason: str, changed: str | None = None) -> ReadPage:
    return ReadPage(page.url, page.depth, outcome.value, reason, etag=changed or None)
