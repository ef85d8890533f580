"""An agent's file is looked at and applied in a browser, without a script as well."""

import pytest
from playwright.sync_api import Browser, expect

from tests.console.conftest import ServedConsole

_FILE = b"""settings: {tone: short}
saved_replies:
- {title: Back soon, text: "I am back in a minute."}
"""


@pytest.mark.parametrize("has_scripts", [True, False], ids=["with scripts", "without"])
def test_a_file_is_looked_at_before_it_is_applied(browser: Browser, served: ServedConsole, has_scripts: bool) -> None:
    context = browser.new_context(java_script_enabled=has_scripts)
    served.sign_in(context)
    page = context.new_page()
    agent = served.console.rooms.ids["agent_id"]
    page.goto(f"{served.base.rstrip('/')}/console/agents/{agent}/settings/file")
    tone = b"tone: curt" if has_scripts else b"tone: short"
    file = _FILE.replace(b"tone: short", tone)
    page.locator("#look_at_agent_file-file").set_input_files(
        {"name": "a.yaml", "mimeType": "application/yaml", "buffer": file}
    )
    page.get_by_role("button", name="Review changes").click()
    changes = page.get_by_role("region", name="Changes")
    expect(changes.get_by_role("row", name="Settings")).to_contain_text(tone.decode().removeprefix("tone: "))
    page.get_by_label("Publish, and give").check()
    page.get_by_role("button", name="Apply file").click()
    expect(page.get_by_role("status").filter(has_text="is live.")).to_be_visible()
    context.close()
