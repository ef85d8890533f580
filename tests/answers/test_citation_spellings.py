"""However a model spells a citation, and however its stream is cut, one mark is drawn."""

from hypothesis import given
from hypothesis import strategies as st

from app.answers.guard.citation_spellings import CitationSpellings, CitedPage
from app.answers.guard.output_guard import OutputGuard
from tests.every_row import every_row

PRICES = "https://shop.example/prices/"
PAGES = {
    number: CitedPage(f"https://shop.example/{number}/", f"Page {number}", "See [the form](../forms/return.html).")
    for number in (1, 3, 4, 5, 6)
} | {2: CitedPage(PRICES, "Plans and prices")}


def shown(text: str, size: int) -> tuple[str, list[int]]:
    guard = OutputGuard({*PAGES}, {"shop.example"}, max_chars=4000, spellings=CitationSpellings(PAGES))
    pieces = [guard.feed(text[at : at + size]) for at in range(0, len(text), size)]
    return "".join(pieces) + guard.close(), guard.cited


ONE = "The Plus plan costs €3.90 a month [1]. It has 3 stations."
SPELLINGS = (
    *(
        "[2]",
        "【2】",
        "【2†source】",
        "【2†L1-L4】",
        "[Source 2]",
        f"[[2]]({PRICES})",
        "[^2]",
        "(source 2)",
        "(2)",
        "[S2]",
    ),
    *('[id="2"]', '<source id="2">', "[source_id: 2]", "\\[2\\]", "［２］", "[2: Plans and prices]", "[doc 2]"),
    *("<sup>2</sup>", "²", f"([Plans and prices]({PRICES}))", f"[2]({PRICES})", "[Plans and prices]", "(see source 2)"),
    *("(Source: [2])", "(Quelle 2)", "[出典2]", "(fuente: 2)", "<cite>2</cite>"),
)


@every_row("size", [1, 2, 3, 7, 1000])
@every_row("spelling", SPELLINGS)
def test_a_spelling_is_one_mark(spelling: str, size: int) -> None:
    gap = "" if spelling in {"²", "<sup>2</sup>"} else " "
    assert shown(f"The Plus plan costs €3.90 a month{gap}{spelling}. It has 3 stations.", size) == (ONE, [2])


@every_row("size", [1, 5, 1000])
@every_row(
    ("written", "expected"),
    [
        ("Plus [1][2].", "Plus [1][2]."),
        ("Plus [2, 6].", "Plus [1][2]."),
        ("Plus [Sources 2 and 6].", "Plus [1][2]."),
        ("Plus [1-3].", "Plus [1][2][3]."),
        ("Plus. [2] It has", "Plus. [1] It has"),
        ("Plus **[2]**.", "Plus **[1]**."),
        ("Plus [2][2].", "Plus [1]."),
        ("Plus [99].", "Plus ."),
        (f"See [our prices]({PRICES}).", f"See [our prices]({PRICES}) [1]."),
        (f"See {PRICES}.", f"See {PRICES} [1]."),
        (f"See {PRICES}#plus for it", f"See {PRICES}#plus [1] for it"),
        (
            "Fill in [the form](../forms/return.html) today",
            "Fill in [the form](https://shop.example/forms/return.html) today",
        ),
        ("Go to [help](/help/) now", "Go to [help](https://shop.example/help/) now"),
    ],
)
def test_several_and_links(written: str, expected: str, size: int) -> None:
    assert shown(written, size)[0] == expected


@every_row("size", [1, 4, 1000])
@every_row(
    "text",
    [
        "A room of 20 m² has (2) windows and (optionally) a door.",
        "(1) Press the button.",
        "Choose [Save as] and `items[2]`, x² and y.",
        "It is open (up to 24 hours), 5 < 6 and a > b.",
        "Not a source (7).",
    ],
)
def test_what_is_no_citation_stays(text: str, size: int) -> None:
    assert shown(text, size) == (text, [])


pieces = st.sampled_from(
    ["[2]", "(2)", "²", "[", "]", "(", ")", "word ", ". ", PRICES, "<sup>", "</sup>", "2", "\\", "`"]
)


@given(st.lists(pieces, max_size=12).map("".join), st.integers(1, 9))
def test_only_given_sources_are_ever_cited(text: str, size: int) -> None:
    assert set(shown(text, size)[1]) <= {*PAGES}
