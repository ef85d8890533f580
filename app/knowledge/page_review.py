"""A page with findings as an operator judges it: each finding beside the passage that it stands in."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final
from uuid import UUID

from app.knowledge.document import QuarantinedPage
from app.knowledge.injection_scan import Finding, FindingKind

_RUN_WORDS: Final = 3


@dataclass(frozen=True, slots=True)
class ReviewedPassage:
    """A passage of a version that may not be live. `breadcrumb` are the headings from the page's top down to it."""

    breadcrumb: tuple[str, ...]
    text: str


@dataclass(frozen=True, slots=True)
class PageReview:
    """One version of a page with open findings, and all its passages in order."""

    agent_id: UUID
    page: QuarantinedPage
    passages: tuple[ReviewedPassage, ...]

    def passage_of(self, finding: Finding) -> ReviewedPassage | None:
        """Where the finding stands; None where no passage holds it, as for text that readers do not see."""
        if finding.kind is FindingKind.HIDDEN_INSTRUCTIONS:
            return None
        sought = _runs(finding.excerpt)
        shared = [len(sought & _runs(passage.text)) for passage in self.passages]
        most = max(shared, default=0)
        return self.passages[shared.index(most)] if most else None

    def by_passage(self) -> list[tuple[ReviewedPassage | None, list[Finding]]]:
        """Each passage that holds findings, in the order of the page; at the end those that none holds."""
        placed = [(self.passage_of(finding), finding) for finding in self.page.findings]
        passages = [passage for passage in (*self.passages, None) if any(passage is at for at, _ in placed)]
        return [(passage, [finding for at, finding in placed if at is passage]) for passage in passages]


def _runs(text: str) -> set[Sequence[str]]:
    """Each run of three words, or the whole where it has fewer: an excerpt is cut at both ends, may begin in the
    passage before, and has no code."""
    words = text.split()
    return {tuple(words[start : start + _RUN_WORDS]) for start in range(max(1, len(words) - _RUN_WORDS + 1))}
