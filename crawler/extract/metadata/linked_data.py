"""Reads a page's data for machines: schema.org things in JSON-LD, and questions in microdata.

Readers do not see this data, so it is not content. It describes visible text (this line is a question), and is returned
beside the page.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from selectolax.lexbor import LexborHTMLParser

from crawler.extract.invisible_text import visible_line

_AROUND: Final = re.compile(r"(?:\s|/\*|\*/|//|<!--|-->|<!\[CDATA\[|\]\]>|;|\ufeff)+")
# A string, or what JSON does not have: a comment, a comma before a closing bracket.
_EXTRA: Final = re.compile(
    r"""("(?:[^"\\]|\\.)*+"?)|//[^\n]*+|/\*.*?(?:\*/|\Z)|,(?=(?:\s|//[^\n]*+\n|/\*.*?\*/)*+[}\]])""", re.DOTALL
)


def parse_json(text: str) -> object:
    """Parse JSON leniently, as found on pages: between comments or CDATA marks, with raw line ends, trailing commas and
    comments. None if `text` is no JSON even so."""
    start = _AROUND.match(text)
    text = text[start.end() :] if start else text
    for repaired in (text, None):
        try:
            value, _ = _DECODER.raw_decode(repaired if repaired is not None else _EXTRA.sub(r"\1", text))
        except (ValueError, RecursionError):
            continue
        return value
    return None


_DECODER: Final = json.JSONDecoder(strict=False)  # raw line ends within strings


_MAX_JSON_CHARS = 300_000
_MAX_THINGS = 200
_MAX_TEXT_CHARS = 500
_OUTER = frozenset({"@graph", "mainEntity", "mainEntityOfPage"})
_TAG = re.compile(r"<[^>]{0,300}>")

_PRICE_KEYS = ("price", "lowPrice", "highPrice", "minPrice", "maxPrice")
_NOT_TO_BE_PAID = frozenset({"ListPrice", "MSRP", "SRP", "StrikethroughPrice", "RegularPrice", "InvoicePrice"})

Thing = Mapping[str, object]


@dataclass(frozen=True, slots=True)
class Product:
    """A product that the page offers; missing values are "". `price` is as written, such as "189.00", or "10.00–25.00"
    for offers at several prices. Former and recommended prices are ignored."""

    name: str
    brand: str = ""
    sku: str = ""
    price: str = ""
    currency: str = ""  # ISO 4217
    availability: str = ""  # a schema.org word: "InStock"


@dataclass(frozen=True, slots=True)
class LinkedData:
    """The page's linked data, in the page's order."""

    questions: tuple[str, ...] = ()  # of an FAQPage
    product: Product | None = None
    description: str = ""  # of the page, article, product or instruction


def linked_things(tree: LexborHTMLParser) -> list[Thing]:
    """The outermost things of all readable JSON-LD scripts, at most a few hundred. Call it before scripts are
    removed."""
    found: list[Thing] = []
    for script in tree.css('script[type="application/ld+json" i]'):
        text = script.text()
        if len(text) > _MAX_JSON_CHARS:
            continue
        found.extend(_outermost(parse_json(text)))
    return found


def linked_data(tree: LexborHTMLParser, things: Sequence[Thing]) -> LinkedData:
    """The page's linked data; `things` is the result of `linked_things`."""
    marked = tree.css('[itemtype$="schema.org/Question"] [itemprop="name"]')[:_MAX_THINGS]
    asked = [*_questions(things), *(_text(node.text()) for node in marked)]
    return LinkedData(
        questions=tuple(dict.fromkeys(question for question in asked if question)),
        product=next((product for thing in _products(things) if (product := _product(thing))), None),
        description=next((text for thing in things if (text := _text(thing.get("description")))), ""),
    )


def _outermost(data: object) -> Iterator[Thing]:
    """The things in a JSON-LD value, without nested ones (a comment, an author), which have their own names and
    dates."""
    waiting: list[object] = [data]
    for _ in range(_MAX_THINGS):
        if not waiting:
            return
        thing = waiting.pop(0)
        if isinstance(thing, list):
            waiting.extend(thing)
        elif isinstance(thing, dict):
            yield thing
            waiting.extend(value for key, value in thing.items() if key in _OUTER)


def _questions(things: Sequence[Thing]) -> Iterator[str]:
    for page in _of_type(things, "FAQPage"):
        for question in _of_type(_things(page.get("mainEntity")), "Question"):
            yield _text(question.get("name"))


def _products(things: Sequence[Thing]) -> Iterator[Thing]:
    yield from _of_type(things, "Product")
    yield from _of_type(things, "ProductGroup")


def _product(thing: Thing) -> Product | None:
    if not (name := _text(thing.get("name"))):
        return None
    variants = _things(thing.get("hasVariant"))
    offers = [offer for each in (thing, *variants) for offer in _things(each.get("offers"))]
    price, currency = _price_of(offers)
    availabilities = {_text(offer.get("availability")).rpartition("/")[2] for offer in offers}
    return Product(
        name=name,
        brand=_named(thing.get("brand")) or _text(thing.get("brand")),
        sku=_text(thing.get("sku")),
        price=price,
        currency=currency,
        availability=availabilities.pop() if len(availabilities) == 1 else "",
    )


def _price_of(offers: Sequence[Thing]) -> tuple[str, str]:
    """(price, currency); the price is a range if offers differ. ("", "") without any."""
    prices = [(amount, currency) for offer in offers for amount, currency in _amounts(offer)]
    if not prices:
        return "", ""
    currency = next((name for _, name in prices if name), "")
    amounts = [amount for amount, name in prices if name in {currency, ""}]
    try:
        amounts.sort(key=float)
    except ValueError:  # "1.299,00" is returned as written
        amounts = amounts[:1]
    is_one = amounts[0] == amounts[-1] or float(amounts[0]) == float(amounts[-1])
    return amounts[0] if is_one else f"{amounts[0]}–{amounts[-1]}", currency


def _amounts(offer: Thing) -> Iterator[tuple[str, str]]:
    """(amount, currency) of an offer: its `price` or the bounds of an AggregateOffer, else its price specification."""
    currency = _text(offer.get("priceCurrency"))
    for priced in (offer, *_things(offer.get("priceSpecification"))):
        kind = _text(priced.get("priceType")).rpartition("/")[2]
        amounts = [text for key in _PRICE_KEYS if any(map(str.isdigit, text := _text(priced.get(key))))]
        if kind not in _NOT_TO_BE_PAID and amounts:
            own = _text(priced.get("priceCurrency")) or currency
            yield from ((amount, own) for amount in amounts)
            return


def _named(value: object) -> str:
    return _text(value.get("name")) if isinstance(value, dict) else ""


def _of_type(things: Sequence[Thing], name: str) -> list[Thing]:
    return [thing for thing in things if _is(thing, name)]


def _is(thing: Thing, name: str) -> bool:
    declared = thing.get("@type")
    kinds = declared if isinstance(declared, list) else [declared]
    return any(isinstance(kind, str) and re.split(r"[/:#]", kind)[-1] == name for kind in kinds)


def _things(value: object) -> list[Thing]:
    values = value if isinstance(value, list) else [value]
    return [thing for thing in values[:_MAX_THINGS] if isinstance(thing, dict)]


def _text(value: object) -> str:
    """The value as one line without markup; numbers as written."""
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return ""
    return visible_line(_TAG.sub(" ", str(value)[: 4 * _MAX_TEXT_CHARS]))[:_MAX_TEXT_CHARS]
