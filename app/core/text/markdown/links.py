"""Links of a text are stored beside it, so that search and comparison see only words, and are put back into answers.

A link is found again by its label and the words on both sides, because chunks, passages and quotations are different
parts of the page.
"""

import re
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from app.core.text.markdown.blocks import lines_with_code

_LINK: Final = re.compile(
    r"(?<!!)\[(?P<label>[^\[\]\n]+)\]"
    r"\((?P<target>(?:https?://|mailto:|tel:)(?:[^\s()<>]|\([^\s()<>]*\))+)(?:\s+\"[^\"\n]*\")?\)",
    re.IGNORECASE,
)
_CODE_SPAN: Final = re.compile(r"(?<!`)(`++).+?(?<!`)\1(?!`)")
# In scripts without blanks between words, each character counts as a word.
_WORD: Final = re.compile(
    r"[\u0e00-\u0fff\u1000-\u109f\u3040-\u30ff\u3400-\u9fff]|[^\W_\u0e00-\u109f\u3040-\u30ff\u3400-\u9fff]+"
)
_BEFORE: Final = 8  # words
_AFTER: Final = 5
_BORDER: Final = ""  # stands for words beyond the page's first and last ones
_LEAST_LETTERS: Final = 2
_NUMBER: Final = re.compile(r"\d{1,3}")  # as a label, it would look like a citation


@dataclass(frozen=True, slots=True)
class TextLink:
    """`target` is an absolute http(s), mailto: or tel: URL. `before` and `after` are the nearest words of the page on
    either side of the label, in the page's order."""

    label: str
    target: str
    before: tuple[str, ...] = ()
    after: tuple[str, ...] = ()

    @classmethod
    def from_row(cls, label: str, target: str, before: Sequence[str], after: Sequence[str]) -> "TextLink":
        return cls(label, target, tuple(before), tuple(after))


@dataclass(frozen=True, slots=True)
class PlacedLink:
    """A link with the position of its label in a text."""

    start: int
    end: int
    link: TextLink


def split_links(markdown: str) -> tuple[str, list[TextLink]]:
    """The text with each link replaced by its label, and the links in order. Code, pictures and relative links stay."""
    if "](" not in markdown:
        return markdown, []
    lines: list[str] = []
    found: list[tuple[int, int, str]] = []
    at = 0
    for line, is_code in lines_with_code(markdown):
        plain = line
        if not is_code and "](" in line:
            plain, of_line = _split_line(line)
            found += [(at + start, at + end, target) for start, end, target in of_line]
        lines.append(plain)
        at += len(plain) + 1
    text = "\n".join(lines)
    words = list(_WORD.finditer(text))
    starts = [word.start() for word in words]
    return text, [_link(text, words, starts, *one) for one in found]


def without_targets(markdown: str) -> str:
    """The text of `split_links`."""
    return split_links(markdown)[0]


def placed_links(text: str, links: Iterable[TextLink]) -> list[PlacedLink]:
    """Find the links in a part of their page, in order, without overlaps. If several have the same label, the words
    around it decide; if these are equal too, none is chosen. A link in code only counts if its label is all of it."""
    labelled = [(link, label) for link in links if (label := _words(link.label)) and label[0] in text]
    if not labelled:
        return []
    words = _Words(text)
    best: dict[tuple[int, int], tuple[int, set[TextLink]]] = {}
    for link, label in labelled:
        for first, last in words.runs(label):
            if (score := words.agreement(first, last, link)) is None:
                continue
            standing, candidates = best.get((first, last), (-1, set()))
            if score > standing:
                best[first, last] = score, {link}
            elif score == standing:
                candidates.add(link)
    code = _code_places(text)
    placed: list[PlacedLink] = []
    for (first, last), (_, candidates) in sorted(best.items()):
        link = next(iter(candidates))
        start, end = _as_labelled(text, words.start(first), words.end(last), link.label)
        start, end = _around_code(text, code, start, end)
        is_one = len({each.target for each in candidates}) == 1
        if is_one and start < end and (not placed or placed[-1].end <= start) and "\n" not in text[start:end]:
            placed.append(PlacedLink(start, end, link))
    return placed


def linked(text: str, links: Iterable[TextLink], write: Callable[[str, str], str] | None = None) -> str:
    """The text with its links as Markdown, or as `write` writes a label with its target."""
    write = write or as_markdown
    written, at = "", 0
    for one in placed_links(text, links):
        label = text[one.start : one.end]
        label = label if "`" in one.link.label else label.strip("`")  # an address, as code so that nobody opens it
        if "[" not in label and "]" not in label:
            written += text[at : one.start] + write(label, one.link.target)
            at = one.end
    return written + text[at:]


def as_markdown(label: str, target: str) -> str:
    return f"[{label}]({target})"


