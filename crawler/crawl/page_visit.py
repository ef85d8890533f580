"""Visits one URL of a crawl: robots, fetch, scope, extraction, duplicates."""

import re
from contextlib import suppress
from dataclasses import dataclass, field, replace
from heapq import nsmallest
from itertools import islice
from typing import TYPE_CHECKING, Final
from urllib.parse import urljoin, urlsplit
from zlib import crc32

from crawler.crawl.frontier import FrontierEntry
from crawler.discover.scope import Scope, page_key
from crawler.errors import ExtractionFailed, RenderingFailed, UrlRefused
from crawler.extract.extraction_pool import Extractor
from crawler.extract.markdown.text_links import without_targets
from crawler.extract.markdown_html import MARKDOWN_TYPES
from crawler.extract.page import Outcome, Page, PageResult, Validators
from crawler.extract.page_signs import asks_for_javascript
from crawler.fetch.fetch_result import HTML, Fetched, NotFetched, Refusal, WantedBody
from crawler.fetch.fetcher import Fetcher
from crawler.fetch.http_answers import bot_wall, wall_reason
from crawler.fetch.linked_files import begins_as_file, file_types_at
from crawler.fetch.robots import Robots, parse_x_robots_tag
from crawler.url_rules import CheckedUrl, check_url, normalise_url

if TYPE_CHECKING:
    from crawler.fetch.playwright_renderer import PlaywrightRenderer  # of the extra `render`


_SHINGLE: Final = 3  # words
_SAMPLE: Final = 64
_FEWEST: Final = 8
_ALIKE: Final = 0.5  # shared by texts of one page, such as its printed version or another sort order
_MAX_WORDS: Final = 20_000
_WORD: Final = re.compile(r"\w+")


def text_sketch(text: str) -> frozenset[int]:
    """A bottom-k sketch of the text: a sample of its shingles, equal for equal texts (Broder 1997). It is empty for a
    text without words."""
    words = [word[0] for word in islice(_WORD.finditer(text.casefold()), _MAX_WORDS)]
    shingles = {crc32(" ".join(words[at : at + _SHINGLE]).encode()) for at in range(max(1, len(words) - _SHINGLE + 1))}
    return frozenset(nsmallest(_SAMPLE, shingles)) if words else frozenset()


def are_alike(one: frozenset[int], other: frozenset[int]) -> bool:
    """Whether the texts of two sketches share at least half of their shingles, or one is too short to tell."""
    if min(len(one), len(other)) < _FEWEST:
        return True
    sample = set(nsmallest(_SAMPLE, one | other))
    return len(sample & one & other) >= _ALIKE * len(sample)


# The Markdown version of a page is at its address plus ".md", as llmstxt.org proposes.
_PAGE: Final = WantedBody(HTML.media_types | MARKDOWN_TYPES)
_AS_MARKDOWN: Final = WantedBody(_PAGE.media_types | {"text/plain"})  # the type of Markdown on many servers

_ENDING: Final = re.compile(r"\.(?:md|mdx|markdown)$", re.IGNORECASE)
_INDEX: Final = re.compile(r"/(?:index(?:\.html?)?|readme)$", re.IGNORECASE)
_LINK: Final = re.compile(r"<([^<>]{1,2048})>([^<]{0,1000})")
_CANONICAL: Final = re.compile(r";\s*rel\s*=\s*\"?canonical\b", re.IGNORECASE)


def is_markdown_address(url: str) -> bool:
    return bool(_ENDING.search(urlsplit(url).path))


def wanted_at(url: str) -> WantedBody:
    """The bodies that are read as a page at this address."""
    return _AS_MARKDOWN if is_markdown_address(url) else _PAGE


def is_markdown(answer: Fetched) -> bool:
    return answer.media_type in _AS_MARKDOWN.media_types - HTML.media_types


