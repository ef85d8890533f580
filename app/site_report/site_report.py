"""A verdict on a website: what visitors would be answered from it, and what is wrong with its pages."""

from collections import Counter
from dataclasses import asdict, dataclass
from datetime import date
from enum import StrEnum
from math import sqrt
from typing import Any, Final

from app.sources.source import READ_STATUSES, PageStatus

_Z: Final = 1.959964  # of the normal distribution, for 95 %


@dataclass(frozen=True, slots=True)
class Share:
    """`count` out of `total`, with its 95 % interval (Wilson 1927)."""

    count: int
    total: int

    @property
    def interval(self) -> tuple[float, float]:
        """The bounds, in [0, 1]; (0, 1) if nothing was counted."""
        if not self.total:
            return 0.0, 1.0
        share, spread = self.count / self.total, _Z**2 / self.total
        middle = share + spread / 2
        reach = _Z * sqrt(share * (1 - share) / self.total + spread / (4 * self.total))
        return max(0.0, (middle - reach) / (1 + spread)), min(1.0, (middle + reach) / (1 + spread))


@dataclass(frozen=True, slots=True)
class Excerpt:
    """Words of a page. `language` is the page's (BCP 47 primary subtag), None if unknown. `url` may lead to their
    section. `mark` is where the value that matters begins and ends."""

    text: str
    url: str
    title: str
    language: str | None
    mark: tuple[int, int] = (0, 0)

    @property
    def page(self) -> str:
        return self.url.partition("#")[0]

    @property
    def parts(self) -> tuple[str, str, str]:
        """The text before the mark, the marked one, and the text after it."""
        start, end = self.mark
        return self.text[:start], self.text[start:end], self.text[end:]


class Origin(StrEnum):
    QUESTION = "question"  # of a page: a heading or a line of an FAQ, or "How to" in its title
    INSTRUCTION = "instruction"  # a heading that begins with a verb, turned into a question
    TOPIC = "topic"  # a heading as a visitor might type it
    GIVEN = "given"  # from the file of real questions


@dataclass(frozen=True, slots=True)
class ReportQuestion:
    """`pages` have the heading from which it was made, and should answer it; () for one that was given."""

    text: str
    origin: Origin
    pages: tuple[str, ...] = ()
    language: str | None = None


class Verdict(StrEnum):
    ANSWERED = "answered"  # surely, with words of the page that has the question
    DOUBTFUL = "doubtful"
    WITHHELD = "withheld"  # a visitor is told that nothing was found


@dataclass(frozen=True, slots=True)
class JudgedAnswer:
    """`reason` says why it is not ANSWERED; `quotes` are the words of the pages on which it rests."""

    question: ReportQuestion
    verdict: Verdict
    reason: str
    answer: str
    confidence: float
    quotes: tuple[Excerpt, ...] = ()


class WeaknessKind(StrEnum):
    UNANSWERED = "unanswered"  # none of the questions made from the page is answered from it
    DUPLICATE = "duplicate"
    WALL_OF_TEXT = "wall_of_text"


@dataclass(frozen=True, slots=True)
class Weakness:
    kind: WeaknessKind
    url: str
    title: str
    detail: str


@dataclass(frozen=True, slots=True)
class Contradiction:
    """Two pages that state one fact with two values, which are marked."""

    first: Excerpt
    second: Excerpt


class AgeingKind(StrEnum):
    PAST_DATE = "past_date"  # announced, and past by now
    PAST_YEAR = "past_year"  # "new in 2023"
    STRUCK_OUT = "struck_out"  # a value with a line through it


@dataclass(frozen=True, slots=True)
class AgeingFact:
    kind: AgeingKind
    what: str
    excerpt: Excerpt


@dataclass(frozen=True, slots=True)
class SiteReport:
    """`pages` has the outcome of every address, in the order in which they were found; `undated` are pages that name
    no date of their own. `stop_reason` says why the reading ended, `most_pages` how many it might read; `stated` counts
    the sentences with a value that were compared."""

    site: str
    name: str
    made_on: date
    language: str | None
    pages: tuple[PageStatus, ...]
    stop_reason: str
    answers: tuple[JudgedAnswer, ...]
    weaknesses: tuple[Weakness, ...]
    contradictions: tuple[Contradiction, ...]
    ageing: tuple[AgeingFact, ...]
    undated: tuple[str, ...]
    stated: int
    most_pages: int

    @property
    def read(self) -> int:
        return sum(page.status in READ_STATUSES for page in self.pages)

    @property
    def unread(self) -> tuple[PageStatus, ...]:
        return tuple(page for page in self.pages if page.status not in READ_STATUSES)

    def share(self, verdict: Verdict, *, is_given: bool = False) -> Share:
        """The share with that verdict of the questions made from pages, or of the given ones."""
        verdicts = [each.verdict for each in self.answers if (each.question.origin is Origin.GIVEN) == is_given]
        return Share(verdicts.count(verdict), len(verdicts))

    def as_json(self) -> dict[str, Any]:
        """What `docent report --json` prints. Shares are fractions 0..1."""
        shares = {
            name: {verdict.value: _share_json(self.share(verdict, is_given=is_given)) for verdict in Verdict}
            for name, is_given in (("made", False), ("given", True))
        }
        return {
            "site": self.site,
            "name": self.name,
            "made_on": self.made_on.isoformat(),
            "language": self.language,
            "pages": dict(Counter(page.status for page in self.pages)),
            "stop_reason": self.stop_reason,
            "shares": shares,
            "answers": [asdict(each) for each in self.answers],
            "weaknesses": [asdict(each) for each in self.weaknesses],
            "contradictions": [asdict(each) for each in self.contradictions],
            "ageing": [asdict(each) for each in self.ageing],
            "undated": list(self.undated),
            "unread": [{"url": page.url, "status": page.status, "reason": page.reason} for page in self.unread],
            "sentences_compared": self.stated,
            "max_pages": self.most_pages,
        }


def _share_json(share: Share) -> dict[str, Any]:
    low, high = share.interval
    return {"count": share.count, "of": share.total, "interval": [round(low, 3), round(high, 3)]}
