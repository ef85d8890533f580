"""The results of a crawl: one `PageResult` per URL, with the page or the reason why there is none."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from enum import StrEnum

from crawler.extract.metadata.linked_data import LinkedData


class Outcome(StrEnum):
    """The outcome of one URL. For every value but FETCHED, `PageResult.reason` has the reason."""

    FETCHED = "fetched"
    UNCHANGED = "unchanged"  # 304: the validators of the last visit are still valid
    BLOCKED_BY_ROBOTS = "blocked_by_robots"
    FORBIDDEN_ADDRESS = "forbidden_address"  # the address check refused the URL or the addresses of its name
    OUT_OF_SCOPE = "out_of_scope"  # a redirect or rel=canonical led outside the source
    DUPLICATE = "duplicate"  # another URL of this crawl already represents this page
    NOT_FOUND = "not_found"  # 404
    GONE = "gone"  # 410
    SOFT_404 = "soft_404"  # status 200, but the page says "not found"
    LOGIN_WALL = "login_wall"  # 401, 403, or a login form instead of the page
    BOT_WALL = "bot_wall"  # a service in front of the website refuses programs or demands a browser
    RATE_LIMITED = "rate_limited"  # 429 after all retries
    HTTP_ERROR = "http_error"  # any other 4xx, and 5xx after all retries
    TOO_MANY_REDIRECTS = "too_many_redirects"
    TIMED_OUT = "timed_out"
    UNREACHABLE = "unreachable"  # name, connection, TLS or protocol failure
    TOO_LARGE = "too_large"
    NOT_HTML = "not_html"
    NOINDEX = "noindex"  # the page asks not to be indexed (meta robots, X-Robots-Tag)
    JAVASCRIPT_ONLY = "javascript_only"  # no text until scripts run
    EMPTY_TEXT = "empty_text"  # HTML without main text
    UNREADABLE_FILE = "unreadable_file"  # a PDF or Office file without readable text


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading of a page. `anchor` is the id to link to, if there is one. `is_question`: it is a question by its words
    or by the page's declaration (FAQPage), and only its answer follows."""

    level: int  # 1..6
    text: str
    anchor: str | None = None
    is_question: bool = False


@dataclass(frozen=True, slots=True)
class PageSigns:
    """Signs that a response is not the page itself. None of them proves it alone."""

    says_not_found: bool = False  # in its title or first heading
    has_password_field: bool = False
    says_login: bool = False  # in its title or first heading
    has_scripts: bool = False
    is_shell: bool = False  # it has scripts, and an element for them to fill


@dataclass(frozen=True, slots=True)
class Page:
    """The main content of one HTML page.

    `markdown` has headings, paragraphs, lists, tables and code, without navigation and hidden text, and the links in
    its text, with absolute targets. `url` is absolute and normalised, after redirects; `canonical_url` is rel=canonical
    if the page names one on the same host, else `url`. `links` are absolute, normalised, unique, in document order, and
    empty if the page declares nofollow.
    `linked` is the page's data for machines; `hidden_text` is the text that was removed because readers do not see it,
    for checks. `language` is a BCP 47 primary subtag ("en"), declared by the page or detected, or None.
    """

    url: str
    canonical_url: str
    title: str
    markdown: str
    headings: tuple[Heading, ...] = ()
    description: str = ""
    language: str | None = None
    published: date | None = None
    modified: date | None = None
    links: tuple[str, ...] = ()
    is_noindex: bool = False
    linked: LinkedData = field(default_factory=LinkedData)
    signs: PageSigns = field(default_factory=PageSigns)
    hidden_text: str = ""


@dataclass(frozen=True, slots=True)
class Validators:
    """The validators that a server sent for conditional requests (RFC 9110, section 8.8)."""

    etag: str | None = None
    last_modified: str | None = None


@dataclass(frozen=True, slots=True)
class PageResult:
    """The result of one URL of the frontier.

    `page` is set if and only if `outcome` is FETCHED. `reason` is a sentence for a person, empty if FETCHED.
    """

    url: str  # as in the frontier
    depth: int
    outcome: Outcome
    reason: str = ""
    page: Page | None = None
    final_url: str | None = None  # after redirects, if there was a response
    status: int | None = None  # HTTP status of the last response
    body_bytes: int = 0
    validators: Validators = field(default_factory=Validators)
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