def _split_line(line: str) -> tuple[str, list[tuple[int, int, str]]]:
    """The line without targets, and (start, end, target) of each label in it."""
    code = [span.span() for span in _CODE_SPAN.finditer(line)]
    plain, at = "", 0
    found: list[tuple[int, int, str]] = []
    for link in _LINK.finditer(line):
        if any(_reaches_out(span, link.span("label")) for span in code if _overlaps(span, link.span())):
            continue
        plain += line[at : link.start()]
        label = link["label"]
        if sum(map(str.isalnum, label)) >= _LEAST_LETTERS and not _NUMBER.fullmatch(label.strip()):
            found.append((len(plain), len(plain) + len(label), link["target"]))
        plain += label
        at = link.end()
    return plain + line[at:], found


def _overlaps(one: tuple[int, int], other: tuple[int, int]) -> bool:
    return one[0] < other[1] and other[0] < one[1]


def _reaches_out(inner: tuple[int, int], outer: tuple[int, int]) -> bool:
    return inner[0] < outer[0] or outer[1] < inner[1]


def _link(
    text: str, words: Sequence[re.Match[str]], starts: Sequence[int], start: int, end: int, target: str
) -> TextLink:
    first, behind = bisect_left(starts, start), bisect_left(starts, end)
    before = [word[0] for word in words[max(0, first - _BEFORE) : first]]
    after = [word[0] for word in words[behind : behind + _AFTER]]
    return TextLink(
        text[start:end],
        target,
        (*[_BORDER] * (_BEFORE - len(before)), *before),
        (*after, *[_BORDER] * (_AFTER - len(after))),
    )


def _words(text: str) -> list[str]:
    return _WORD.findall(text)


class _Words:
    def __init__(self, text: str) -> None:
        self._found = list(_WORD.finditer(text))
        self._texts = [word[0] for word in self._found]
        self._lines: list[int] = []
        line, at = 0, 0
        for word in self._found:
            line += text.count("\n", at, word.start())
            at = word.start()
            self._lines.append(line)
        self._places: dict[str, list[int]] = {}
        for place, word_text in enumerate(self._texts):
            self._places.setdefault(word_text, []).append(place)

    def start(self, word: int) -> int:
        return self._found[word].start()

    def end(self, word: int) -> int:
        return self._found[word].end()

    def runs(self, wanted: Sequence[str]) -> Iterator[tuple[int, int]]:
        """The indexes of the first and last word of each place where the wanted words follow each other on one line."""
        for first in self._places.get(wanted[0], ()):
            last = first + len(wanted) - 1
            if self._texts[first : last + 1] == list(wanted) and self._lines[first] == self._lines[last]:
                yield first, last

    def agreement(self, first: int, last: int, link: TextLink) -> int | None:
        """The number of words around the label that are the link's; None if one on the same line differs."""
        before = self._same(range(first - 1, -1, -1), link.before[::-1], self._lines[first])
        after = self._same(range(last + 1, len(self._texts)), link.after, self._lines[last])
        return None if before is None or after is None else before + after

    def _same(self, places: Iterable[int], wanted: Sequence[str], line: int) -> int | None:
        same = 0
        for place, word in zip(places, wanted, strict=False):
            if self._texts[place] != word:
                return None if self._lines[place] == line else same
            same += 1
        return same


def _as_labelled(text: str, start: int, end: int, label: str) -> tuple[int, int]:
    """Extend the place of a label's words by the label's signs around them, as in "Apply!", if the text has them."""
    words = list(_WORD.finditer(label))
    lead, tail = label[: words[0].start()], label[words[-1].end() :]
    start -= len(lead) if text[:start].endswith(lead) else 0
    return start, end + (len(tail) if text.startswith(tail, end) else 0)


def _code_places(text: str) -> list[tuple[int, int, bool]]:
    """(start, end, is_in_line) of each code span, including its backticks, and of each line of a code block."""
    if "`" not in text and "~~~" not in text:
        return []
    places: list[tuple[int, int, bool]] = []
    at = 0
    for line, is_code in lines_with_code(text):
        if is_code:
            places.append((at, at + len(line), False))
        else:
            places += [(at + span.start(), at + span.end(), True) for span in _CODE_SPAN.finditer(line)]
        at += len(line) + 1
    return places


def _around_code(text: str, code: Sequence[tuple[int, int, bool]], start: int, end: int) -> tuple[int, int]:
    """The place, extended to the code span that has nothing else in it, as an address in code; empty if the code span
    says more, or in a code block."""
    for code_start, code_end, is_in_line in code:
        if code_start < end and start < code_end:
            says_more = any(map(str.isalnum, text[code_start:start] + text[end:code_end]))
            if says_more or not is_in_line:
                return start, start
            start, end = min(start, code_start), max(end, code_end)
    return start, end
