"""A page with findings for an operator to judge: each finding with the passage that contains it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final
from uuid import UUID

from app.knowledge.document import QuarantinedPage
from app.knowledge.injection_scan import Finding, FindingKind

_RUN_WORDS: Final = 3


@dataclass(frozen=True, slots=True)
class ReviewedPassage:
    """A passage of a version that may not be live. `breadcrumb` has the headings from the page's top down to it."""

    breadcrumb: tuple[str, ...]
    text: str


@dataclass(frozen=True, slots=True)
class PageReview:
    """One version of a page with open findings, and all its passages in order."""

    agent_id: UUID
    page: QuarantinedPage
    passages: tuple[ReviewedPassage, ...]

    def passage_of(self, finding: Finding) -> ReviewedPassage | None:
        """The passage with the finding; None if there is none, as for text that readers do not see."""
        if finding.kind is FindingKind.HIDDEN_INSTRUCTIONS:
            return None
        sought = _runs(finding.excerpt)
        shared = [len(sought & _runs(passage.text)) for passage in self.passages]
        most = max(shared, default=0)
        return self.passages[shared.index(most)] if most else None

    def by_passage(self) -> list[tuple[ReviewedPassage | None, list[Finding]]]:
        """Each passage with findings, in the page's order; then findings outside of any passage."""
        placed = [(self.passage_of(finding), finding) for finding in self.page.findings]
        passages = [passage for passage in (*self.passages, None) if any(passage is at for at, _ in placed)]
        return [(passage, [finding for at, finding in placed if at is passage]) for passage in passages]


def _runs(text: str) -> set[Sequence[str]]:
    """Each run of three words, or the whole text if it has fewer: an excerpt is truncated at both ends, may begin in
    the passage before, and contains no code."""
    words = text.split()
    return {tuple(words[start : start + _RUN_WORDS]) for start in range(max(1, len(words) - _RUN_WORDS + 1))}
