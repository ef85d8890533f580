"""Reports in a real browser: any range with a form alone, and the operator's own time zone with a script."""

import re
from collections import Counter
from typing import Literal

import pytest
from playwright.sync_api import Browser, expect

from tests.console.conftest import ServedConsole

PATH = "/console/report"
# Where a chart, what is drawn in it, and the inside of its card end.
ENDS = """(chart) => {
  const end = (element) => element.getBoundingClientRect().right;
  const card = chart.closest('.card');
  const drawn = [...chart.querySelectorAll('.place, .grid')].map(end);
  return {
    plot: end(chart.lastElementChild),
    drawn: Math.max(...drawn),
    card: end(card) - parseFloat(getComputedStyle(card).paddingRight),
  };
}"""


def test_a_range_is_chosen_without_a_script(browser: Browser, served: ServedConsole) -> None:
    context = browser.new_context(java_script_enabled=False)
    served.sign_in(context)
    page = context.new_page()
    page.goto(served.base + PATH)
    page.get_by_label("From").fill("2025-12-01")
    page.get_by_label("To", exact=True).fill("2025-12-31")
    page.get_by_label("Time zone").fill("Asia/Kathmandu")
    page.get_by_role("button", name="Show").click()
    expect(page.get_by_text("Days and hours are in Asia/Kathmandu.")).to_be_visible()
    expect(
        page.get_by_text("2025-12-01 to 2025-12-31 (31 days), compared with 2025-10-31 to 2025-11-30.")
    ).to_be_visible()
    expect(page.get_by_role("link", name="Show in your")).to_have_count(0)
    context.close()


def test_the_browsers_own_time_zone_is_one_click_away(browser: Browser, served: ServedConsole) -> None:
    context = browser.new_context(timezone_id="Europe/Berlin")
    served.sign_in(context)
    page = context.new_page()
    page.goto(served.base + PATH)
    page.get_by_role("link", name="Show in your time zone, Europe/Berlin").click()
    expect(page).to_have_url(re.compile("zone=Europe%2FBerlin"))
    expect(page.get_by_text("Days and hours are in Europe/Berlin.")).to_be_visible()
    expect(page.get_by_role("link", name="Show in your")).to_have_count(0)
    context.close()


def test_a_file_is_of_what_is_shown(browser: Browser, served: ServedConsole) -> None:
    context = browser.new_context()
    served.sign_in(context)
    page = context.new_page()
    page.goto(f"{served.base}{PATH}?first=2025-12-01&last=2025-12-31")
    with page.expect_download() as download:
        page.get_by_role("link", name="CSV").click()
    assert download.value.suggested_filename == "report-2025-12-01-2025-12-31.csv"
    context.close()


@pytest.mark.parametrize("width", [390, 1440, 1920])
def test_charts_take_the_width_of_their_cards(width: int, browser: Browser, served: ServedConsole) -> None:
    context = browser.new_context(viewport={"width": width, "height": 900})
    served.sign_in(context)
    page = context.new_page()
    page.goto(f"{served.base}{PATH}")
    charts = page.locator(".chart")
    expect(charts).to_have_count(4)
    for chart in charts.all():
        ends = chart.evaluate(ENDS)
        assert ends["plot"] == pytest.approx(ends["card"], abs=2)
        assert ends["drawn"] == pytest.approx(ends["plot"], abs=4), "what is drawn ends there as well"
    context.close()


def test_what_figures_are_of_stays_in_sight_while_they_scroll(browser: Browser, served: ServedConsole) -> None:
    """And on a wide screen nothing has to: not even beside the menu of a small laptop."""
    context = browser.new_context(viewport={"width": 390, "height": 844})
    served.sign_in(context)
    page = context.new_page()
    page.goto(f"{served.base}{PATH}")
    pages = page.get_by_role("region", name="Pages visitors asked on, numbers")
    pages.scroll_into_view_if_needed()
    pages.evaluate("(table) => { table.scrollLeft = table.scrollWidth; }")
    assert pages.evaluate("(table) => table.scrollLeft") > 100
    expect(pages.locator("tbody th").first).to_be_in_viewport(ratio=1)
    page.set_viewport_size({"width": 1280, "height": 900})
    assert pages.evaluate("(table) => table.scrollWidth - table.clientWidth") == 0
    context.close()


def test_figures_stand_in_full_rows(browser: Browser, served: ServedConsole) -> None:
    context = browser.new_context()
    served.sign_in(context)
    page = context.new_page()
    page.goto(f"{served.base}{PATH}")
    tops = "(figures) => figures.map((figure) => Math.round(figure.getBoundingClientRect().top))"
    for width, rows in ((390, 3), (768, 2), (1024, 2), (1169, 1), (1440, 1)):
        page.set_viewport_size({"width": width, "height": 900})
        found = Counter(page.locator(".tiles .figure").evaluate_all(tops))
        assert list(found.values()) == [6 // rows] * rows, f"on a screen of {width}"
    context.close()


CONTRASTS = """() => {
  const light = (colour) => {
    const parts = colour.match(/[0-9.]+/g).slice(0, 3).map((part) => part / 255)
      .map((part) => (part <= 0.03928 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
    return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2];
  };
  const card = light(getComputedStyle(document.querySelector('.card')).backgroundColor);
  const keys = [...document.querySelectorAll('.legend.filled')][0].querySelectorAll('span');
  return [...keys].map((key) => light(getComputedStyle(key, '::before').backgroundColor))
    .map((key) => (Math.max(key, card) + 0.05) / (Math.min(key, card) + 0.05));
}"""


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_each_colour_of_a_chart_stands_out(
    scheme: Literal["light", "dark"], browser: Browser, served: ServedConsole
) -> None:
    """As WCAG 1.4.11 asks of what one must see, and axe does not measure."""
    context = browser.new_context(color_scheme=scheme)
    served.sign_in(context)
    page = context.new_page()
    page.goto(f"{served.base}{PATH}")
    contrasts = page.evaluate(CONTRASTS)
    assert len(contrasts) == 4
    assert min(contrasts) >= 3
    context.close()
