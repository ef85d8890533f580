"""What pages state, sentence by sentence, item by item and row by row, with the numbers and addresses in it."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from app.answers.guard.place_words import names_within, stem
from app.core.chunk import Chunk
from app.core.text.markdown.blocks import BlockKind, blocks, list_items
from app.core.text.markdown.section_text import shown_line
from app.core.text.markdown.table import tables_in
from app.core.text.number_kinds import MONEY, THINGS, counted_numbers
from app.core.text.sentences import sentences
from app.core.text.words import folded_words, is_content_word
from app.site_report.site_report import Excerpt

EMAIL: Final = "e-mail"
PHONE: Final = "phone"
_MOST_CHARS: Final = 400  # a longer sentence is a list without marks
_CURRENCY: Final = re.compile(r"[$€£¥₹₽₩₺₴₪]|\b(?:EUR|USD|GBP|CHF)\b", re.IGNORECASE)
_NEAR_CHARS: Final = 5
_ADDRESS: Final = re.compile(r"(?<![\w.+-])[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,4}")
_PHONE: Final = re.compile(r"(?<![\w.,/-])(?:\+|00|\(0|0|1-)[\d ()/.-]{6,18}\d(?![\w-])")
_NEXT_WORD: Final = re.compile(r"[ \xa0-]?([^\W\d_]+)")


@dataclass(frozen=True, slots=True)
class Value:
    """A number or an address, `written` as on the page. `unit` is what it counts: a known kind of unit, the currency of
    money, else the stem of the next word. `counts` is false for a number of nothing in particular; `is_measured`: the
    unit is known."""

    written: str
    unit: str
    start: int
    end: int
    counts: bool = True
    is_measured: bool = True


@dataclass(frozen=True, slots=True)
class Statement:
    """`words` are the stems of everything but the values, `names` those of them that are written like names. `about`
    are the stems of the headings and the lead-in above it, `title` those of the page's title."""

    excerpt: Excerpt
    values: tuple[Value, ...]
    words: frozenset[str]
    names: frozenset[str]
    about: frozenset[str]
    title: frozenset[str]


def statements(chunks: Iterable[Chunk]) -> list[Statement]:
    """In the order of the pages; those without a value are left out. Takes a second for 200 pages."""
    return [
        statement for chunk in chunks for text, lead in _texts(chunk.text) for statement in _read(chunk, text, lead)
    ]


def _texts(markdown: str) -> Iterator[tuple[str, str]]:
    """Each sentence, item or row with the line that leads in to it."""
    lead = ""
    for block in blocks(markdown):
        if block.kind in (BlockKind.PARAGRAPH, BlockKind.QUOTE):
            parts = sentences(shown_line(block.text))
            yield from ((each, "") for each in parts)
            lead = parts[-1] if parts and block.is_lead_in else ""
        elif block.kind is BlockKind.LIST:
            for item in list_items(block.text):
                yield from ((each, lead) for each in sentences(shown_line(item)))
        elif block.kind is BlockKind.TABLE:
            for table in tables_in(block.text):
                for row in table.rows:
                    for name, cell in zip(table.header or ("",) * len(row), row, strict=False):
                        if cell and cell != row[0]:
                            yield shown_line(f"{row[0]}: {name}: {cell}" if name else f"{row[0]}: {cell}"), lead
        if block.kind is not BlockKind.PARAGRAPH:
            lead = ""


def _read(chunk: Chunk, text: str, lead: str) -> Iterator[Statement]:
    if len(text) > _MOST_CHARS:
        return
    values = tuple(_values(text))
    if not values:
        return
    rest = text
    for value in reversed(values):
        rest = f"{rest[: value.start]} {rest[value.end :]}"
    words = stems(rest)
    names = frozenset(stem(name.casefold()) for name in names_within(rest)) & words
    about = stems(" ".join((*chunk.breadcrumb, lead)))
    excerpt = Excerpt(text, chunk.link, chunk.title, chunk.language)
    yield Statement(excerpt, values, words, names, about, stems(chunk.title))


def _values(text: str) -> Iterator[Value]:
    """In order. Numbers within an e-mail address or a telephone number belong to it."""
    found = [Value(each[0], EMAIL, *each.span()) for each in _ADDRESS.finditer(text)]
    found += [Value(each[0], PHONE, *each.span()) for each in _PHONE.finditer(text)]
    taken = [(value.start, value.end) for value in found]
    for number, kind, start, end in counted_numbers(text):
        if not any(start < to and end > since for since, to in taken):
            unit = _unit(text, kind, start, end)
            is_short = text[end : end + 1].isalpha() and kind == MONEY  # €45k
            is_measured = kind not in ("", THINGS)
            counts = not is_short and (is_measured or is_content_word(unit))
            found.append(Value(number, unit, start, end, counts, is_measured))
    yield from sorted(found, key=lambda value: value.start)


def _unit(text: str, kind: str, start: int, end: int) -> str:
    if kind == MONEY:
        near = _CURRENCY.search(text, max(0, start - _NEAR_CHARS), end + _NEAR_CHARS)
        return f"{MONEY} {near[0].upper()}" if near else MONEY
    if kind not in ("", THINGS):
        return kind
    following = _NEXT_WORD.match(text, end)
    return stem(following[1].casefold()) if following else ""


def stems(text: str) -> frozenset[str]:
    return frozenset(map(stem, folded_words(text)))
