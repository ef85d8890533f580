"""What a website offers to learn from, before anything is stored."""

from dataclasses import dataclass

from app.sources.source import SourceKind


@dataclass(frozen=True, slots=True)
class SiteOffer:
    """A source that could be made: `kind` and `url` are what it would be made with.

    `pages` counts what it lists on its own website; of a site what its start page links to there. With `has_more`
    there are more than were counted.
    """

    kind: SourceKind
    url: str
    title: str
    pages: int
    has_more: bool = False


@dataclass(frozen=True, slots=True)
class SiteOffers:
    """`url` is that of the start page after redirects. `problems` are (URL, reason) of what is named and cannot be
    read; `is_complete` is False when the time for looking ran out."""

    url: str
    title: str
    offers: tuple[SiteOffer, ...]
    problems: tuple[tuple[str, str], ...]
    is_complete: bool
