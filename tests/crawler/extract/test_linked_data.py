"""What a page says to machines (JSON-LD, microdata) and what becomes of it."""

import json
from datetime import date

import pytest

from crawler.extract.extraction import extract_page
from crawler.extract.metadata.linked_data import LinkedData, Product, parse_json
from crawler.extract.page import Heading, Page
from tests.every_row import every_row
from tests.linear_time import takes_linear_time

URL = "https://shop.example.com/help"
FILLER = "Fill the tank with clean water up to the line and close the lid until it clicks. " * 4


def _page(body: str, *things: object, head: str = "") -> Page:
    scripts = "".join(f'<script type="application/ld+json">{json.dumps(thing)}</script>' for thing in things)
    html = f"<!doctype html><html><head>{head}{scripts}</head><body><main>{body}</main></body></html>"
    return extract_page(html.encode(), URL, "utf-8")


def _faq(*names: str) -> dict[str, object]:
    asked = [
        {"@type": "Question", "name": name, "acceptedAnswer": {"@type": "Answer", "text": "SAID"}} for name in names
    ]
    return {"@context": "https://schema.org", "@type": "FAQPage", "mainEntity": asked}


@every_row(
    "pair",
    [
        '<div id="free"><div>Is it <b>free</b>?</div><div><p>Yes, for ever.</p></div></div>',
        '<details id="free"><summary>Is it free?</summary><p>Yes, for ever.</p></details>',
        '<dl><dt id="free">Is it free?</dt><dd>Yes, for ever.</dd></dl>',
        '<ul><li id="free"><p>Is it free?</p><p>Yes, for ever.</p></li></ul>',
        '<h3 id="free">Is it free?</h3><p>Yes, for ever.</p>',
        '<div id="free"><button aria-expanded="false">Is it free?</button><div>Yes, for ever.</div></div>',
    ],
    ids=["boxes", "details", "definitions", "list", "heading", "accordion"],
)
def test_a_declared_question_is_a_heading_whatever_its_tag(pair: str) -> None:
    page = _page(f"<h2>Help</h2><p>{FILLER}</p>{pair}", _faq("Is it free?"))
    assert page.headings == (Heading(2, "Help"), Heading(3, "Is it free?", "free", is_question=True))
    assert page.markdown.endswith("### Is it free?\n\nYes, for ever.")


def test_questions_stand_side_by_side() -> None:
    body = f"<h1>Help</h1><p>{FILLER}</p>" + "".join(f"<div>{q}</div><p>Yes.</p>" for q in ("One?", "Two?"))
    assert [(h.level, h.text) for h in _page(body, _faq("One?", "Two?")).headings] == [
        (1, "Help"),
        (2, "One?"),
        (2, "Two?"),
    ]


def test_what_only_machines_are_told_is_never_text() -> None:
    page = _page(f"<h1>Help</h1><p>{FILLER}</p>", _faq("Hidden question?"))
    assert page.linked.questions == ("Hidden question?",)
    assert "Hidden" not in page.markdown
    assert "SAID" not in page.markdown


def test_questions_in_microdata_count() -> None:
    asked = '<div itemscope itemtype="https://schema.org/Question"><div itemprop="name">Free?</div><p>Yes.</p></div>'
    assert _page(f"<h1>Help</h1><p>{FILLER}</p>{asked}").headings[-1] == Heading(2, "Free?", is_question=True)


def test_a_product_is_read() -> None:
    shoe = {
        "@type": ["Product", "Thing"],
        "name": "<b>Shoe</b>",
        "brand": {"name": "Acme"},
        "sku": 12,
        "offers": [{"price": 189.5, "priceCurrency": "EUR", "availability": "https://schema.org/InStock"}],
    }
    assert _page(FILLER, {"@graph": [{"@type": "BreadcrumbList"}, shoe]}).linked == LinkedData(
        product=Product("Shoe", "Acme", "12", "189.5", "EUR", "InStock"),
    )


def test_a_description_is_taken_from_it_where_there_is_no_other() -> None:
    said = {"@type": "Product", "name": "Shoe", "description": "A good shoe."}
    assert _page(FILLER, said).description == "A good shoe."
    assert _page(FILLER, said, head='<meta name="description" content="Ours.">').description == "Ours."


