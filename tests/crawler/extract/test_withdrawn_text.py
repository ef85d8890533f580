"""Text with a line through it is never told as valid: its replacement is told instead, or it is marked."""

import pytest

from crawler.extract.extraction import extract_page
from tests.crawler.extract.test_extraction import FILLER, _page, assert_headings_agree
from tests.every_row import every_row
from tests.linear_time import takes_linear_time

PASS = "Day pass "


def _told(fragment: str, head: str = "") -> str:
    page = _page(f"<main><h1>Prices</h1><p>{FILLER}</p>{fragment}</main>", head)
    assert_headings_agree(page)
    return page.markdown.partition(FILLER.strip())[2].strip()


@every_row(
    ("fragment", "told"),
    [
        ("<p>Day pass <del>€99</del> <ins>€79</ins>.</p>", "Day pass €79."),
        ("<p>Refunds within <s>14</s> 30 days.</p>", "Refunds within 30 days."),
        ("<p>Open on <del>Mondays</del><ins>Tuesdays</ins>.</p>", "Open on Tuesdays."),
        ("<div><s>€149</s><span>€129</span></div>", "€129"),
        ("<p>€129 <s>€149</s></p>", "€129"),
        ("<p><s>€149</s> <s>€139</s> €129</p>", "€129"),
        ("<div><div><s>USD 80</s></div><div>Now USD 70</div></div>", "Now USD 70"),
        ("<p>Day pass <span style='text-decoration:line-through'>80€</span> 70€</p>", "Day pass 70€"),
        ("<p>Day pass <span class='text-decoration-line-through'>80 zł</span> 70 zł</p>", "Day pass 70 zł"),
        ("<p>Day pass <b class=o>80€</b> 70€</p>", "Day pass 70€"),
    ],
)
def test_what_is_replaced_beside_it_is_left_out(fragment: str, told: str) -> None:
    assert _told(fragment, "<style>.o{text-decoration: line-through red}</style>") == told


@every_row(
    ("fragment", "told"),
    [
        ("<p>Call us on <s>Saturdays</s>, or write.</p>", "Call us on ~~Saturdays~~, or write."),
        ("<p>Was <strike> €99 </strike>until May.</p>", "Was ~~€99~~ until May."),
        ("<p>Grant: <s>£10,000</s> none</p>", "Grant: ~~£10,000~~ none"),
        ("<p><s>€149</s> <s>€139</s></p>", "~~€149~~ ~~€139~~"),
        ("<p>Room 12 <s>€99</s> is full</p>", "Room 12 ~~€99~~ is full"),
        ("<del><p>Free for all.</p><p>No limits.</p></del>", "~~Free for all.~~\n\n~~No limits.~~"),
        ("<del>Free for all.<p>No limits.</p></del>", "~~Free for all.~~\n\n~~No limits.~~"),
        ("<p style='text-decoration-line:line-through'>Free <s>for</s> all.</p>", "~~Free for all.~~"),
        ("<p><s>Free for all. No limits.</s></p>", "~~Free for all.~~ ~~No limits.~~"),
        ("<p><s>one<br>two</s></p>", "~~one~~\n~~two~~"),
        ("<h2><s>Old rates</s></h2><p>Text.</p>", "## ~~Old rates~~\n\nText."),
        ("<ul><li><s>Tent</s></li><li>Bed</li></ul>", "- ~~Tent~~\n- Bed"),
        ("<table><tr><th>Was<th>Now</tr><tr><td><s>€9</s><td>€8</tr></table>", "| ~~€9~~ | €8 |"),
        ("<p>a<s>b</s>c</p>", "a ~~b~~ c"),
        ("<p><s></s>Text <s> </s>stays.</p>", "Text stays."),
    ],
)
def test_anything_else_is_marked_as_withdrawn(fragment: str, told: str) -> None:
    assert _told(fragment).endswith(told)


def test_a_line_through_code_marks_a_change_and_leaves_it_as_it_is() -> None:
    assert "old()\nnew()" in _told("<pre><del>old()</del>\n<ins>new()</ins></pre>")


def test_markdown_strikes_out_too() -> None:
    body = b"# Prices\n\nDay pass ~~99 EUR~~ 79 EUR. Open on ~~Mondays~~ most days."
    page = extract_page(body, "https://example.com/p.md", None, media_type="text/markdown")
    assert page.markdown.endswith("Day pass 79 EUR. Open on ~~Mondays~~ most days.")


SHOPS = {
    "WooCommerce": (
        '<p class="price"><del aria-hidden="true"><span class="amount"><bdi>&euro;45.00</bdi></span></del> '
        '<span class="screen-reader-text">Original price was: &euro;45.00.</span>'
        '<ins aria-hidden="true"><span class="amount"><bdi>&euro;30.00</bdi></span></ins>'
        '<span class="screen-reader-text">Current price is: &euro;30.00.</span></p>',
        "€30.00",
    ),
    "Shopify": (
        '<div class="price__sale"><span class="visually-hidden">Regular price</span><span><s class="price-item '
        'price-item--regular">$45.00</s></span><span class="visually-hidden">Sale price</span>'
        '<span class="price-item price-item--sale">$30.00</span></div>',
        "$30.00",
    ),
    "Magento": (
        '<div class="price-box"><span class="special-price"><span class="price-label">Special Price</span> '
        '<span class="price">$30.00</span></span><span class="old-price"><i class="price-label">Regular Price</i> '
        '<span class="price">$45.00</span></span></div>',
        "Special Price $30.00",
    ),
    "PrestaShop": (
        '<div class="product-prices"><div class="product-discount"><span class="regular-price">€45.00</span></div>'
        '<div class="current-price"><span>€30.00</span> <span class="discount">Save €15</span></div></div>',
        "€30.00 Save €15",
    ),
    "Squarespace": (
        '<div class="product-price"><span class="original-price">$45.00</span> <span>$30.00</span></div>',
        "$30.00",
    ),
    "in one piece for screen readers": (
        '<p><span class="visually-hidden">$30.00</span><span aria-hidden="true">$<b>30</b><sup>00</sup></span></p>',
        "$30.00",
    ),
    "a regular price alone": ('<p>Lamp <span class="regular-price">€45.00</span> in stock</p>', "Lamp €45.00 in stock"),
}


@every_row(("markup", "told"), SHOPS.values(), ids=SHOPS.keys())
def test_a_shop_s_price_is_the_one_to_pay(markup: str, told: str) -> None:
    assert _told(markup) == told


@pytest.mark.parametrize("piece", ["<s>9", "<s>9</s> ", "<del><p>a</p></del>", "<s><p>a"], ids=repr)
def test_struck_text_is_read_in_linear_time(piece: str) -> None:
    assert takes_linear_time(_told, piece, 1_000)
