"""Pages as shops, help centres and pages of prices are built: tabs, ticks, cards and choices."""

import pytest

from tests.crawler.extract.test_extraction import FILLER, _page, assert_headings_agree
from tests.every_row import every_row


def test_a_hidden_tab_is_read_below_its_name() -> None:
    page = _page(
        f"<main><h1>Rental</h1><p>{FILLER}</p><div role=tablist><button role=tab aria-controls=a>City bike</button>"
        "<button role=tab aria-controls=b>Electric bike</button></div><div id=a role=tabpanel><p>Seven gears.</p></div>"
        "<div id=b role=tabpanel hidden><p>Range 60 km.</p></div></main>"
    )
    assert page.markdown.endswith("**City bike**\n\nSeven gears.\n\n**Electric bike**\n\nRange 60 km.")


TICK = '<svg aria-hidden="true" class="icon icon-check"><path d="M1 1"/></svg>'
CROSS = '<i class="fas fa-times"></i>'


@every_row(
    ("yes", "no", "signs"),
    [
        (TICK, CROSS, ("✓", "✗")),
        ('<svg><use href="/s.svg#tick"/></svg>', '<svg data-lucide="x"/></svg>', ("✓", "✗")),
        (f'{TICK}<span class="sr-only">Included</span>', f'{CROSS}<b class="sr-only">No</b>', ("Included", "No")),
        ('<svg class="w-5 text-green-600"/></svg>', '<svg class="w-5 text-red-600"/></svg>', ("✓", "✗")),
        ('<svg aria-label="Yes"/></svg>', "<svg><title>No</title></svg>", ("Yes", "No")),
    ],
    ids=["by their class", "by what they use", "for screen readers", "by their colour", "by their label"],
)
def test_ticks_and_crosses_of_a_table_are_told(yes: str, no: str, signs: tuple[str, str]) -> None:
    table = (
        f"<table><tr><th></th><th>Solo</th><th>Team</th></tr><tr><td>API</td><td>{no}</td><td>{yes}</td></tr></table>"
    )
    page = _page(f"<main><h1>Plans</h1><p>{FILLER}</p>{table}</main>")
    assert page.markdown.endswith(f"|  | Solo | Team |\n| --- | --- | --- |\n| API | {signs[1]} | {signs[0]} |")


def test_icons_say_nothing_beside_text_and_long_texts_for_screen_readers_say_nothing() -> None:
    cells = f"<td>{TICK} 12 seats</td><td>{TICK}<span class=sr-only>{FILLER}</span></td><td>{CROSS}</td>"
    page = _page(f"<main><h1>Plans</h1><p>{FILLER}</p><table><tr><th>A<th>B<th>C</tr><tr>{cells}</tr></table></main>")
    assert page.markdown.endswith("| 12 seats | ✓ | ✗ |")


def test_an_item_that_is_crossed_out_says_so() -> None:
    page = _page(f"<main><h1>Solo</h1><p>{FILLER}</p><ul><li>{TICK}Booking</li><li>{CROSS} Invoices</li></ul></main>")
    assert page.markdown.endswith("- Booking\n- ✗ Invoices")


@pytest.mark.parametrize("row", ['class="grid grid-cols-3"', 'role="row"', 'class="pricing-table__row"'])
def test_a_table_of_other_elements_is_a_table(row: str) -> None:
    cells = [("", "Solo", "Team"), ("Seats", "1", "6"), ("API", CROSS, TICK)]
    rows = "".join(f"<div {row}>{''.join(f'<div>{cell}</div>' for cell in each)}</div>" for each in cells)
    page = _page(f"<main><h1>Plans</h1><p>{FILLER}</p><div>{rows}</div></main>")
    assert page.markdown.endswith("|  | Solo | Team |\n| --- | --- | --- |\n| Seats | 1 | 6 |\n| API | ✗ | ✓ |")


def test_columns_of_text_and_cards_are_no_table() -> None:
    card = "<div><h3>Solo</h3><p>For one.</p></div>"
    columns = f'<div class="row">{card}{card}</div>' * 3
    page = _page(f"<main><h1>Plans</h1><p>{FILLER}</p><div>{columns}</div></main>")
    assert "|" not in page.markdown


def test_the_names_of_cards_with_prices_are_headings() -> None:
    solo = '<div class="card"><div>Solo</div><p>€9 a month</p><a class="btn" href="/in">Start</a></div>'
    team = '<div class="card"><span class="badge">Most popular</span><p>Team</p><p><b>€24</b> a month</p></div>'
    page = _page(f"<main><h1>Plans</h1><p>{FILLER}</p><h2>Yearly</h2><div>{solo}{team}</div></main>")
    assert page.markdown.endswith("## Yearly\n\n### Solo\n\n€9 a month\n\n### Team\n\nMost popular\n\n€24 a month")
    assert_headings_agree(page)


@every_row(
    "second",
    ["<p>Team</p><p>On request</p>", "<h3>Team</h3><p>€24</p>", "<p>Solo</p><p>€24</p>", "<p>€24</p><p>Team plan</p>"],
    ids=["one without a price", "names are headings", "the same name twice", "a price comes first"],
)
def test_other_boxes_get_no_headings(second: str) -> None:
    boxes = f"<div><div><p>Solo</p><p>€9 a month</p></div><div>{second}</div></div>"
    assert "# Solo" not in _page(f"<main><h1>Plans</h1><p>{FILLER}</p>{boxes}</main>").markdown


