"""Charts that the server draws, with their numbers as a table."""

from datetime import date

from app.web.console.line_chart import HEIGHT, Line, line_chart
from tests.web.console.browser import text_of
from tests.web.console.page_examples import OpenConsole


async def test_the_page_has_charts_and_their_numbers(still_console: OpenConsole) -> None:
    path = f"/console/agents/{still_console.house.agent.id}/quality"
    html = await still_console.viewer.page(f"{path}?days=7")
    assert html.count('<div class="chart" role="img"') == 3
    assert html.count('<th scope="row">202') == 7
    assert "Pricing" in text_of(html)
    assert "See what another threshold would do" in text_of(html)
    assert (await still_console.viewer.get(f"{path}?days=8")).status_code == 422


async def test_without_a_question_it_says_so_in_the_place_of_charts(console: OpenConsole) -> None:
    html = await console.stranger.page(f"/console/agents/{console.strangers_agent}/quality")
    assert "No questions in this range" in html
    assert '<div class="chart"' not in html
    assert "See what another threshold would do" in text_of(html)


def test_a_line_breaks_where_there_is_no_value() -> None:
    days = [date(2026, 1, number) for number in range(1, 6)]
    [line] = line_chart(days, Line("ms", [0, 10, None, 5, None])).lines
    assert len(line.paths) == 1
    assert line.paths[0].startswith(f"M0.0 {HEIGHT - 24:.1f} L")
    assert len(line.dots) == 1
    assert line.total == 15


def test_the_grid_ends_at_a_round_number() -> None:
    for most, top in ((0, 1), (3, 4), (24, 40), (51, 60), (101, 200), (1000, 1000)):
        assert line_chart([date(2026, 1, 1)], Line("", [most])).grid[-1][1] == top