def pages_of_markdown(url: str) -> list[str]:
    """Likely addresses of the HTML version of a Markdown page, likeliest first: "/a" and "/a.html" for "/a.md", "/a/"
    for "/a/index.md"."""
    parts = urlsplit(url)
    path = _ENDING.sub("", parts.path)
    if path == parts.path:
        return []
    path = _INDEX.sub("/", path) or "/"
    is_file = "." not in path.rpartition("/")[2] and not path.endswith("/")
    paths = [path, f"{path}.html"] if is_file else [path]
    return [parts._replace(path=each, query="", fragment="").geturl() for each in paths]


def linked_canonical(link_header: str, url: str) -> str | None:
    """The absolute URL of the page that a `Link` header (RFC 8288) names as canonical."""
    for target, parameters in _LINK.findall(link_header):
        if _CANONICAL.search(parameters):
            with suppress(ValueError):  # no URL
                return urljoin(url, str(target).strip())
    return None


_LOGIN_PATH = re.compile(r"/(log-?_?in|sign-?_?in|wp-login|user-login|logon)(\.[a-z]{3,5})?(/|$)", re.I)
_ERROR_PAGE_CHARS = 800  # error pages and login forms are short; articles about them are long
_LOADING_CHARS = 40  # "Loading...", "Please wait"
_REQUEST_CHARS = 300  # requests to enable JavaScript are shorter than articles about it


def not_the_page(page: Page, asked: CheckedUrl, final: CheckedUrl) -> Refusal | None:
    """Why the page at `final`, to which the URL `asked` led, must not be indexed; None if it may be."""
    text_chars = len(without_targets(page.markdown))
    signs = page.signs
    if not _is_login(asked) and _is_login(final):
        return Refusal(Outcome.LOGIN_WALL, f"the page redirects to a login ({final})")
    if signs.has_password_field and signs.says_login and text_chars <= _ERROR_PAGE_CHARS:
        return Refusal(Outcome.LOGIN_WALL, "the page asks for a login")
    if signs.says_not_found and text_chars <= _ERROR_PAGE_CHARS:
        return Refusal(Outcome.SOFT_404, "the page says that it was not found, although its status is 200")
    if has_no_text_without_scripts(page):
        return Refusal(Outcome.JAVASCRIPT_ONLY, "the page has no text until its JavaScript runs")
    if not page.markdown.strip():
        return Refusal(Outcome.EMPTY_TEXT, "the page has no main text")
    return None


def wall_in_place_of(page: Page, answer: Fetched) -> Refusal | None:
    """The refusal if a bot wall answered with a status 200; None if this is the website's own page."""
    is_short = len(without_targets(page.markdown)) <= _ERROR_PAGE_CHARS
    wall = bot_wall(answer.status, answer.headers, answer.body if is_short else b"")
    return Refusal(Outcome.BOT_WALL, wall_reason(wall)) if wall else None


def has_no_text_without_scripts(page: Page) -> bool:
    """Whether the page is empty until its scripts run."""
    chars = len(without_targets(page.markdown))
    if page.signs.is_shell and chars <= _LOADING_CHARS:
        return True
    return page.signs.has_scripts and chars <= _REQUEST_CHARS and asks_for_javascript(page.markdown)


def _is_login(url: CheckedUrl) -> bool:
    return _LOGIN_PATH.search(url.path) is not None


@dataclass(frozen=True, slots=True)
class FileReading:
    """The reader of PDF and Office files on a website, and their largest size."""

    extractor: Extractor
    max_bytes: int


