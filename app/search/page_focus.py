"""How far the best candidates agree on one page: a page about the question has many of the best chunks."""

from collections import Counter
from collections.abc import Hashable, Sequence
from typing import Final, TypeVar

FOCUS_CHUNKS: Final = 10

Page = TypeVar("Page", bound=Hashable)


def page_focus(pages_best_first: Sequence[Page]) -> dict[Page, float]:
    """Each page's share of the first FOCUS_CHUNKS candidates, in [0, 1]: 0 for no more than an even spread over all the
    candidates' pages, 1 for all of them. `pages_best_first` holds each candidate's page.

    Empty if all candidates are from one page, because there is no other to compare with.
    """
    pages = set(pages_best_first)
    if len(pages) < 2:
        return {}
    first = pages_best_first[:FOCUS_CHUNKS]
    even = 1 / len(pages)
    counts = Counter(first)
    return {page: max(0.0, (counts[page] / len(first) - even) / (1 - even)) for page in pages}
