"""How much of the marked lines an extraction keeps and drops."""

import re
from collections.abc import Iterable
from dataclasses import dataclass

from bench.extracting.pages import MarkedPage
from crawler.extract.markdown.text_links import without_targets

_NOT_WORD = re.compile(r"[\W_]+")


@dataclass(frozen=True, slots=True)
class ExtractionScore:
    """Counts of marked lines: `kept` of `keep` that should be, `leaked` of `drop` that should not."""

    kept: int
    keep: int
    leaked: int
    drop: int

    @property
    def precision(self) -> float:
        """Of the marked lines in the extracted text, the share that belongs there."""
        return self.kept / (self.kept + self.leaked) if self.kept + self.leaked else 1.0

    @property
    def recall(self) -> float:
        """Of the lines that belong in the text, the share that is there."""
        return self.kept / self.keep if self.keep else 1.0


@dataclass(frozen=True, slots=True)
class LineVerdict:
    lost: tuple[str, ...]
    leaked: tuple[str, ...]


def verdict(page: MarkedPage, text: str) -> LineVerdict:
    """A line counts as there when its letters and digits stand in the text in one run, whatever is between them:
    punctuation, Markdown, the targets of links and line breaks are the writer's own."""
    there = _letters(without_targets(text))
    return LineVerdict(
        lost=tuple(line for line in page.keep if _letters(line) not in there),
        leaked=tuple(line for line in page.drop if _letters(line) in there),
    )


def score(page: MarkedPage, text: str) -> ExtractionScore:
    found = verdict(page, text)
    return ExtractionScore(len(page.keep) - len(found.lost), len(page.keep), len(found.leaked), len(page.drop))


def total(scores: Iterable[ExtractionScore]) -> ExtractionScore:
    every = list(scores)
    return ExtractionScore(
        sum(one.kept for one in every),
        sum(one.keep for one in every),
        sum(one.leaked for one in every),
        sum(one.drop for one in every),
    )


def _letters(text: str) -> str:
    return _NOT_WORD.sub("", text).lower()
