"""Pairs out of message catalogues, each format by a small file of it."""

import json
import struct

import pytest

from tests.every_row import every_row
from training.glosses.catalogues import json_pairs, mo_pairs, php_pairs, po_pairs

_HEADER = ("", "Content-Type: text/plain; charset={charset}\n")


def compiled(*messages: tuple[str, str], order: str = "<", charset: str = "utf-8") -> bytes:
    """A .mo file, laid out as msgfmt does it but for the hash table."""
    header = (_HEADER[0], _HEADER[1].format(charset=charset))
    rows = [(english.encode(charset), other.encode(charset)) for english, other in sorted((header, *messages))]
    tables, texts, start = [b"", b""], b"", 28 + 16 * len(rows)
    for side in (0, 1):
        for row in rows:
            tables[side] += struct.pack(f"{order}2I", len(row[side]), start + len(texts))
            texts += row[side] + b"\0"
    head = struct.pack(f"{order}7I", 0x950412DE, 0, len(rows), 28, 28 + 8 * len(rows), 0, 0)
    return head + tables[0] + tables[1] + texts


@pytest.mark.parametrize(("order", "charset"), [("<", "utf-8"), (">", "utf-8"), ("<", "iso-8859-1")])
def test_a_compiled_catalogue_is_read_in_its_byte_order_and_charset(order: str, charset: str) -> None:
    content = compiled(("Open", "Öffnen"), ("Close", "Schließen"), order=order, charset=charset)
    assert set(mo_pairs(content)) == {("Open", "Öffnen"), ("Close", "Schließen")}


def test_of_a_compiled_message_the_context_is_left_out_and_each_form_stands_beside_its_own() -> None:
    content = compiled(("menu\x04One file\0%d files", "Eine Datei\0%d Dateien"), ("Untranslated", ""))
    assert list(mo_pairs(content)) == [("One file", "Eine Datei"), ("%d files", "%d Dateien")]


@pytest.mark.parametrize("content", [b"", b"no catalogue, but a text", compiled(("Open", "Öffnen"))[:40]])
def test_what_is_no_compiled_catalogue_is_refused(content: bytes) -> None:
    with pytest.raises(ValueError, match=r"\.mo file"):
        list(mo_pairs(content))


def test_a_catalogue_s_source_is_read_without_fuzzy_obsolete_and_untranslated_entries() -> None:
    content = b"""
msgid ""
msgstr "Content-Type: text/plain; charset=UTF-8\\n"

#: shop.py:3
msgctxt "button"
msgid ""
"Add to "
"\\"cart\\""
msgstr "In den Warenkorb"

#, fuzzy, python-format
msgid "Delete"
msgstr "Bearbeiten"

#~ msgid "Gone"
#~ msgstr "Weg"

msgid "Price"
msgstr ""

msgid "%d day"
msgid_plural "%d days"
msgstr[0] "%d Tag"
msgstr[1] "%d Tage"
"""
    assert list(po_pairs(content)) == [
        ('Add to "cart"', "In den Warenkorb"),
        ("%d day", "%d Tag"),
        ("%d days", "%d Tage"),
    ]


def test_a_message_that_is_a_name_is_read_by_its_default() -> None:
    content = b'#. Default: "Log in, \\"please\\""\n#: login.pt\nmsgid "label_log_in"\nmsgstr "Anmelden"\n'
    assert list(po_pairs(content)) == [('Log in, "please"', "Anmelden")]


def test_texts_of_json_are_paired_by_their_place() -> None:
    english = {"en": {"cart": {"add": "Add", "gone": "Gone"}, "days": ["Monday", "Tuesday"], "count": 3}}
    german = {"de": {"cart": {"add": "Hinzufügen", "new": "Neu"}, "days": ["Montag", "Dienstag"], "count": 3}}
    assert list(json_pairs(json.dumps(english).encode(), json.dumps(german).encode())) == [
        ("Add", "Hinzufügen"),
        ("Monday", "Montag"),
        ("Tuesday", "Dienstag"),
    ]


@every_row("name", ["tags", "keywords", "terms", "aliases", "@metadata", "identity", "skins"])
def test_what_is_no_translation_of_its_counterpart_is_left_out(name: str) -> None:
    english = {"title": "Train", name: ["engine", "rail"]}
    german = {"title": "Zug", name: ["Bahn", "Lok"]}
    assert list(json_pairs(json.dumps(english).encode(), json.dumps(german).encode())) == [("Train", "Zug")]


def test_of_an_emoji_in_cldr_the_spoken_name_alone_is_read() -> None:
    english = {"annotations": {"annotations": {"🚲": {"default": ["bike", "cycle"], "tts": ["bicycle"]}}}}
    german = {"annotations": {"annotations": {"🚲": {"default": ["Fahren", "Rad"], "tts": ["Fahrrad"]}}}}
    found = json_pairs(json.dumps(english).encode(), json.dumps(german).encode())
    assert list(found) == [("bicycle", "Fahrrad")]


def test_texts_of_php_are_paired_by_their_names_and_unescaped() -> None:
    english = b"<?php\n$labels['open'] = 'Don\\'t open';\n$labels['new'] = 'New';\n"
    french = b"<?php\n$labels['open'] = 'N\\'ouvrez pas';\n"
    assert list(php_pairs(english, french)) == [("Don't open", "N'ouvrez pas")]