@dataclass(frozen=True, slots=True)
class Visited:
    """The result of a visit, and the links to follow: none if the page asks not to."""

    result: PageResult
    links: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class PageVisit:
    """Visits frontier entries. By the keys of pages, `_holders` has the first URL that led to the page, `_sketches` the
    sketch of its text, None where there is no page."""

    _fetcher: Fetcher
    _robots: Robots
    _extractor: Extractor
    _scope: Scope
    _renderer: "PlaywrightRenderer | None" = None
    _files: FileReading | None = None
    _holders: dict[str, str] = field(default_factory=dict)
    _sketches: dict[str, frozenset[int] | None] = field(default_factory=dict)

    async def visit(self, entry: FrontierEntry) -> Visited:
        """Fetch and extract one entry. Never raises for what a site does, except for errors of the extractor other than
        ExtractionFailed."""
        refusal = await self._admit(entry.url)
        if refusal:
            return Visited(PageResult(entry.url, entry.depth, refusal.outcome, refusal.reason))
        validators = entry.validators if entry.validators != Validators() else None
        answer = await self._fetcher.fetch(entry.url, validators, self._wanted_at(entry.url), self._admit)
        if isinstance(answer, NotFetched):
            return self._without_page(entry, answer)
        return await self._with_page(entry, answer)

    def _wanted_at(self, url: str) -> WantedBody:
        wanted = wanted_at(url)
        if self._files is None:
            return wanted
        return replace(wanted, file_types=file_types_at(url), max_file_bytes=self._files.max_bytes)

    async def _admit(self, url: str) -> Refusal | None:
        """Why the URL must not be fetched, or None. The scope is checked before robots.txt, which may need a
        request."""
        return self._out_of_scope(url) or await self._robots.refusal(url)

    def _out_of_scope(self, url: str) -> Refusal | None:
        try:
            if self._scope.allows(check_url(url, self._fetcher.policy)):
                return None
        except UrlRefused as error:
            return Refusal(Outcome.FORBIDDEN_ADDRESS, error.reason)
        return Refusal(Outcome.OUT_OF_SCOPE, f"{url} is outside the source")

    def _without_page(self, entry: FrontierEntry, answer: NotFetched) -> Visited:
        if answer.outcome is Outcome.UNCHANGED and answer.final_url:
            # The unchanged URL still represents its page, so that other URLs of this page are its duplicates.
            holder = self._claim(answer.final_url, entry)
            if holder != entry.url:
                return Visited(_ended(entry, answer, Outcome.DUPLICATE, _stands(holder)))
        return Visited(_ended(entry, answer, answer.outcome, answer.reason))

    async def _with_page(self, entry: FrontierEntry, answer: Fetched) -> Visited:
        files = self._files if begins_as_file(answer.body) else None
        try:
            if files is not None:
                page = await files.extractor.extract(answer.body, answer.final_url, None, answer.media_type)
            else:
                media_type = "text/markdown" if is_markdown(answer) else "text/html"
                page = await self._extractor.extract(answer.body, answer.final_url, answer.charset, media_type)
            if files is None and (wall := wall_in_place_of(page, answer)):
                return Visited(_ended(entry, answer, wall.outcome, wall.reason))
            if self._renderer is not None and not is_markdown(answer) and has_no_text_without_scripts(page):
                rendered = await self._renderer.render(answer)
                page = await self._extractor.extract(rendered, answer.final_url, "utf-8")
                # The content that scripts load may change although the page itself does not.
                answer = replace(answer, validators=Validators())
        except RenderingFailed as error:
            reason = f"the page has no text until its JavaScript runs, and that failed: {error.reason}"
            return Visited(_ended(entry, answer, Outcome.JAVASCRIPT_ONLY, reason))
        except ExtractionFailed as error:
            outcome = Outcome.UNREADABLE_FILE if files is not None else Outcome.EMPTY_TEXT
            return Visited(_ended(entry, answer, outcome, error.reason))
        directives = parse_x_robots_tag(answer.headers.get("x-robots-tag", ""), self._fetcher.agent)
        links = () if directives.is_nofollow else page.links
        if page.is_noindex or directives.is_noindex:
            return Visited(_ended(entry, answer, Outcome.NOINDEX, "the page asks not to be indexed"), links)
        sketch = text_sketch(without_targets(page.markdown))
        if is_markdown(answer):
            page = replace(page, canonical_url=await self._page_for_people(entry, answer))
        elif not await self._is_its_text(answer.final_url, page.canonical_url, sketch):
            page = replace(page, canonical_url=answer.final_url)
        refused = self._no_page(entry, answer, page) or self._not_this_one(entry, answer, page)
        if refused:
            return Visited(_ended(entry, answer, refused.outcome, refused.reason), links)
        self._sketches.update(dict.fromkeys(map(self._key, (answer.final_url, page.canonical_url)), sketch))
        return Visited(_ended(entry, answer, Outcome.FETCHED, "", page), links)

    async def _page_for_people(self, entry: FrontierEntry, answer: Fetched) -> str:
        """The address to cite for a page in Markdown: the canonical one that the server names, else a likely address of
        its HTML version that exists, else its own."""
        url = answer.final_url
        named = linked_canonical(answer.headers.get("link", ""), url)
        for beside in [named] if named else pages_of_markdown(url):
            if await self._admit(beside):
                continue
            if self._claim(beside, entry) != entry.url:
                return beside  # apparently read already
            found = await self._fetcher.fetch(beside, admit=self._admit)
            if isinstance(found, Fetched):
                return found.final_url
        return url

    def _no_page(self, entry: FrontierEntry, answer: Fetched, page: Page) -> Refusal | None:
        """Why the response is not a page of the source; None if it is."""
        for page_url in dict.fromkeys((answer.final_url, page.canonical_url)):
            if self._out_of_scope(page_url):
                return Refusal(Outcome.OUT_OF_SCOPE, f"the page belongs to {page_url}, outside the source")
        policy = self._fetcher.policy
        return not_the_page(page, check_url(entry.url, policy), check_url(answer.final_url, policy))

    def _not_this_one(self, entry: FrontierEntry, answer: Fetched, page: Page) -> Refusal | None:
        """The refusal as a duplicate if another URL represents the page already; else None."""
        for page_url in dict.fromkeys((answer.final_url, page.canonical_url)):
            holder = self._claim(page_url, entry)
            if holder != entry.url:
                return Refusal(Outcome.DUPLICATE, _stands(holder))
        return None

    async def _is_its_text(self, url: str, canonical_url: str, sketch: frozenset[int]) -> bool:
        """Whether the canonical URL of the page at `url` leads to the same text. Many sites name one for every page,
        or one that is gone."""
        key = self._key(canonical_url)
        if key == self._key(url) or self._out_of_scope(canonical_url):
            return True
        if key not in self._sketches:
            self._sketches[key] = await self._sketch_at(canonical_url)
        named = self._sketches[key]
        return named is not None and are_alike(named, sketch)

    async def _sketch_at(self, url: str) -> frozenset[int] | None:
        """The sketch of a page that was not read yet; None if it must not be, or cannot be."""
        if await self._admit(url):
            return None
        answer = await self._fetcher.fetch(url, admit=self._admit)
        if isinstance(answer, NotFetched):
            return None
        with suppress(ExtractionFailed):
            page = await self._extractor.extract(answer.body, answer.final_url, answer.charset)
            return None if page.is_noindex else text_sketch(without_targets(page.markdown))
        return None

    def _claim(self, page_url: str, entry: FrontierEntry) -> str:
        """The URL that represents the page from now on: the first one that claimed it, else this entry's."""
        return self._holders.setdefault(self._key(page_url), entry.url)

    def _key(self, page_url: str) -> str:
        policy = self._fetcher.policy
        return page_key(check_url(normalise_url(page_url, policy), policy))


def _stands(holder: str) -> str:
    return f"{holder} is already read as this page"


def _ended(
    entry: FrontierEntry,
    answer: Fetched | NotFetched,
    outcome: Outcome,
    reason: str,
    page: Page | None = None,
) -> PageResult:
    # A 304 need not repeat the validators: those of the last visit are still valid.
    validators = answer.validators if isinstance(answer, Fetched) else entry.validators
    return PageResult(
        entry.url,
        entry.depth,
        outcome,
        reason,
        page,
        final_url=answer.final_url,
        status=answer.status,
        body_bytes=len(answer.body) if isinstance(answer, Fetched) else 0,
        validators=validators,
        headers=answer.headers,
    )
