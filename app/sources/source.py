"""A source is what an agent learns from; a crawl run is one reading of it."""

from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Final
from uuid import UUID

from app.sources.run_schedule import SourceSchedule


class SourceKind(StrEnum):
    SITE = "site"  # a root URL: its sitemaps and links, within its host and path
    URL = "url"  # one page
    SITEMAP = "sitemap"  # every page that a sitemap lists
    FEED = "feed"  # the page of every entry of an RSS or Atom feed
    ZENDESK = "zendesk"  # the articles of a help centre, by its vendor's API; so are the next two
    INTERCOM = "intercom"
    DISCOURSE = "discourse"
    OPENAPI = "openapi"  # the operations of an API, by its description
    GIT = "git"  # the Markdown files of a Git repository
    TEXT = "text"  # pasted by the operator
    FILE = "file"  # uploaded by the operator
    DOCUMENTS = "documents"  # given by the operator, each with an address and attributes of its own


UNLINKED: Final = "urn:uuid:"  # what the address of a given source begins with that has none on the web
# What the operator gave: there is nothing to fetch.
GIVEN_KINDS = frozenset({SourceKind.TEXT, SourceKind.FILE, SourceKind.DOCUMENTS})

# They list their documents themselves: there are no links to follow.
LISTED_KINDS = frozenset(
    {SourceKind.ZENDESK, SourceKind.INTERCOM, SourceKind.DISCOURSE, SourceKind.OPENAPI, SourceKind.GIT}
)


class RunState(StrEnum):
    QUEUED = "queued"
    RUNNING = "running"
    PAUSED = "paused"  # by an operator; what waits stays in its queue
    FINISHED = "finished"
    FAILED = "failed"
    CANCELLED = "cancelled"


ENDED_STATES = frozenset({RunState.FINISHED, RunState.FAILED, RunState.CANCELLED})


@dataclass(frozen=True, slots=True)
class SourceConfig:
    """What an operator sets on a source. Globs match the path; `text` is for SourceKind.TEXT alone, and so is
    `is_public` for SourceKind.FILE: anybody may then open the file. With `read_files` a website's PDF and Office files
    are read as its pages are. `page_url` is where a page stands that is listed by itself: of SourceKind.OPENAPI with
    {operation}, {tag}, {method} and {path} in place of the operation's own, of SourceKind.GIT with {path} or
    {path_without_suffix} of the file below `folder`. `branch` ("": the repository's own) may be a tag as well; both are
    for SourceKind.GIT alone, whose globs match paths in the repository, such as /docs/guide.md."""

    kind: SourceKind
    name: str
    url: str = ""
    text: str = ""
    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    max_pages: int = 2000
    max_depth: int = 10
    is_public: bool = False
    read_files: bool = False
    page_url: str = ""
    branch: str = ""
    folder: str = ""


@dataclass(frozen=True, slots=True)
class Source:
    """A source as it stands. `run` is the latest reading of it, `schedule` has the next one."""

    id: UUID
    agent_id: UUID
    config: SourceConfig
    created_at: datetime
    run: "CrawlRun | None" = None
    schedule: SourceSchedule | None = None

    @property
    def given_url(self) -> str:
        """Names the one document of a given source: the address that the operator gave, else the source itself."""
        return self.config.url or f"{UNLINKED}{self.id}"


@dataclass(frozen=True, slots=True)
class CrawlRun:
    """One reading of a source. `counts` maps each page status to its number; `stop_reason` says in words why
    the run ended. `leg` rises whenever a paused run is resumed: who reads for an earlier leg stops. With
    `only_asked` it reads the pages that it was asked for and no others."""

    id: UUID
    source_id: UUID
    agent_id: UUID
    state: RunState
    created_at: datetime
    started_at: datetime | None = None
    ended_at: datetime | None = None
    stop_reason: str = ""
    counts: dict[str, int] = field(default_factory=dict)
    leg: int = 1
    only_asked: bool = False


@dataclass(frozen=True, slots=True)
class LatestReading:
    """How the latest reading of a source went, or how it stands; `name` is the source's."""

    source_id: UUID
    agent_id: UUID
    name: str
    state: RunState
    stop_reason: str
    created_at: datetime
    ended_at: datetime | None


@dataclass(frozen=True, slots=True)
class PageStatus:
    """How one URL of a run ended, or that it still waits (`status` "queued")."""

    url: str
    status: str
    reason: str
    document_id: UUID | None
    chunks: int
    fetched_at: datetime | None


@dataclass(frozen=True, slots=True)
class KnownPage:
    """A page of a source's last whole reading: how it ended, and the live chunks of the document that it led to."""

    url: str
    status: str
    read_at: datetime | None
    chunks: int
