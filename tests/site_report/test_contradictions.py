"""One fact with two values on two pages is found; two facts, or two cases of one, are not."""

from itertools import chain

from app.core.chunk import Chunk
from app.site_report.ageing_facts import is_post, is_under_date
from app.site_report.contradictions import contradictions
from app.site_report.statements import statements
from tests.every_row import every_row
from tests.site_report.pages import HOST, demo_pages, page
from tests.site_report.planted import PLANTS, Plant, planted_pages

_FEWEST_FOUND = 11


def found(*pages: list[Chunk]) -> list[tuple[str, str]]:
    """The values that contradict each other."""
    return [(each.first.parts[1], each.second.parts[1]) for each in contradictions(statements(chain(*pages)))]


@every_row(
    ("one", "other", "values"),
    [
        ("The warranty covers all stations for 3 years.", "All stations: warranty covers 2 years.", ("3", "2")),
        ("Send any product back within 30 days.", "Any product: send it back within 14 days.", ("30", "14")),
        ("Repairs cost a flat €45, for 7 years.", "We repair it for a flat €55, for 7 years.", ("45", "55")),
        ("The wind head (NB-W1, €109) fits.", "Buy NB-W1: €119 each.", ("109", "119")),
        ("Visit our showroom daily until 18:30.", "Our showroom: visit it daily until 19:00.", ("18:30", "19:00")),
        ("Die Garantie gilt weltweit 24 Monate.", "Die Garantie gilt weltweit 36 Monate.", ("24", "36")),
        ("Call support on weekdays: +353 20 915 0123", "Support on weekdays: call +353 20 915 0124",
         ("+353 20 915 0123", "+353 20 915 0124")),
    ],
)  # fmt: skip
def test_one_fact_with_two_values(one: str, other: str, values: tuple[str, str]) -> None:
    assert found(page("/a", f"# Help\n\n{one}"), page("/b", f"# Facts\n\n{other}")) == [values]


@every_row(
    ("one", "other"),
    [
        ("The warranty covers all stations for 3 years.", "All stations: warranty covers three years."),
        ("The parcel warranty covers 2 weeks of delay.", "Parcel delay: warranty covers 14 days."),
        ("The Basic plan keeps your readings for 30 days.", "The Plus plan keeps your readings for 90 days."),
        ("Standard delivery inside Germany takes 2 days.", "Standard delivery inside Spain takes 5 days."),
        ("We do not deliver big parcels within 2 days.", "We deliver big parcels within 5 days."),
        ("If you pay yearly, big parcels cost €9.", "Big parcels cost €12."),
        ("Our fees range from £7,950 to £9,950 a course.", "Our fees range from £1,500 to £4,000 a course."),
        ("About 41,000 stations work in our network.", "In our network 41,352 stations work."),
        ("Teachers start with a salary of £32.9k.", "Teachers start with a salary of £32,916."),
        ("The forum presentations are from 2024.", "The forum presentations are from 2023."),
        ("Our agent needs version 2.4.1 to run.", "Our agent needs version 2.5.0 to run."),
        ("Write to billing@x.example with questions.", "Write to press@x.example with questions."),
    ],
    ids=[
        "spelt out", "another unit of time", "another plan", "another country", "denied", "on a condition", "a range",
        "in round figures", "in thousands", "years", "versions", "addresses of two departments",
    ],
)  # fmt: skip
def test_two_facts_or_one_value_in_two_forms(one: str, other: str) -> None:
    assert found(page("/a", f"# Help\n\n{one}"), page("/b", f"# Facts\n\n{other}")) == []


def test_two_values_that_one_page_states_together_are_two_cases() -> None:
    pages = [
        page("/a", "# Help\n\nA full battery lasts 60 days."),
        page("/b", "# Facts\n\nA full battery lasts 40 days."),
    ]
    assert found(*pages) == [("60", "40")]
    assert found(*pages, page("/c", "# Models\n\nA full battery lasts 60 days.\n\nA full battery lasts 40 days.")) == []


def test_a_sentence_with_a_value_of_its_own_on_every_page_is_filled_in() -> None:
    pages = [page(f"/{n}", f"# Sheet {n}\n\nPrintable version: PDF of {n + 2} pages") for n in range(4)]
    assert found(*pages) == []


def test_pages_that_differ_in_several_sentences_are_made_alike() -> None:
    def product(path: str, weight: int, range_: int) -> list[Chunk]:
        text = f"The station body weighs {weight} grams.\n\nThe radio signal reaches {range_} metres."
        return page(path, f"# Station\n\n{text}")

    assert found(product("/one", 740, 300), product("/one-wind", 860, 400)) == []
    assert found(product("/one", 740, 300), product("/one-wind", 860, 300)) == [("740", "860")]


def test_a_row_of_a_table_is_compared_by_its_first_cell_and_its_column() -> None:
    table = "| Part | Price |\n| --- | --- |\n| Wind head NB-W1 | €109 |\n| Pole NB-M1 | €34 |"
    assert found(page("/a", f"# Parts\n\n{table}"), page("/b", "# Poles\n\nThe pole NB-M1 (€39) is tall.")) == [
        ("34", "39")
    ]


def standing(pages: list[list[Chunk]]) -> list[Chunk]:
    return [chunk for each in pages if not is_post(each) for chunk in each if not is_under_date(chunk)]


def test_the_demonstration_site_contradicts_itself_nowhere() -> None:
    assert contradictions(statements(standing(demo_pages()))) == []


def test_of_planted_contradictions_more_than_half_are_found_and_nothing_else() -> None:
    right: set[Plant] = set()
    for plant in PLANTS:
        pairs = contradictions(statements(standing(planted_pages((plant,)))))
        assert all(is_of(plant, pair.first.page, pair.second.page) for pair in pairs)
        right |= {plant} if pairs else set()
    assert len(right) >= _FEWEST_FOUND


def is_of(plant: Plant, *pages: str) -> bool:
    return f"{HOST}{plant.path}" in pages
