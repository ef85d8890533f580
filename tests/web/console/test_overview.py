"""The console's first page after the sign-in."""

import re
from html import unescape

from app.core.turn import GapState
from app.gaps.gaps import Gaps
from tests.web.console.browser import text_of
from tests.web.console.page_examples import OpenConsole
from tests.web.console.test_gaps import asked_in_vain


async def test_a_sign_in_begins_with_what_waits_and_the_figures(console: OpenConsole) -> None:
    await console.visitor_asks_for_a_person()
    html = await console.viewer.page("/console")
    shown = text_of(html)
    assert "Needs attention" in shown
    assert f"/console/live/{console.rooms.ids['conversation_id']}" in html
    for figure in ("Questions", "Answered", "Not answered", "Handed over", "Solved, say visitors"):
        assert f">{figure}</" in html.partition("The last 7 days")[2]
    assert "Growing gaps" in shown
    assert "Docs, version" in shown


async def test_a_figure_of_the_only_agent_leads_to_what_it_counts(console: OpenConsole) -> None:
    for path in ("/console", "/console/report"):
        html = await console.viewer.page(path)
        [address] = re.findall(r'<h3><a href="([^"]+)">Not answered</a>', html)
        listed = await console.viewer.page(unescape(address))
        assert listed.count('class="inbox-question"') == 4, "one of them was handed over since"
    thumbs = re.findall(r'<h3><a href="([^"]+)">Not solved', await console.viewer.page("/console"))
    assert "Nothing found" in await console.viewer.page(unescape(thumbs[0]))


async def test_it_leads_to_gaps_that_grow_as_long_as_they_are_open(console: OpenConsole) -> None:
    gap_id = console.rooms.ids["gap_id"]
    path = f"/console/agents/{console.house.agent.id}/gaps/{gap_id}"
    gaps = console.house.parts.get(Gaps)
    await gaps.reopen(console.house.actor, gap_id)
    assert (await gaps.gap(console.house.actor, gap_id)).state is GapState.OPEN
    growing = (await console.viewer.page("/console")).partition("Growing gaps")[2].partition("What changed")[0]
    assert path in growing
    await gaps.ignore(console.house.actor, gap_id, "not ours")
    growing = (await console.viewer.page("/console")).partition("Growing gaps")[2].partition("What changed")[0]
    assert path not in growing


async def test_a_deletion_that_no_worker_could_finish_is_shown_and_tried_again(console: OpenConsole) -> None:
    deletion_id = console.rooms.ids["deletion_id"]
    receipt = f"/console/deletions/{deletion_id}"
    assert receipt not in await console.editor.page("/console")
    console.house.clock.advance(2 * 3600)
    await console.editor.sign_in("editor@example.com")
    html = await console.editor.page("/console")
    assert "some files could not be cleared yet" in text_of(html)
    assert receipt in html
    assert f"{receipt}/finish" in await console.editor.page(receipt)
    tried = await console.editor.post(f"{receipt}/finish")
    assert "A worker is finishing the deletion" in text_of(await console.editor.page(tried.headers["location"]))


async def test_who_waits_is_told_from_who_has_waited_too_long(console: OpenConsole) -> None:
    await console.visitor_asks_for_a_person()
    shown = text_of(await console.editor.page("/console"))
    assert "waiting Sent a picture Docs, asked for a person" in shown
    console.house.clock.advance(121)
    assert "overdue Sent a picture" in text_of(await console.editor.page("/console"))


async def test_another_workspace_begins_with_nothing_of_this_one(console: OpenConsole) -> None:
    await console.visitor_asks_for_a_person()
    shown = text_of(await console.stranger.page("/console"))
    assert "All clear." in shown
    assert "Docs" not in shown


GROUPS = re.compile(r'<details class="menu"( open)?>\s*<summary>(.*?)</summary>(.*?)</details>', re.DOTALL)


def menu_of(html: str) -> dict[str, tuple[bool, list[str]]]:
    """The entries by the name of their group, and whether that is open."""
    return {
        text_of(name): (bool(is_open), re.findall(r'data-page="(\w+)"', entries))
        for is_open, name, entries in GROUPS.findall(html)
    }


async def test_the_menu_has_four_named_groups_of_which_those_for_seldom_changes_are_folded(
    still_console: OpenConsole,
) -> None:
    assert menu_of(await still_console.admin.page("/console")) == {
        "Work": (True, ["home", "live", "gaps", "conversations", "leads", "report"]),
        "Knowledge": (True, ["sources", "curated_answers", "golden", "playground"]),
        "Set-up": (False, ["agent_settings", "actions", "help_desk", "mailbox", "messengers", "webhooks", "new_agent"]),
        "Workspace": (False, ["notices", "operators", "tokens", "audit", "workspaces", "chat_models"]),
    }
    assert menu_of(await still_console.admin.page("/console/audit"))["Workspace"][0], "the page is in it"
    assert menu_of(await still_console.viewer.page("/console"))["Workspace"] == (False, ["notices"])


async def test_the_menu_counts_what_waits(console: OpenConsole) -> None:
    await asked_in_vain(console.house, "Do you ship to Malta?")
    path = f"/console/agents/{console.house.agent.id}"
    shown = await console.viewer.page(f"{path}/gaps")
    entries = dict(re.findall(r'data-page="(\w+)"[^>]*>.*?<span>[^<]*</span>(.*?)</a>', shown, re.DOTALL))
    waiting = {name: text_of(count) for name, count in entries.items() if count.strip()}
    assert waiting == {"gaps": "2 to do", "leads": "1 to do", "sources": "1 to do"}
    assert "Stale answers 1 open" in text_of(shown)
    assert "Quarantine 1 to review" in text_of(await console.viewer.page(f"{path}/sources"))
    assert "waiting" not in text_of("".join(GROUPS.findall(await console.stranger.page("/console"))[0]))


async def test_search_finds_settings_by_label_or_meaning_and_what_can_be_done(still_console: OpenConsole) -> None:
    agent = f"/console/agents/{still_console.house.agent.id}"
    for words, address in (
        ("greeting", f"{agent}/settings#save_settings-theme_greeting"),
        ("colour", f"{agent}/settings#save_settings-theme_primary_color"),
        ("EU AI Act", f"{agent}/settings#save_settings-ai_notice"),
        ("leave a message", f"{agent}/settings#save_settings-fallback_form-true"),
        ("publish", f"{agent}/settings/versions"),
        ("deploy", f"{agent}/settings/versions"),
        ("crawl", f"{agent}/sources#website"),
    ):
        shown = await still_console.editor.get(f"{agent}/find?q={words.replace(' ', '+')}")
        assert f'<a href="{address}"' in shown.text.partition('id="found"')[2], words
    viewers = await still_console.viewer.page(f"{agent}/find?q=publish")
    assert "Publish draft" not in viewers.partition('id="found"')[2], "nothing that they may not do"
