"""With a system's forced colours, what colour alone would show is shown otherwise."""

from typing import Literal

import pytest
from playwright.sync_api import Browser, Page

from tests.console.conftest import ServedConsole


def drawn(page: Page, selector: str) -> tuple[str, str, str, str]:
    """The colour, background, lower border and outline of the first element that matches."""
    return tuple(
        page.locator(selector).first.evaluate(
            """element => {
                const style = getComputedStyle(element);
                const border = style.borderBlockEndStyle === "none" ? "" : style.borderBlockEndColor;
                const outline = style.outlineStyle === "none" ? "" : style.outlineColor;
                return [style.color, style.backgroundColor, border, outline];
            }"""
        )
    )


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_what_is_current_or_primary_and_every_badge_can_be_told(
    browser: Browser, served: ServedConsole, scheme: Literal["light", "dark"]
) -> None:
    context = browser.new_context(forced_colors="active", color_scheme=scheme, viewport={"width": 1280, "height": 900})
    served.sign_in(context)
    page, agent = context.new_page(), f"{served.base}/console/agents/{served.console.rooms.ids['agent_id']}"
    page.goto(f"{agent}/gaps")
    ground = drawn(page, "body")[1]
    for kind in (".menu a", ".tabs a"):
        assert drawn(page, f"{kind}[aria-current]") != drawn(page, f"{kind}:not([aria-current])"), kind
    assert drawn(page, "tbody .badge")[2] not in ("", ground)
    page.goto(f"{agent}/help-desk")
    assert drawn(page, ".choices a[aria-current]") != drawn(page, ".choices a:not([aria-current])")
    page.goto(f"{agent}/settings")
    assert drawn(page, ".button:not(.quiet, .danger)") != drawn(page, ".button.quiet")
    context.close()
