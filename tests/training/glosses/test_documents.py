"""Pairs out of translated documentation, each format by a small file of it."""

import pytest

from training.glosses.documents import block_pairs, description_pairs, descriptions, mallard_pairs, stamp_pairs

_PAGE = '<page xmlns="http://projectmallard.org/1.0/"><title>{}</title><p>{} <gui>{}</gui></p></page>'


def test_blocks_of_a_page_of_help_are_paired_in_their_order() -> None:
    english, german = _PAGE.format("Print", "Press", "Print"), _PAGE.format("Drucken", "Klicke auf", "Drucken")
    assert list(mallard_pairs(english.encode(), german.encode())) == [
        ("Print", "Drucken"),
        ("Press Print", "Klicke auf Drucken"),
    ]


def test_pages_that_are_not_built_alike_give_nothing() -> None:
    other = "<page><title>Drucken</title></page>"
    assert list(mallard_pairs(_PAGE.format("Print", "Press", "Print").encode(), other.encode())) == []


def test_a_page_that_is_no_xml_is_refused() -> None:
    with pytest.raises(ValueError, match="no XML"):
        list(mallard_pairs(b"<page>", b"<page/>"))


def test_blocks_of_docbook_are_paired_sentence_by_sentence_with_entities_by_name() -> None:
    english = b"<para>Open &kmail;. Wait\nfor <b>Mail</b> &amp; News</para><title>End</title>"
    german = "<para>Öffne &kmail;. Warte auf <b>Post</b> &amp; News</para><title>Ende</title>".encode()
    assert list(block_pairs(english, german)) == [
        ("Open kmail.", "Öffne kmail."),
        ("Wait for Mail & News", "Warte auf Post & News"),
        ("End", "Ende"),
    ]


def test_a_stamp_is_read_in_the_languages_that_have_lists() -> None:
    content = "A bicycle.\nde.utf8=Ein Fahrrad.\nja.utf8=自転車\npt_BR=Uma bicicleta.\n".encode()
    assert list(stamp_pairs(content)) == [
        ("de", ("A bicycle.", "Ein Fahrrad.")),
        ("pt", ("A bicycle.", "Uma bicicleta.")),
    ]
    assert list(stamp_pairs(b"")) == []


def test_a_description_is_read_in_paragraphs_by_its_package_and_its_digest() -> None:
    content = (
        "Package: tool\nDescription-md5: 1a\nDescription-en: makes things\n It makes\n things.\n .\n It is fast.\n\n"
        "Package: tool\nDescription-md5: 2b\nDescription-en: made things\n"
    )
    assert descriptions(content.splitlines()) == {
        ("tool", "1a"): ["makes things", "It makes things.", "It is fast."],
        ("tool", "2b"): ["made things"],
    }


def test_descriptions_are_paired_by_paragraphs_or_by_their_summaries_alone() -> None:
    english = ["makes things", "It makes things. It is fast."]
    assert list(description_pairs(english, ["baut Dinge", "Es baut Dinge. Es ist schnell."])) == [
        ("makes things", "baut Dinge"),
        ("It makes things.", "Es baut Dinge."),
        ("It is fast.", "Es ist schnell."),
    ]
    assert list(description_pairs(english, ["baut Dinge"])) == [("makes things", "baut Dinge")]
    assert list(description_pairs([], ["baut Dinge"])) == []