@every_row("said", ["{", "[1, null, true]", '{"@type": 5}', '{"@type": "FAQPage", "mainEntity": "x"}'])
def test_odd_json_says_nothing(said: str) -> None:
    html = f'<head><script type="application/ld+json">{said}</script></head><body>{FILLER}</body>'
    assert extract_page(html.encode(), URL, None).linked == LinkedData()


@pytest.mark.parametrize(
    ("line", "modified"),
    [
        ("<p><small><i>This page last modified on 2017-02-02 23:55:23 UTC</i></small></p>", date(2017, 2, 2)),
        ("<div>Last updated on October 07, 2026. <a href='/b'>Found a bug</a>?</div>", date(2026, 10, 7)),
        ("<p>The file was last modified on 2017-02-02 by somebody.</p>", None),
    ],
)
def test_a_line_of_its_own_says_when_the_page_changed(line: str, modified: date | None) -> None:
    assert _page(f"<h1>Help</h1><p>{FILLER}</p>{line}").modified == modified


LAMP = '{"@type": "Product", "name": "Lamp", "offers": {"price": "30.00", "priceCurrency": "EUR"}}'


@every_row(
    "said",
    [
        f"//<![CDATA[\n{LAMP}\n//]]>",
        f"<!--{LAMP}-->",
        f"/*<![CDATA[*/ {LAMP} /*]]>*/",
        f"{LAMP};",
        LAMP.replace('"offers"', '"description": "", // the price\n"offers"'),
        LAMP.replace("}}", ",},}"),
        LAMP.replace('"@type"', '"description": "\t\n", "@type"'),
        f"[{LAMP}, /* no more */ ]",
    ],
    ids=["cdata", "comment", "cdata in comments", "semicolon", "line comment", "trailing commas", "raw", "list"],
)
def test_json_is_read_as_pages_write_it(said: str) -> None:
    html = f'<head><script type="application/ld+json">{said}</script></head><body>{FILLER}</body>'
    product = extract_page(html.encode(), URL, None).linked.product
    assert product == Product("Lamp", price="30.00", currency="EUR")


def test_what_looks_like_a_comment_or_a_comma_in_a_string_stays() -> None:
    said = '{"@type": "Product", "name": "a // b, } /* c */ \\" ,]", }'
    html = f'<head><script type="application/ld+json">{said}</script></head><body>{FILLER}</body>'
    assert extract_page(html.encode(), URL, None).linked.product == Product('a // b, } /* c */ " ,]')


@pytest.mark.parametrize("piece", ['"', "/*", ", ", ",/*", "//", '{"a":', "<!--", ",//\n"], ids=repr)
def test_json_is_read_in_linear_time(piece: str) -> None:
    assert takes_linear_time(parse_json, piece, 4_000)


def _spec(price: str, kind: str = "") -> dict[str, object]:
    return {"@type": "UnitPriceSpecification", "price": price, "priceCurrency": "EUR", "priceType": kind}


LIST = "https://schema.org/ListPrice"
VARIANTS = {"@type": "ProductGroup", "name": "Lamp"}


@every_row(
    ("offered", "price"),
    [
        ({"offers": [{"priceSpecification": [_spec("30.00"), _spec("45.00", LIST)]}]}, "30.00"),
        ({"offers": [{"priceSpecification": [_spec("45.00", LIST), _spec("30.00")]}]}, "30.00"),
        ({"offers": {"priceSpecification": _spec("45.00", LIST)}}, ""),
        ({"offers": {"lowPrice": "30", "highPrice": 45, "priceCurrency": "EUR"}}, "30–45"),
        ({"offers": {"lowPrice": "30", "highPrice": "30.00", "priceCurrency": "EUR"}}, "30"),
        ({"offers": [{"price": 45, "priceCurrency": "EUR"}, {"price": 30, "priceCurrency": "EUR"}]}, "30–45"),
        ({"offers": [{"price": 30, "priceCurrency": "EUR"}, {"price": 33, "priceCurrency": "USD"}]}, "30"),
        ({"offers": {"price": "1.299,00", "priceCurrency": "EUR"}}, "1.299,00"),
        (VARIANTS | {"hasVariant": [{"offers": {"price": "30", "priceCurrency": "EUR"}}]}, "30"),
    ],
)
def test_a_product_s_price_is_what_is_to_be_paid(offered: dict[str, object], price: str) -> None:
    product = _page(FILLER, {"@type": "Product", "name": "Lamp"} | offered).linked.product
    assert product == Product("Lamp", price=price, currency="EUR" if price else "")
