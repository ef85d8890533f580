"""Product data that a shop's page has only for machines, as one line of text.

Prices are often outside of a page's main content, or inserted by scripts; search engines take them from the page's
JSON-LD, and so do answers.
"""

import re
from typing import Final

from app.core.text.markdown.links import without_targets
from crawler.extract.metadata.linked_data import Product

_NUMBER: Final = re.compile(r"\d+(?:[.,]\d+)*")
_WORD_START: Final = re.compile(r"(?<=[a-z])(?=[A-Z])")
_TITLE: Final = re.compile(r"# [^\n]*\n*")


def with_product_line(markdown: str, product: Product | None) -> str:
    """The page with the facts that it does not show added below its title; unchanged if there are none."""
    if product is None or not markdown:
        return markdown
    text = without_targets(markdown)
    shown = text.casefold()
    facts = [fact for fact in _facts(product, text) if fact.rpartition(": ")[2].casefold() not in shown]
    if not facts:
        return markdown
    title = _TITLE.match(markdown)
    end = title.end() if title else 0
    return f"{markdown[:end].rstrip()}\n\n{product.name}. {'. '.join(facts)}.\n\n{markdown[end:]}".strip()


def _facts(product: Product, markdown: str) -> list[str]:
    prices = {_amount(number) for number in _NUMBER.findall(markdown)}
    is_price_shown = all(_amount(number) in prices for number in _NUMBER.findall(product.price))
    availability = _WORD_START.sub(" ", product.availability).lower()
    facts = (
        ("Price", "" if is_price_shown else f"{product.price} {product.currency}".strip()),
        ("Availability", availability),
        ("Brand", product.brand),
        ("SKU", product.sku),
    )
    return [f"{name}: {value}" for name, value in facts if value]


def _amount(number: str) -> str:
    """ "1.189,50", "1,189.5" and "1189.50" are one amount."""
    digits = number.replace(",", ".")
    whole, point, cents = digits.rpartition(".")
    if not point or len(cents) > 2:
        return digits.replace(".", "")
    return f"{whole.replace('.', '')}.{cents}".rstrip("0").rstrip(".")
