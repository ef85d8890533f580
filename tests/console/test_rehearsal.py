"""What a rehearsal found is what one sees next."""

import pytest
from playwright.sync_api import Browser, expect

from tests.console.conftest import ServedConsole


@pytest.mark.parametrize("width", [1280, 375])
def test_what_a_rehearsal_found_is_in_view(browser: Browser, served: ServedConsole, width: int) -> None:
    context = browser.new_context(viewport={"width": width, "height": 720})
    served.sign_in(context)
    page = context.new_page()
    ids = served.console.rooms.ids
    page.goto(f"{served.base.rstrip('/')}/console/agents/{ids['agent_id']}/gaps/{ids['gap_id']}")
    page.locator("textarea[name=answer]").fill("Yes, to every address on the island.")
    page.get_by_role("button", name="Rehearse").click()
    found = page.get_by_role("region", name="Rehearsal: the last 30 days")
    expect(found.get_by_role("status")).to_be_in_viewport()
    expect(found).to_be_focused()
    context.close()
