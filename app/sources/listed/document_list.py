"""Port: a source that lists its documents itself, such as a help centre, and the JSON API of its website."""

import json
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import TYPE_CHECKING, Any, Final, Protocol
from urllib.parse import urljoin

from app.core.text.letter_forms import encodable
from app.sources.source import AccessKind, SourceAccess, SourceConfig, SourceKind
from crawler.errors import UrlRefused
from crawler.extract.page import Outcome
from crawler.fetch.fetch_result import NotFetched, NotRead, SiteAccess, WantedBody
from crawler.url_rules import CheckedUrl, check_url, site_key

if TYPE_CHECKING:  # Git and HTTP, which most commands do without
    from app.providers.code.git_repository import GitRemotes
    from crawler.fetch.fetcher import Fetcher

MAX_ANSWER_BYTES: Final = 16 * 1024 * 1024
_JSON: Final = WantedBody(frozenset({"application/json", "text/json"}), MAX_ANSWER_BYTES)

_DOCUMENT: Final = WantedBody(
    _JSON.media_types
    | {
        "application/yaml",
        "application/x-yaml",
        "text/yaml",
        "text/x-yaml",
        "text/plain",
        "application/octet-stream",
        "application/vnd.oai.openapi",
        "application/vnd.oai.openapi+json",
        "application/openapi+json",
        "application/openapi+yaml",
    },
    8 * 1024 * 1024,
)

Json = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class ListedSource:
    """A source that is about to be read: `start` is its address, checked; `access` is for its website alone."""

    config: SourceConfig
    start: CheckedUrl
    access: SourceAccess | None
    fetcher: "Fetcher"
    remotes: "GitRemotes"


class JsonApi:
    """Calls the source's website, and no other, with the source's credentials and `headers`."""

    def __init__(self, source: ListedSource, headers: Mapping[str, str] | None = None) -> None:
        self.start = source.start
        sent = {**(headers or {}), **(source.access.headers if source.access else {})}
        self._fetcher = source.fetcher.with_access(SiteAccess(source.start, sent)) if sent else source.fetcher

    async def get(self, path: str) -> Json:
        """Get a JSON object. `path` is an address, or a path of the source's website. Raises NotRead."""
        return _object(await self.body(path, _JSON))

    async def post(self, path: str, query: Json) -> Json:
        """Send `query` as JSON; return the JSON object of the response. Raises NotRead."""
        return _object(await self.body(path, _JSON, json.dumps(query).encode()))

    async def body(self, path: str, wanted: WantedBody = _DOCUMENT, query: bytes | None = None) -> bytes:
        """The bytes of a response, to `query` if there is one. Raises NotRead."""
        try:
            url = check_url(urljoin(f"{self.start.origin}/", path), self._fetcher.policy)
        except (UrlRefused, ValueError) as error:
            raise NotRead(Outcome.FORBIDDEN_ADDRESS, "the API links to an invalid address") from error
        if site_key(url) != site_key(self.start):
            raise NotRead(Outcome.OUT_OF_SCOPE, f"the API leads to another website ({url.host})")
        answer = await self._fetcher.fetch(str(url), wanted=wanted, query=query)
        if isinstance(answer, NotFetched):
            raise NotRead(answer.outcome, f"{url.path}: {answer.reason}")
        return answer.body


def parsed(body: bytes) -> Any:
    """The value of a JSON text, in which half an emoji, as texts that were cut may end in, is a question mark. Raises
    ValueError, RecursionError."""
    value = json.loads(body)
    return json.loads(encodable(json.dumps(value, ensure_ascii=False))) if b"\\ud" in body.lower() else value


def _object(body: bytes) -> Json:
    try:
        value = parsed(body)
    except (ValueError, RecursionError) as error:
        raise NotRead(Outcome.NOT_HTML, "the response is not JSON") from error
    if not isinstance(value, dict):
        raise NotRead(Outcome.NOT_HTML, "the response is not a JSON object")
    return value


def objects_of(value: Json, name: str) -> list[Json]:
    """The objects in the list `name`; [] if there is none."""
    found = value.get(name)
    return [each for each in found if isinstance(each, dict)] if isinstance(found, list) else []


def object_of(value: Json, name: str) -> Json:
    """The object `name`; {} if there is none."""
    found = value.get(name)
    return found if isinstance(found, dict) else {}


def text_of(value: Json, name: str) -> str:
    """The text `name`, or a number as text; "" if there is none."""
    found = value.get(name)
    return str(found) if isinstance(found, str | int) and not isinstance(found, bool) else ""


@dataclass(frozen=True, slots=True)
class Article:
    """`url` is where its readers find it, `path` is what the source's globs match if that is not the path of `url`;
    `changed` differs whenever its content does. `text` is HTML or Markdown below its title, None if the list does not
    include it; `key` then identifies it for the API. Markdown without a `title` is a whole file, which may contain its
    own."""

    url: str
    title: str
    changed: str
    text: str | None = None
    key: str = ""
    path: str = ""
    language: str | None = None
    modified: date | None = None
    is_markdown: bool = False


class DocumentList(Protocol):
    """The list of one source, opened for one reading. `articles` and `text` raise NotRead."""

    def articles(self) -> AsyncIterator[Article]:
        """Every public article, without drafts, page by page."""
        ...

    async def fetch_ahead(self, articles: Sequence[Article]) -> None:
        """Announce which texts are needed next, for lists that can fetch several at once. Raises nothing."""
        return

    async def text(self, article: Article) -> str:
        """The article's content."""
        return article.text or ""


@dataclass(frozen=True, slots=True)
class ApiAccess:
    """How an API is accessed: what the console's form for credentials is filled with at first, and its hint."""

    kind: AccessKind = AccessKind.BASIC
    name: str = ""
    hint: str = ""


class ListedKind(SourceKind):
    """Base of kinds whose sources list their documents: there are no links to follow, and a document that is no longer
    listed is gone. `address` is an example."""

    keeps_pages = True

    def __init__(
        self,
        value: str,
        label: str,
        opened: Callable[[ListedSource], DocumentList],
        *fields: str,
        address: str = "",
        access: ApiAccess | None = None,
    ) -> None:
        super().__init__(value, label, "include", "exclude", "max_pages", *fields)
        self.opened = opened
        self.address = address
        self.api_access = access or ApiAccess()


def day_of(moment: str) -> date | None:
    """The date of a moment in ISO 8601."""
    try:
        return date.fromisoformat(moment[:10])
    except ValueError:
        return None
