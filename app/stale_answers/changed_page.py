"""What a page no longer says: by its words, and by the numbers and names in them.

The rule needs no model. Text is split into units: sentences, table rows, lines of code. A page *has* a unit if it has
its words in that order, ignoring case, punctuation and Markdown.

- A quotation is stale if the page had some of its units and no longer has them.
- Other text (a curated answer, a model's own words) is stale for each unit that the page had word for word, or proved,
  and now does neither. A page proves a sentence as when an answer is checked: it has the sentence's numbers and names
  about the same subject, and nothing to the contrary (`app/answers/guard/answer_evidence.py`).
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from app.answers.guard.answer_evidence import Evidence, Verdict
from app.answers.guard.evidence_places import Section
from app.answers.writing.citations import quotable_units
from app.core.text.markdown.links import without_targets
from app.core.text.stated_facts import facts_of
from app.stale_answers.stale_answer import StaleKind

_LIKE: Final = 0.4  # share of the old words that the place which replaces them must have
_MAX_CHARS: Final = 1000


@dataclass(frozen=True, slots=True)
class LostWords:
    """`unit` is the sentence, step or row of the text, `words` are the page's units that supported it."""

    unit: str
    words: str


class PageText:
    def __init__(self, title: str, markdown: str) -> None:
        self._title = title
        self._markdown = without_targets(markdown)

    def says(self, words: tuple[str, ...]) -> bool:
        return f" {' '.join(words)} " in self._words

    def states(self, words: str) -> bool:
        """Whether the page has every unit of `words`."""
        return all(self.says(unit) for _, unit in quotable_units(words))

    def proof(self, statement: str, language: str | None) -> Verdict:
        return self.evidence.verdict(statement, language)

    def proves(self, statement: str) -> bool:
        """An empty page proves nothing."""
        return not self.evidence.is_empty and self.proof(statement, None).is_proven

    @cached_property
    def evidence(self) -> Evidence:
        return Evidence([Section.cut(self._title, self._markdown)] if self._markdown else [])

    @cached_property
    def _words(self) -> str:
        words = [word for _, unit in quotable_units(self._markdown) for word in unit]
        return f" {' '.join(words)} "


class ChangedPage:
    """`before` and `after` are the page's Markdown; `after` is "" where it is gone."""

    def __init__(self, title: str, before: str, after: str) -> None:
        self.before = PageText(title, before)
        self.after = PageText(title, after)

    def lost_quotation(self, quote: str) -> str:
        """The units of a quotation that the page no longer has, one per line; "" if it has all."""
        lost = [text for text, words in quotable_units(quote) if self.before.says(words) and not self.after.says(words)]
        return "\n".join(lost)[:_MAX_CHARS]

    def lost_statements(self, text: str, language: str | None) -> list[LostWords]:
        """The statements of a text that the page once contained or proved and no longer does."""
        return list(self._lost(text, language))

    def instead_of(self, words: str) -> str:
        """The place on the page that replaced `words`, "" if nothing resembles them."""
        return self.after.evidence.likest(words, at_least=_LIKE)[:_MAX_CHARS]

    def kind(self, words: str, language: str | None) -> StaleKind:
        """How the page differs from the lost words."""
        if not self.instead_of(words):
            return StaleKind.GONE
        is_proven = self.after.proof(words, language).is_proven
        return StaleKind.REWORDED if is_proven else StaleKind.CONTRADICTED

    def _lost(self, text: str, language: str | None) -> Iterator[LostWords]:
        for unit, words in quotable_units(text):
            if self.after.says(words):
                continue
            if self.before.says(words):
                yield LostWords(unit, unit)
                continue
            facts = facts_of(unit, language)
            if not facts or not self.before.proof(unit, language).is_proven:
                continue
            if not self.after.proof(unit, language).is_proven:
                yield LostWords(unit, self.before.evidence.likest(unit, having=facts) or unit)
