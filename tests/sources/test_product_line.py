"""Facts of a product that its page tells machines alone become text, once."""

import pytest

from app.sources.runs.crawler_site_reader import with_product_line
from crawler.extract.metadata.linked_data import Product
from tests.every_row import every_row

SHOE = Product("Red shoe", brand="Acme", sku="A-12", price="189.50", currency="EUR", availability="InStock")


def test_what_the_page_does_not_show_stands_below_its_title() -> None:
    assert with_product_line("# Red shoe\n\nMade of leather.", SHOE) == (
        "# Red shoe\n\nRed shoe. Price: 189.50 EUR. Availability: in stock. Brand: Acme. SKU: A-12.\n\nMade of leather."
    )


def test_a_page_without_a_title_begins_with_it() -> None:
    assert with_product_line("Made of leather.", Product("Shoe", price="5")) == "Shoe. Price: 5.\n\nMade of leather."


@pytest.mark.parametrize("price", ["€189.50", "189,50 €", "EUR 189.5"])
def test_what_the_page_shows_is_not_said_twice(price: str) -> None:
    page = f"# Red shoe\n\nBy ACME, A-12, now {price}, in stock."
    assert with_product_line(page, SHOE) == page


@every_row(("number", "other"), [("1189.50", "1.189,50"), ("1189", "1,189"), ("1189.00", "1,189"), ("40", "40.00")])
def test_an_amount_is_known_however_it_is_written(number: str, other: str) -> None:
    page = f"# Lamp\n\nIt costs €{other}."
    assert with_product_line(page, Product("Lamp", price=number)) == page


def test_another_amount_is_another_price() -> None:
    assert "Price: 189 EUR" in with_product_line(
        "# Shoe\n\nNow 18.9 off.", Product("Shoe", price="189", currency="EUR")
    )


def test_the_bounds_of_a_price_are_told_unless_both_are_shown() -> None:
    lamp = Product("Lamp", price="30–45", currency="EUR")
    assert "Price: 30–45 EUR" in with_product_line("# Lamp\n\nFrom €30.", lamp)
    assert with_product_line("# Lamp\n\n€30 to €45.", lamp) == "# Lamp\n\n€30 to €45."


def test_without_a_product_or_text_nothing_is_added() -> None:
    assert with_product_line("# Shoe", None) == "# Shoe"
    assert with_product_line("", SHOE) == ""