PRODUCT = '<script type="application/ld+json">{"@type": "Product", "name": "Boots"}</script>'
SIZES = '<label for="s">Size</label><select id="s"><option value="">Choose<option>41<option>42</select>'


def test_what_a_product_can_be_had_in_is_told() -> None:
    colours = "<fieldset><legend>Colour</legend><label>Slate</label><input><label>Moss</label></fieldset>"
    page = _page(f"<main><h1>Boots</h1><p>{FILLER}</p><div>{SIZES}</div>{colours}</main>", PRODUCT)
    assert page.markdown.endswith("Size: 41, 42\n\nColour: Slate, Moss")


def test_what_other_pages_let_choose_is_no_text() -> None:
    assert "41" not in _page(f"<main><h1>Boots</h1><p>{FILLER}</p><div>{SIZES}</div></main>").markdown


SAID = "We repair bicycles, prams and wheelchairs, and lend tools to anybody."


@every_row(
    ("part", "told"),
    [
        ('<ul class="list-inline no-print"><li>for 12 pieces<li>60 minutes</ul>', "for 12 pieces"),
        ('<div class="promo"><p>Free delivery from 50 euros.</p></div>', "Free delivery"),
        ('<div class="announcement"><p>Closed on Good Friday.</p></div>', "Good Friday"),
        (f'<div class="entry share"><p>{SAID}</p></div>', "prams"),
        (f'<div class="social"><p>{SAID}</p></div>', "prams"),
        (f'<div class="print-only" itemprop="description"><p>{SAID}</p></div>', "prams"),
        ('<form class="cart"><p class="price">€30</p><p>In stock</p></form>', "€30"),
    ],
)
def test_the_name_of_a_class_alone_makes_no_part_frame(part: str, told: str) -> None:
    assert told in _page(f"<main><h1>Repairs</h1><p>{FILLER}</p>{part}<p>Come by.</p></main>").markdown


@pytest.mark.parametrize(
    "part",
    [
        '<div class="share"><a href="https://a.example/">Send to a friend</a> <a href="https://b.example/">Post</a></div>',
        '<div class="social">Follow us: <a href="https://a.example/">on this network</a></div>',
        '<div class="no-print"><button>Print the whole recipe now</button></div>',
    ],
)
def test_parts_of_links_and_buttons_with_such_a_name_are_frame(part: str) -> None:
    page = _page(f"<main><h1>Repairs</h1><p>{FILLER}</p>{part}<p>Come by.</p></main>")
    assert page.markdown.endswith(f"{FILLER.strip()}\n\nCome by.")


@every_row(
    ("cell", "told"),
    [
        ('<img src=t.svg alt="Included">', "Included"),
        ("<ul><li>S</li><li>M</li><li>XL</li></ul>", "S, M, XL"),
        ("Marketing to:<ul><li>existing customers</li><li>partners.</li><li>us</li></ul>", None),
        ("<ol><li>Call us.</li><li>Wait.</li></ol>", "Call us. Wait."),
    ],
)
def test_pictures_and_lists_in_cells_are_told(cell: str, told: str | None) -> None:
    table = f"<table><tr><th>Plan</th><th>Has</th></tr><tr><td>Pro</td><td>{cell}</td></tr></table>"
    page = _page(f"<main><h1>Plans</h1><p>{FILLER}</p>{table}</main>")
    assert page.markdown.endswith(f"| Pro | {told or 'Marketing to: existing customers, partners. us'} |")


def test_a_picture_is_all_that_a_definition_says() -> None:
    rating = '<dl><dt>Rating</dt><dd><img src=s.png alt="4 of 5 stars"></dd><dt>Price</dt><dd>9 euros</dd></dl>'
    assert "4 of 5 stars" in _page(f"<main><h1>Lamp</h1><p>{FILLER}</p>{rating}</main>").markdown


@every_row(
    ("formula", "told"),
    [
        ("<mfrac><mn>1</mn><mn>2</mn></mfrac>", "1/2"),
        ("<mn>1</mn><mfrac><mn>1</mn><mn>2</mn></mfrac>", "1 1/2"),
        ("<msup><mi>x</mi><mn>2</mn></msup>", "x^2"),
        ("<msubsup><mi>x</mi><mi>i</mi><mn>2</mn></msubsup>", "x_i^2"),
        ("<mfrac><mrow><mi>a</mi><mo>+</mo><mi>b</mi></mrow><msqrt><mi>c</mi></msqrt></mfrac>", "(a+b)/(√c)"),
    ],
)
def test_formulas_are_told_on_one_line(formula: str, told: str) -> None:
    page = _page(f"<main><h1>Cake</h1><p>{FILLER}</p><p>Use <math>{formula}</math> cup of oil.</p></main>")
    assert page.markdown.endswith(f"Use {told} cup of oil.")


def test_the_title_of_a_closed_part_stays_whatever_role_it_says_it_has() -> None:
    page = _page(
        f"<main><h1>Boots</h1><p>{FILLER}</p><details><summary role=button aria-expanded=false><h2>Sizes</h2></summary>"
        "<p>From 37 to 46.</p></details></main>"
    )
    assert page.markdown.endswith("## Sizes\n\nFrom 37 to 46.")
