"""The pages that answers cite, and charts that the server draws."""

import re
from datetime import date

from app.web.console.charts import HEIGHT, Line, line_chart
from tests.web.console.browser import text_of
from tests.web.console.page_examples import OpenConsole


async def test_the_pages_that_answers_cite_are_a_part_of_reports(still_console: OpenConsole) -> None:
    path = f"/console/agents/{still_console.house.agent.id}/quality"
    html = await still_console.viewer.page(f"{path}?days=7")
    for words in ("Reports", "Pricing", "See what another threshold would do"):
        assert words in text_of(html)
    assert re.search(r'data-page="report" aria-current="page"', html)
    assert f'href="{path}"' in await still_console.viewer.page("/console/report")
    assert (await still_console.viewer.get(f"{path}?days=8")).status_code == 422


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
