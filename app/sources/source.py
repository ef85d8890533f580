"""A source is what an agent learns from; a crawl run is one reading of it, which a schedule may start. Its website may
require a password, a header or a cookie, which an operator adds to the source; with a publish hook, it reports which of
its pages have changed."""

import hashlib
import hmac
import re
from base64 import b64encode, urlsafe_b64encode
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Annotated, Final
from uuid import UUID

from app.core.errors import InvalidInput
from app.core.field_rules import MAX_URL_CHARS, check_http_url
from app.core.setting import at_most, between, check_limits, required
from app.knowledge.document import RepeatedText
from crawler.discover.scope import Scope
from crawler.url_rules import CheckedUrl

MAX_NAME_CHARS: Final = 200
MAX_TEXT_CHARS: Final = 500_000
_LINES: Final = at_most(100, each=500)
STATUS: Final = at_most(40)
MAX_ACCESS_NAME_CHARS: Final = 200
MAX_SECRET_CHARS: Final = 4096
_HEADER_NAME: Final = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+")  # RFC 9110, section 5.6.2
# Headers that the crawler sets itself, and those of the connection.
_OURS: Final = frozenset(
    {
        "accept", "accept-encoding", "connection", "content-length", "cookie", "expect", "host", "if-modified-since",
        "if-none-match", "keep-alive", "range", "te", "trailer", "transfer-encoding", "upgrade", "user-agent",
    }
)  # fmt: skip
WINDOW: Final = timedelta(minutes=5)
SECRET_PREFIX: Final = "dhk_"  # noqa: S105  (so that scanners can find leaked ones)
_PURPOSE: Final = b"docent source hook"


class AccessKind(StrEnum):
    BASIC = "basic"  # a user name and a password (RFC 7617)
    HEADER = "header"
    COOKIE = "cookie"


@dataclass(frozen=True, slots=True)
class SourceAccess:
    kind: AccessKind
    name: Annotated[str, required(MAX_ACCESS_NAME_CHARS), "The name of the user, header or cookie."]
    secret: Annotated[
        str,
        required(MAX_SECRET_CHARS),
        "The password, or the value of the header or cookie. It is stored sealed and never shown again.",
    ] = field(repr=False)

    @property
    def headers(self) -> dict[str, str]:
        match self.kind:
            case AccessKind.BASIC:
                return {"Authorization": f"Basic {b64encode(f'{self.name}:{self.secret}'.encode()).decode()}"}
            case AccessKind.HEADER:
                return {self.name: self.secret}
            case AccessKind.COOKIE:
                return {"Cookie": f"{self.name}={self.secret}"}


@dataclass(frozen=True, slots=True)
class AccessFacts:
    """What may be shown of credentials: everything but the secret."""

    kind: AccessKind
    name: str
    set_at: datetime


def check_access(access: SourceAccess) -> None:
    """Raises InvalidInput, which names the field and contains nothing of the secret."""
    name, secret = access.name, access.secret
    if not 1 <= len(name) <= MAX_ACCESS_NAME_CHARS or not name.isprintable():
        raise InvalidInput("name", f"Enter a name of 1 to {MAX_ACCESS_NAME_CHARS} printable characters.")
    if not 1 <= len(secret) <= MAX_SECRET_CHARS or not secret.isprintable():
        raise InvalidInput("secret", f"Enter 1 to {MAX_SECRET_CHARS} printable characters on one line.")
    if access.kind is AccessKind.BASIC:
        if ":" in name:
            raise InvalidInput("name", "A user name cannot contain a colon. Remove it.")
        return
    if not _HEADER_NAME.fullmatch(name):
        raise InvalidInput(
            "name", f"This is not a valid {access.kind.value} name. Remove spaces, colons and other separators."
        )
    if access.kind is AccessKind.HEADER and name.lower() in _OURS:
        raise InvalidInput(
            "name", "The crawler sets this header itself. Use another, or the kind that is meant for it."
        )
    if not secret.isascii() or secret != secret.strip():
        raise InvalidInput("secret", "Use only ASCII characters, without spaces at the start or the end.")


FirstAfter = Callable[[str, datetime], datetime]

CRON_JITTER: Final = timedelta(minutes=10)
_MAX_JITTER: Final = timedelta(hours=1)


@dataclass(frozen=True, slots=True)
class Schedule:
    """Exactly one is set: `cron`, five fields in UTC, or `every_hours`."""

    cron: Annotated[
        str,
        at_most(100),
        "Minute, hour, day of month, month and day of week, in UTC; at most once an hour. Each source starts up to ten "
        "minutes later, always by the same delay.",
    ] = ""
    every_hours: Annotated[int, between(0, 24 * 90)] = 0


@dataclass(frozen=True, slots=True)
class SourceSchedule:
    """A source's schedule, and since when it applies."""

    source_id: UUID
    agent_id: UUID
    schedule: Schedule
    set_at: datetime
    next_at: Annotated[datetime, "When the next reading is due; null without a schedule."]


