"""Pairs out of translated documentation: one function for each format.

The files of two languages are read side by side where they are built alike, as translations made from catalogues are.
"""

import html
import re
from collections.abc import Iterable, Iterator
from typing import Final
from xml.etree import ElementTree

from training.glosses.text_pairs import Pair, language_of, sentence_pairs

_MALLARD_BLOCKS: Final = frozenset({"p", "title", "desc"})
_BLOCK: Final = re.compile(r"<(para|simpara|title|term|p|h[1-6]|dt)\b[^>]*>(.*?)</\1>", re.DOTALL)
_TAG: Final = re.compile(r"<[^>]*>")
_ENTITY: Final = re.compile(r"&([\w.-]+);")
_STAMP_LINE: Final = re.compile(r"(\w+?)(?:\.utf8)?=(.*)")


def mallard_pairs(english: bytes, other: bytes) -> Iterator[Pair]:
    """Of a page of GNOME's help. Raises ValueError where one of them is no XML."""
    return _alike(_mallard_blocks(english), _mallard_blocks(other))


def block_pairs(english: bytes, other: bytes) -> Iterator[Pair]:
    """Of DocBook or HTML, sentence by sentence. Neither is parsed: DocBook's entities stand in files of their own."""
    for pair in _alike(_blocks(english), _blocks(other)):
        yield from sentence_pairs(pair)


def stamp_pairs(content: bytes) -> Iterator[tuple[str, Pair]]:
    """Of a stamp of Tux Paint: the English in the first line, then `de.utf8=...`. With the language of each."""
    english, *lines = content.decode("utf-8", "replace").splitlines() or [""]
    for line in lines:
        match = _STAMP_LINE.fullmatch(line)
        if match and english and (language := language_of(match[1])):
            yield language, Pair(english, match[2])


def descriptions(lines: Iterable[str]) -> dict[tuple[str, str], list[str]]:
    """Of a `Translation-XX` file of Debian, by package and by the digest of the English: summary, then paragraphs."""
    found: dict[tuple[str, str], list[str]] = {}
    package, key = "", ("", "")
    for line in lines:
        name, _, value = line.rstrip("\n").partition(":")
        if line.startswith(" ") and key in found:
            _continue(found[key], line.strip())
        elif name == "Package":
            package = value.strip()
        elif name == "Description-md5":
            key = (package, value.strip())
        elif name.startswith("Description-"):
            found[key] = [value.strip(), ""]
    return {each: [text for text in texts if text] for each, texts in found.items()}


def description_pairs(english: list[str], other: list[str]) -> Iterator[Pair]:
    """The summaries alone where the paragraphs are not as many."""
    count = len(english) if len(english) == len(other) else 1
    for text, translated in zip(english[:count], other[:count], strict=False):
        yield from sentence_pairs(Pair(text, translated))


def _mallard_blocks(content: bytes) -> list[tuple[str, str]]:
    try:
        root = ElementTree.fromstring(content)
    except ElementTree.ParseError as error:
        raise ValueError(f"no XML: {error}") from error
    named = ((node.tag.rpartition("}")[2], node) for node in root.iter())
    return [(name, " ".join("".join(node.itertext()).split())) for name, node in named if name in _MALLARD_BLOCKS]


def _blocks(content: bytes) -> list[tuple[str, str]]:
    text = _ENTITY.sub(_entity, content.decode("utf-8", "replace"))
    return [(match[1], " ".join(_TAG.sub(" ", match[2]).split())) for match in _BLOCK.finditer(text)]


def _entity(match: re.Match[str]) -> str:
    """One of a document's own, such as `&kmail;`, is read as its name."""
    character = html.unescape(match[0])
    return match[1] if character == match[0] else character


def _alike(english: list[tuple[str, str]], other: list[tuple[str, str]]) -> Iterator[Pair]:
    """Nothing where the blocks are not the same ones in the same order: a translation of another version."""
    if [name for name, _ in english] == [name for name, _ in other]:
        for (_, text), (_, translated) in zip(english, other, strict=True):
            yield Pair(text, translated)


def _continue(paragraphs: list[str], line: str) -> None:
    """A line that is a full stop alone ends a paragraph."""
    if line == ".":
        paragraphs.append("")
    else:
        paragraphs[-1] = f"{paragraphs[-1]} {line}".strip()
