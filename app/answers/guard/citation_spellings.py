"""The ways in which models spell a citation, whatever the prompt asks for: [2], 【2†source】, [^2], (source 2), ² ...

A source may also be cited by its address or its title. Only a model's text is read so: a page may say "(2)".
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Final
from urllib.parse import urljoin

from app.core.page_url import host_of, page_key
from app.core.text.answer_words import words_of
from app.core.text.languages import any_of

_ABSOLUTE: Final = re.compile(r"[a-z][a-z0-9+.-]*:|//", re.IGNORECASE)
_NUMBER: Final = re.compile(r"\d{1,3}")
_RANGE: Final = re.compile(r"(\d{1,3})\s*[-–—]\s*#?s?(\d{1,3})", re.IGNORECASE)
_SUPERSCRIPTS: Final = "⁰¹²³⁴⁵⁶⁷⁸⁹"
_AS_DIGITS: Final = {ord(sign): str(digit) for digit, sign in enumerate(_SUPERSCRIPTS)}
_AFTER_A_WORD: Final = re.compile(r"[^\W\d_]{4}\Z|[.!?)»”\"]\Z")  # but m² and x² are no citations
_IN_A_SENTENCE: Final = re.compile(r"[\w%)»”\"][ \t]\Z")
_LONGEST_RANGE: Final = 9

# The end of a text that may still grow into a spelling below.
STILL_OPEN: Final = (
    r"|\\\Z|\\\[[^\[\]\n]{0,300}\]?\Z|[［<][^［］<>\n]{0,60}\Z|<(?:sup|cite|ref|source|citation)\b[^<>\n]{0,40}>[^<>\n]{0,12}(?:</?[a-z]{0,9})?\Z"
    r"|[(（][^()（）\[\]\n.]{0,24}\Z|[(（]\s*[\d,;\s–-]{1,12}[)）][ \t]*\w{0,24}\Z"
    r"|(?:[(（][^()（）\[\]\n.]{0,24})?\[\[?[^\[\]\n]{0,300}(?:\]{1,2}(?:\([^()\s]{0,2000}\)?\s?)?)?\Z"
    rf"|[{_SUPERSCRIPTS}]+\Z"
)
BEGINNINGS: Final = rf"\\［<(（{_SUPERSCRIPTS}"


@dataclass(frozen=True, slots=True)
class CitedPage:
    """A source that may be cited by its address or title. `text` may have relative links."""

    url: str
    title: str
    text: str = ""


class CitationSpellings:
    """`pages` are the sources by number, without those whose address nobody can open."""

    def __init__(self, pages: Mapping[int, CitedPage]) -> None:
        self._pages = tuple(pages.values())
        last_first = sorted(pages.items(), reverse=True)  # of several, the first is meant
        self._by_url = {page.url: number for number, page in last_first}
        self._by_page = {page_key(page.url): number for number, page in last_first}
        self._by_title = {page.title.casefold(): number for number, page in last_first if page.title}

    def numbers(self, match: re.Match[str], before: str) -> list[int] | None:
        """The numbers that a match of `citation_pattern` in the text after `before` names; None if it is no
        citation."""
        kind = match.lastgroup or ""
        listed = match[kind] if kind else ""
        if kind == "bare" and not _IN_A_SENTENCE.search(before):
            return None
        if kind == "raised" and not _AFTER_A_WORD.search(before):
            return None
        if kind == "title":
            number = self._by_title.get(" ".join(listed.split()).casefold())
            return None if number is None else [number]
        return list(dict.fromkeys(_listed(listed.translate(_AS_DIGITS))))

    def resolved(self, target: str) -> str:
        """The address of a link, which a model may have copied from a page where it is relative; "" if unknown."""
        if _ABSOLUTE.match(target):
            return target
        linking = [page.url for page in self._pages if f"]({target}" in page.text]
        if not linking and len({host_of(page.url) for page in self._pages}) == 1 and target.startswith("/"):
            linking = [self._pages[0].url]
        return urljoin(linking[0], target) if linking else ""

    def of_url(self, url: str) -> int | None:
        """The source that has this address, or a section of its page."""
        url = url.rstrip("/") if url.rstrip("/") in self._by_url else url
        return self._by_url.get(url, self._by_page.get(page_key(url)))


def _listed(text: str) -> Iterator[int]:
    """The numbers in the text in order, ranges such as 1-3 expanded."""
    for first, last in _RANGE.findall(text):
        if 0 < int(last) - int(first) <= _LONGEST_RANGE:
            text = text.replace(first, " ".join(map(str, range(int(first), int(last)))), 1)
    yield from map(int, _NUMBER.findall(text))


@cache
def citation_pattern() -> re.Pattern[str]:
    sources = any_of(words_of("answers", "sources"))
    ands = any_of(words_of("answers", "ands"))
    word = rf"(?:(?:{sources})[\s_:=#.\"'-]*)"
    between = rf"(?:\s*[,;&+–—-]\s*|\s+(?:{ands}|to)\s+|[と和、])(?:(?:{sources})\s*)?"
    listed = rf"#?s?\d{{1,3}}(?:{between}#?s?\d{{1,3}}){{0,9}}"
    tags = r"(?:sup|cite|ref|source|citation)"
    return re.compile(
        rf"\\?\[\s*\^?\s*{word}{{0,3}}(?P<square>{listed})[\"']?\s*"
        r"(?:(?:[:†]|\s[-–—|])\s*[^\[\]\n]{1,160}|,\s+[^\[\]\n\d][^\[\]\n]{0,160})?\\?\](?!\()"
        rf"|【\s*{word}{{0,3}}(?P<lenticular>{listed})(?:[†:][^】\n]{{0,60}})?】"
        rf"|［\s*{word}{{0,3}}(?P<wide>{listed})[^［］\n]{{0,60}}］"
        rf"|<{tags}>\s*\[?(?P<tagged>{listed})\]?\s*</{tags}>"
        rf"|<{tags}\s[^<>\n]{{0,40}}?=\s*[\"']?(?P<attribute>{listed})[\"']?[^<>\n]{{0,60}}>"
        rf"|</?(?:source|cite|citation)>"
        rf"|[(（]\s*(?:[^\W\d_]{{2,8}}\.?\s+)?{word}{{1,3}}(?P<round>(?:\[?{listed}\]?[,\s]*)+)[)）]"
        rf"|[(（](?P<bare>{listed})[)）](?=\s*(?:[.!?,;。]|\n|\Z))"
        rf"|(?P<raised>[{_SUPERSCRIPTS}]{{1,3}})"
        r"|\[(?P<title>[^\[\]\n]{3,200})\](?![(\[:])",
        re.IGNORECASE,
    )