def next_run(schedule: Schedule, source_id: UUID, set_at: datetime, now: datetime, first_after: FirstAfter) -> datetime:
    """The first due time after `now`. Due times that have passed are skipped, because one reading makes up for all.

    Each source is a little late, always by the same time, derived from its id: up to ten minutes with `cron`, a tenth
    of the interval (at most an hour) with `every_hours`. Otherwise, all sources of a host would start in the same
    second. `first_after` returns the first moment of a cron expression after another.
    """
    if schedule.cron:
        late = jitter(source_id, CRON_JITTER)
        return first_after(schedule.cron, now - late) + late
    pause = timedelta(hours=schedule.every_hours)
    first = set_at + pause + jitter(source_id, min(pause / 10, _MAX_JITTER))
    passed = max(0, (now - first) // pause + 1)
    return first + passed * pause


def jitter(source_id: UUID, at_most: timedelta) -> timedelta:
    """A duration of whole seconds in [0, at_most), always the same for a source."""
    drawn = int.from_bytes(hashlib.sha256(source_id.bytes).digest()[:4]) / 2**32
    return timedelta(seconds=int(drawn * at_most.total_seconds()))


UNLINKED: Final = "urn:uuid:"  # the address of a source without one on the web begins with this


class SourceKind:
    """What the sources of one kind have in common; `app.sources.kinds` lists the kinds. `value` is its name in
    the API and in stored rows, `label` its name in the console, `fields` the settings of its sources besides a name."""

    is_given = False  # operators add the pages: there is nothing to fetch
    has_file = False  # the page is an uploaded file
    takes_documents = False  # the operator's program sends the pages
    is_in_agent_files = True
    is_one_page = False
    keeps_pages = False  # a reading also requests pages of earlier ones to which nothing leads any more
    page_url_form: tuple[str, str, str] = ("", "", "")  # label, hint and example of the console's field `page_url`

    def __init__(self, value: str, label: str, *fields: str) -> None:
        self.value = value
        self.label = label
        self.fields = frozenset(fields)

    def __repr__(self) -> str:
        return self.value

    def check(self, config: "SourceConfig") -> None:
        """Check the rules that this kind adds. Raises InvalidInput, naming the field and the fix."""

    def scope(self, config: "SourceConfig", start: CheckedUrl) -> Scope:
        """The addresses that belong to a source that begins at `start`."""
        return Scope.around([start], "/", config.include, config.exclude, with_files=config.read_files)


class RunState(StrEnum):
    QUEUED = "queued"
    RUNNING = "running"
    PAUSED = "paused"  # by an operator; its queue is kept
    FINISHED = "finished"
    FAILED = "failed"
    CANCELLED = "cancelled"


ENDED_STATES = frozenset({RunState.FINISHED, RunState.FAILED, RunState.CANCELLED})

# Statuses of pages that the agent knows after the reading.
READ_STATUSES = frozenset({"indexed", "unchanged", "duplicate"})
_WAITING_STATUSES = frozenset({"queued", "held"})  # for their turn, or for an operator


@dataclass(frozen=True, slots=True)
class SourceConfig:
    """An operator's settings of a source, of which the `fields` of its kind apply. Globs match the path; in a Git
    repository, that of the file, such as /docs/guide.md."""

    kind: SourceKind
    name: Annotated[str, required(MAX_NAME_CHARS)]
    url: Annotated[str, at_most(MAX_URL_CHARS)] = ""
    text: Annotated[str, at_most(MAX_TEXT_CHARS, rows=12), 'Only for kind "text".'] = ""
    include: Annotated[tuple[str, ...], _LINES, "Globs of paths to include."] = ()
    exclude: Annotated[tuple[str, ...], _LINES, "Globs of paths to exclude."] = ()
    max_pages: Annotated[int, between(1, 100_000)] = 2000
    max_depth: Annotated[int, between(0, 50)] = 10
    is_public: Annotated[
        bool,
        'Only for kind "file": anyone may open the file at /v1/files/{source_id}, and citations link there unless '
        "`url` is another address.",
    ] = False
    read_files: Annotated[bool, "PDF, DOCX, PPTX and XLSX files that a website links to are read as its pages are."] = (
        False
    )
    page_url: Annotated[
        str,
        at_most(MAX_URL_CHARS),
        'Of kinds "openapi" and "git" alone: where citations lead. Of an operation such as '
        "https://docs.example.com/api#/{tag}/{operation}, with {method} and {path} as well; of a file such as "
        "https://docs.example.com/{path_without_suffix}, or with {path}.",
    ] = ""
    branch: Annotated[str, at_most(300), 'Of kind "git" alone: a branch or tag; empty for the repository\'s own.'] = ""
    folder: Annotated[str, at_most(300), 'Of kind "git" alone: only what lies below it, such as docs.'] = ""
    keep_repeated: Annotated[
        tuple[str, ...],
        _LINES,
        "Headings of texts that are indexed although more than a fifth of a website's pages have them word for word, "
        'such as "Need more help?"; "*" keeps all.',
    ] = ()


@dataclass(frozen=True, slots=True)
class Source:
    """A source in its current state."""

    id: UUID
    agent_id: UUID
    config: SourceConfig
    created_at: datetime
    run: Annotated["CrawlRun | None", "The latest reading; null before the first."] = None
    schedule: Annotated[
        SourceSchedule | None, "When the source is read again automatically; null: only on request."
    ] = None
    left_out: Annotated[
        tuple[RepeatedText, ...],
        "Texts that are not indexed because many of its pages have them, since the latest reading.",
    ] = ()

    @property
    def given_url(self) -> str:
        """The URL of a given source's document: the operator's address, else one made from the source's id."""
        return self.config.url or f"{UNLINKED}{self.id}"


@dataclass(frozen=True, slots=True)
class CrawlRun:
    """One reading of a source. `counts` maps each page status to its number; `stop_reason` says in words why the run
    ended. `leg` is raised whenever a paused run is resumed: readers for an earlier leg stop. With `only_asked`, it
    reads only the pages that were requested. `kept_pages` are live pages of earlier readings that an ended run tried to
    read and could not: answers still use them as they were."""

    id: UUID
    source_id: UUID
    agent_id: UUID
    state: RunState
    created_at: datetime
    started_at: datetime | None = None
    ended_at: datetime | None = None
    stop_reason: str = ""
    counts: Annotated[dict[str, int], "Pages by status."] = field(default_factory=dict)
    leg: int = 1
    only_asked: Annotated[bool, "Whether only the requested pages are read."] = False
    kept_pages: Annotated[
        int, "Pages that could not be read this time, and of which answers still use the earlier text."
    ] = 0

    @property
    def has_read_nothing(self) -> bool:
        """Whether no page requested so far gave anything to answer from."""
        ended = {status for status, count in self.counts.items() if count and status not in _WAITING_STATUSES}
        return bool(ended) and READ_STATUSES.isdisjoint(ended)


@dataclass(frozen=True, slots=True)
class LatestReading:
    """The state or outcome of the latest reading of a source; `name` is the source's, `kept_pages` as in CrawlRun."""

    source_id: UUID
    agent_id: UUID
    name: str
    state: RunState
    stop_reason: str
    created_at: datetime
    ended_at: datetime | None
    kept_pages: Annotated[
        int,
        "Pages that could not be read, and of which answers still use the earlier text. 0: nothing is left to "
        "answer from.",
    ] = 0

    @property
    def is_failing(self) -> bool:
        """Whether the reading failed, or pages that answers still use could not be read."""
        return self.state is RunState.FAILED or self.kept_pages > 0


@dataclass(frozen=True, slots=True)
class PageStatus:
    """The outcome of one URL of a run, or that it still waits (`status` "queued")."""

    url: str
    title: Annotated[str | None, "The title of the page that search uses now; null if there is none."]
    status: str
    reason: str
    document_id: UUID | None
    chunks: int
    fetched_at: datetime | None


@dataclass(frozen=True, slots=True)
class KnownPage:
    """A page of a source's last complete reading: its outcome, and the live chunks of the document to which it led."""

    url: str
    status: str
    read_at: datetime | None
    chunks: int


@dataclass(frozen=True, slots=True)
class SourceHook:
    """A stored hook, without its secret, which is derived from the installation's signing key `kid` and `salt`."""

    source_id: UUID
    workspace_id: UUID
    kid: str
    salt: bytes = field(repr=False)


def hook_secret(signing_key: bytes, source_id: UUID, salt: bytes) -> str:
    drawn = hmac.digest(signing_key, _PURPOSE + source_id.bytes + salt, hashlib.sha256)
    return SECRET_PREFIX + urlsafe_b64encode(drawn).decode().rstrip("=")


def hook_signature(secret: str, timestamp: str, body: bytes) -> str:
    """HMAC-SHA256, in lower-case hexadecimal, of the timestamp (seconds since 1970), a full stop and the body."""
    return hmac.digest(secret.encode(), timestamp.encode() + b"." + body, hashlib.sha256).hex()


# Rules for a source's configuration. The crawler decides whether an address may be dialled.
# Sources of other kinds may have values of the other fields, which nothing reads.
_REFUSED_ELSEWHERE: Final = ("text", "is_public", "read_files", "keep_repeated", "page_url", "branch", "folder")


def check_source(config: SourceConfig) -> None:
    """Raises InvalidInput, naming the field and the fix."""
    for name in _REFUSED_ELSEWHERE:
        if getattr(config, name):
            check_has(config.kind, name)
    if config.page_url:
        check_http_url("page_url", config.page_url.replace("{", "").replace("}", ""))
    config.kind.check(config)
    if config.url or not config.kind.is_given:
        check_http_url("url", config.url)
    check_limits("", config)


def check_has(kind: SourceKind, name: str) -> None:
    """Raises InvalidInput if sources of this kind do not have the setting."""
    if name not in kind.fields:
        raise InvalidInput(name, f'A source of kind "{kind.value}" does not have this setting. Remove this field.')
