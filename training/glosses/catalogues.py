"""Pairs out of the message catalogues that programs are translated by: one function for each format.

Catalogues of gettext hold the English beside the translation; the others are a file for each language, with the same
keys. Each raises ValueError where the file is not of the format.
"""

import json
import re
import struct
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from training.glosses.text_pairs import Pair, language_of

_MO_MAGIC: Final = 0x950412DE
_MO_HEADER: Final = 20
_CONTEXT_END: Final = "\x04"
_PLURAL: Final = "\0"
_CHARSET: Final = re.compile(r"charset=([\w-]+)")

_PO_BLANK_LINE: Final = re.compile(r"\n\s*\n")
_PO_FIELD: Final = re.compile(r'(msgctxt|msgid_plural|msgid|msgstr(?:\[\d+\])?)\s+"(.*)"\s*')
_PO_CONTINUED: Final = re.compile(r'"(.*)"\s*')
_PO_DEFAULT: Final = re.compile(r'Default: "(.*)"')
_ESCAPE: Final = re.compile(r"\\(.)")
_CONTROL: Final = {"n": "\n", "t": "\t", "r": "\r"}

# Under these stand words to search by, sorted in each language on its own, names of people, what a file is, and an
# emoji's name again for each colour of skin, which would make its words look common.
_NO_TRANSLATIONS: Final = frozenset({"terms", "aliases", "tags", "keywords", "@metadata", "identity", "skins"})
_SPOKEN_NAME: Final = "tts"  # of an emoji in CLDR, whose other entries are words to search by
_ROOTS: Final = frozenset({"en", "en-US", "main"})
_PHP_TEXT: Final = re.compile(r"\$\w+\['([^']+)'\]\s*=\s*'((?:[^'\\]|\\.)*)'")


def mo_pairs(content: bytes) -> Iterator[Pair]:
    """Of a compiled catalogue (GNU gettext manual, "The Format of GNU MO Files")."""
    if len(content) < _MO_HEADER:
        raise ValueError("no .mo file")
    order = next((each for each in "<>" if struct.unpack_from(f"{each}I", content)[0] == _MO_MAGIC), None)
    if order is None:
        raise ValueError("no .mo file")
    count, english_at, other_at = struct.unpack_from(f"{order}3I", content, 8)
    if max(english_at, other_at) + 8 * count > len(content):
        raise ValueError("the .mo file ends early")

    def text(table: int, index: int) -> bytes:
        length, start = struct.unpack_from(f"{order}2I", content, table + 8 * index)
        return content[start : start + length]

    charset = "utf-8"
    for index in range(count):
        english, other = text(english_at, index), text(other_at, index)
        if not english:  # the header, which sorts first
            match = _CHARSET.search(other.decode("ascii", "replace"))
            charset = match[1] if match else charset
            continue
        yield from _forms(english.decode(charset).split(_PLURAL), other.decode(charset).split(_PLURAL))


def po_pairs(content: bytes) -> Iterator[Pair]:
    """Of a catalogue's source: no fuzzy and no obsolete entry. Plone keeps the English in a comment, `Default: "..."`,
    where its message is a name."""
    for entry in _PO_BLANK_LINE.split(content.decode("utf-8-sig").replace("\r\n", "\n")):
        fields, comment = _po_entry(entry.splitlines())
        english = fields.get("msgid")
        if not english:
            continue
        if default := _PO_DEFAULT.match(comment):
            english = _unescaped(default[1])
        others = [text for name, text in fields.items() if name.startswith("msgstr")]
        yield from _forms([english, fields.get("msgid_plural", english)], others)


def json_pairs(english: bytes, other: bytes) -> Iterator[Pair]:
    """The texts that stand at the same place in both files."""
    texts = dict(_texts(_unwrapped(json.loads(english))))
    for place, text in _texts(_unwrapped(json.loads(other))):
        if place in texts:
            yield Pair(texts[place], text)


def php_pairs(english: bytes, other: bytes) -> Iterator[Pair]:
    """Of Roundcube's files: `$labels['name'] = 'text';`."""
    texts = dict(_PHP_TEXT.findall(english.decode()))
    for name, text in _PHP_TEXT.findall(other.decode()):
        if name in texts:
            yield Pair(_unescaped(texts[name]), _unescaped(text))


def _forms(english: Sequence[str], other: Sequence[str]) -> Iterator[Pair]:
    """The singular beside the first form, the plural beside all others; untranslated ones are left out."""
    singular, plural = english[0].rpartition(_CONTEXT_END)[2], english[-1].rpartition(_CONTEXT_END)[2]
    for index, text in enumerate(other):
        if text:
            yield Pair(plural if index else singular, text)


def _po_entry(lines: Sequence[str]) -> tuple[dict[str, str], str]:
    """Its fields, and the comment that its program's source gave it; no fields for one that is not in use."""
    fields: dict[str, str] = {}
    name, comment = "", []
    for line in lines:
        if line.startswith("#,") and "fuzzy" in line:
            return {}, ""
        if line.startswith("#."):
            comment.append(line.removeprefix("#.").strip())
        elif match := _PO_FIELD.fullmatch(line):
            name = match[1]
            fields[name] = _unescaped(match[2])
        elif name and (match := _PO_CONTINUED.fullmatch(line)):
            fields[name] += _unescaped(match[1])
    return fields, " ".join(comment)


def _unescaped(text: str) -> str:
    return _ESCAPE.sub(lambda match: _CONTROL.get(match[1], match[1]), text)


def _unwrapped(node: object) -> object:
    """Without the levels that only name the file's language."""
    while isinstance(node, Mapping) and len(node) == 1:
        name = next(iter(node))
        if name not in _ROOTS and language_of(name) is None:
            break
        node = node[name]
    return node


def _texts(node: object, place: str = "") -> Iterator[tuple[str, str]]:
    if isinstance(node, str):
        yield place, node
    elif isinstance(node, Mapping):
        names = [_SPOKEN_NAME] if _SPOKEN_NAME in node else [name for name in node if name not in _NO_TRANSLATIONS]
        for name in names:
            yield from _texts(node[name], f"{place}/{name}")
    elif isinstance(node, list):
        for index, each in enumerate(node):
            yield from _texts(each, f"{place}/{index}")
