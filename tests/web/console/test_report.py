"""Reports on the console and by API: the same figures, of any range, agent and time zone, and as a file."""

import csv
import io
from uuid import uuid4

import pytest

from app.web.console.charts import HEIGHT, Bars, bar_chart
from tests.doubles.visitors import visitor_of
from tests.store.sample_rows import ask
from tests.web.console.browser import text_of
from tests.web.console.page_examples import OpenConsole

PATH = "/console/report"


async def test_the_page_has_figures_charts_and_their_numbers(still_console: OpenConsole) -> None:
    html = await still_console.viewer.page(PATH)
    text = text_of(html)
    assert html.count('<div class="chart" role="img"') == 4
    tiles = html.partition("Answered without a person")[2]
    assert "Solved, say visitors" in text_of(tiles.partition("Not answered")[0]), (
        "the second figure stands beside the first"
    )
    assert "What the figures mean" in text
    assert "www.example.com/pricing" in text, "pages where it was asked"
    assert "28 days" in text
    assert html.count('<th scope="row" class="nowrap">20') == 28
    assert html.count(":00</th>") == 24


async def test_a_range_a_zone_and_an_agent_are_asked_for_in_the_address(still_console: OpenConsole) -> None:
    agent = still_console.house.agent.id
    html = await still_console.viewer.page(
        f"{PATH}?agent={agent}&first=2026-01-01&last=2026-03-31&zone=Europe%2FBerlin"
    )
    text = text_of(html)
    assert "Days and hours are in Europe/Berlin." in text
    assert "2026-01-01 to 2026-03-31 (90 days), compared with 2025-10-03 to 2025-12-31" in text
    assert "zone=Europe%2FBerlin&amp;first=2026-01-01&amp;last=2026-03-31" in html, "the file is of the same"


async def test_days_without_an_answer_tell_no_time(still_console: OpenConsole) -> None:
    html = await still_console.viewer.page(f"{PATH}?first=2026-01-01&last=2026-01-02")
    assert "95 of 100 within" not in text_of(html)


async def test_what_is_wrong_with_a_range_stands_beside_it(still_console: OpenConsole) -> None:
    for query, words in (
        ("zone=Mars", "is not a time zone"),
        ("first=2026-01-02&last=2026-01-01", "Choose a day on or after the first day"),
        ("first=2020-01-01&last=2026-01-01", "at most 731 days"),
    ):
        response = await still_console.viewer.get(f"{PATH}?{query}")
        assert response.status_code == 422
        assert words in text_of(response.text)
        assert 'aria-invalid="true"' in response.text


async def test_another_workspaces_agent_is_not_there(still_console: OpenConsole) -> None:
    for agent in (still_console.strangers_agent, str(uuid4())):
        for path in (PATH, f"{PATH}/export"):
            assert (await still_console.viewer.get(f"{path}?agent={agent}")).status_code == 404


async def test_page_file_and_api_say_the_same(still_console: OpenConsole) -> None:
    house = still_console.house
    session = await visitor_of(house.record, house.actor.workspace_id, house.agent.id)
    await ask(house.record, session, "Do you ship?", language="=de")
    told = (await house.api("GET", "/v1/report", token=house.read)).json()
    of_agent = (await house.api("GET", f"/v1/agents/{house.agent.id}/report", token=house.read)).json()
    assert of_agent["now"] == told["now"]
    assert told["now"]["counts"]["turns"] > 1
    response = await still_console.viewer.get(f"{PATH}/export")
    assert response.headers["content-disposition"].startswith('attachment; filename="report-20')
    assert response.text == (await house.api("GET", "/v1/report/export", token=house.read)).text
    rows = list(csv.DictReader(io.StringIO(response.text)))
    whole = next(row for row in rows if row["part"] == "whole")
    assert whole["questions"] == str(told["now"]["counts"]["turns"])
    assert whole["not_answered"] == str(told["now"]["counts"]["abstained"])
    assert whole["visitors"] == str(told["now"]["visitors"])
    assert {row["part"]: len([each for each in rows if each["part"] == row["part"]]) for row in rows}["hour"] == 24
    assert "'=de" in [row["name"] for row in rows if row["part"] == "language"], "no cell starts a formula"
    assert all(None not in row and None not in row.values() for row in rows), "each row has a cell in each column"
    text = text_of(await still_console.viewer.page(PATH))
    assert f"Questions {whole['questions']}" in text


def test_bars_stand_on_one_another() -> None:
    chart = bar_chart(["Mon", "Tue"], Bars("yes", [3, 0]), Bars("no", [1, 2]))
    assert [(bar.kind, bar.height) for bar in chart.bars] == [(1, 109.5), (2, 36.5), (2, 73.0)]
    first, above, _ = chart.bars
    assert above.y + above.height == pytest.approx(first.y)
    assert first.y + first.height == pytest.approx(HEIGHT - 24)
    assert [place.words for place in chart.places] == ["Mon: 3 yes, 1 no", "Tue: 0 yes, 2 no"]


def test_places_take_the_whole_width_whatever_it_is() -> None:
    chart = bar_chart([str(number) for number in range(24)], Bars("yes", [1] * 24))
    assert [chart.places[0].x, chart.places[-1].x + chart.place_width] == pytest.approx([0, 100], abs=0.05)
    middles = [bar.x + bar.width / 2 for bar in chart.bars]
    assert middles == pytest.approx([(number + 0.5) * 100 / 24 for number in range(24)], abs=0.02)


def test_names_stand_under_bars_as_far_as_there_is_room() -> None:
    names = [str(number) for number in range(62)]
    assert [place.name for place in bar_chart(names, Bars("", [0] * 62)).places if place.name] == names[::6]
    assert bar_chart(["one"], Bars("", [0])).grid == ((156.0, 0), (10.0, 1))
