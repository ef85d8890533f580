"""Agents, tokens and the audit log at the console."""

import re
from dataclasses import replace
from html import unescape
from pathlib import Path
from typing import Any

import pytest

from app.agents.agent import AgentConfig
from app.agents.agent_choices import OnDisconnect, ProofWanted
from app.agents.agents import Agents
from app.agents.pages.draft_changes import draft_changes
from app.agents.records import AgentRecords
from app.agents.retrieval_settings import RetrievalSettings
from app.agents.widget_settings import Fallback, Invitation, InvitationText, Theme, Translation
from app.core.actor import WRITE
from app.core.errors import NotFound, PublishGateFailed
from app.core.search_filter import SearchFilter
from app.core.setting import Setting, settings_of
from app.quality.publishing import Publishing
from app.workspaces.api_tokens import ApiTokens
from app.workspaces.operator import Role
from tests.web.console.browser import ConsoleBrowser, an_operator, text_of
from tests.web.console.page_examples import FORMS
from tests.web.house import House
from tests.web.request_bodies import A_CHANNEL

SETTINGS = dict(FORMS["save_settings"])


def settings_path(house: House) -> str:
    return f"/console/agents/{house.agent.id}/settings"


async def test_a_saved_form_is_the_draft_and_what_it_does_not_hold_stays(house: House) -> None:
    agents = house.parts.get(Agents)
    await agents.change_draft(
        house.actor,
        house.agent.id,
        lambda c: replace(c, retrieval=replace(c.retrieval, page_boost=0.3)),
    )
    browser = await an_operator(house, Role.EDITOR)
    looks = {
        "theme_primary_color": "#aa0000",
        "theme_launcher_icon": "spark",
        "theme_opens_itself": "true",
        "theme_opens_wide": "on",
    }
    fields = {
        **SETTINGS,
        **looks,
        "on_disconnect": "stop",
        "proof_of_work": "always",
        "starter_prompts": "One?\r\n\r\n Two? ",
    }
    assert "Draft saved" in await browser.flash(await browser.post(settings_path(house), fields))
    draft = (await agents.agent(house.actor, house.agent.id)).draft
    assert (draft.max_answer_chars, draft.confidence_threshold, draft.retention_days) == (900, 0.5, 30)
    assert re.search(
        r'id="save_settings-confidence_threshold"[^>]* value="50"', await browser.page(settings_path(house))
    )
    assert draft.allowed_origins == ("https://www.example.com", "https://docs.example.com")
    assert (draft.starter_prompts, draft.theme.primary_color) == (("One?", "Two?"), "#aa0000")
    assert (draft.theme.launcher_icon, draft.theme.opens_itself, draft.theme.opens_wide) == ("spark", True, True)
    assert (draft.on_disconnect, draft.disconnect_grace_seconds) == (OnDisconnect.STOP, 10)
    assert draft.proof_of_work is ProofWanted.ALWAYS
    assert (draft.persona, draft.daily_tokens, draft.retrieval.page_boost) == ("", None, 0.3)


@pytest.mark.parametrize("path", ["", "/search"])
async def test_a_viewer_sees_settings_as_values_and_no_field_to_type_in(house: House, path: str) -> None:
    draft = await house.parts.get(Agents).change_draft(
        house.actor, house.agent.id, lambda c: replace(c, persona="A gardener <b>.", avoid_topics=("one", "two"))
    )
    editor = await (await an_operator(house, Role.EDITOR)).page(settings_path(house) + path)
    viewer = await (await an_operator(house, Role.VIEWER)).page(settings_path(house) + path)
    fields = re.compile(r'<(?:input|textarea|select) id="save_(?:search_)?settings-')
    assert len(fields.findall(editor)) > 20
    assert fields.findall(viewer) == []
    labels = re.compile(r"<dt>([^<]+)</dt><dd")
    told = set(labels.findall(viewer))
    named = re.findall(r'<label for="save_(?:search_)?settings-[^"]+">([^<]+?)(?:&nbsp;)?<', editor)
    assert told >= set(named)
    if not path:
        assert '<dd dir="auto">A gardener &lt;b&gt;.</dd>' in viewer
        assert "one\ntwo" in viewer
        assert f'<dd dir="auto">{draft.draft.name}</dd>' in viewer


async def test_a_wrong_setting_is_named_beside_its_field_and_nothing_is_saved(house: House) -> None:
    browser = await an_operator(house)
    for name, value in {
        "max_answer_chars": "many",
        "confidence_threshold": "150",
        "allowed_origins": "example.com",
        "theme_primary_color": "red",
        "language": "english",
    }.items():
        response = await browser.post(settings_path(house), {**SETTINGS, "persona": "A sailor.", name: value})
        assert response.status_code == 422, name
        assert re.search(rf'id="save_settings-{name}-wrong">[^<]', response.text), name
        assert "A sailor.</textarea>" in response.text
    assert (await house.parts.get(Agents).agent(house.actor, house.agent.id)).draft.persona != "A sailor."


async def test_the_address_of_the_preview_is_listed_by_a_button_and_published(house: House, tmp_path: Path) -> None:
    (tmp_path / "widget.js").write_text("var one = 1;\n")  # where the house has its widget
    editor, path = await an_operator(house, Role.EDITOR), f"{settings_path(house)}/embed"
    assert "Add to draft" in await editor.page(path)
    assert "Add to draft" not in await (await an_operator(house, Role.VIEWER)).page(path)
    assert "added to the draft" in await editor.flash(await editor.post(path))
    await editor.post(path)  # the same again changes nothing
    agents = house.parts.get(Agents)
    websites = (await agents.agent(house.actor, house.agent.id)).draft.allowed_origins
    assert websites.count("https://api.test") == 1
    assert "which lists" in text_of(await editor.page(path))
    await editor.post(f"{settings_path(house)}/publish")
    assert "To try the widget here" not in await editor.page(path)


async def test_publishing_shows_what_changes_and_one_may_go_back(house: House) -> None:
    browser, path = await an_operator(house), settings_path(house)
    same = text_of(await browser.page(f"{path}/versions"))
    assert "The draft is the same as the published version 1." in same
    assert "Publish draft" not in same, "there is nothing to publish"
    await browser.post(path, {**SETTINGS, "tone": "terse", "publish_gate": "off"})
    changed = text_of(await browser.page(f"{path}/versions"))
    for words in (
        "Tone of the chat model friendly and plain terse",
        "Threshold, in percent 25% 50%",
        "Before publishing Run golden questions and warn about losses Do not run golden questions",
        "Websites https://www.example.com https://www.example.com, https://docs.example.com",
    ):
        assert words in changed
    assert "Publish draft" in changed
    published = await browser.post(f"{path}/publish", {"note": "Shorter."})
    assert await browser.flash(published) == "Version 2 is live."
    assert re.search(r"2 live just now admin@example.com Shorter\.", text_of(await browser.page(f"{path}/versions")))
    back = await browser.post(f"{path}/back", {"number": "1"})
    assert await browser.flash(back) == "Version 3 is live: the settings of 1."
    assert "Settings of version 1." in await browser.page(f"{path}/versions")
    with house.record.reading() as tx:
        assert AgentRecords(tx).live(house.agent.id).config.tone == "friendly and plain"
    unknown = await browser.post(f"{path}/back", {"number": "99"})
    assert (unknown.status_code, "This agent has no such version." in text_of(unknown.text)) == (422, True)


def _another(name: str, value: Any, declared: Setting) -> Any:
    if name == "time_zone":
        return "Europe/Berlin"
    if isinstance(value, bool):
        return not value
    if declared.words:
        return next(choice for choice in declared.words if choice != value)
    if declared.between:
        return next(limit for limit in declared.between if limit != value)
    return ("x",) if isinstance(value, tuple) else "x"


def _all_changed(settings: Any) -> Any:
    changed = {
        name: _another(name, getattr(settings, name), each) for name, each in settings_of(type(settings)).items()
    }
    return replace(settings, **changed)


async def test_each_change_of_a_draft_has_the_label_of_a_field_and_leads_to_it(house: House) -> None:
    before = AgentConfig("Docs")
    after = replace(
        _all_changed(before),
        theme=replace(_all_changed(before.theme), picture="x"),
        fallback=_all_changed(before.fallback),
        retrieval=replace(_all_changed(before.retrieval), filter=SearchFilter(languages=("en",))),
        translations=(Translation("de", "Hallo"),),
        invitations=(Invitation("returns", "Send it back?"),),
    )
    changes, browser = draft_changes(before, after), await an_operator(house)
    assert len(changes) == sum(map(len, map(settings_of, (AgentConfig, Theme, Fallback, RetrievalSettings)))) + 4
    folders = {
        "agent_settings": "",
        "search_settings": "/search",
        "translations": "/languages",
        "invitations": "/invitations",
    }
    shown = {name: await browser.page(settings_path(house) + folder) for name, folder in folders.items()}
    for each in changes:
        assert not each.at or f'id="{each.at}"' in shown[each.page], each
        assert each.at in ("", "picture", "page-filter") or each.label in unescape(shown[each.page]), each


async def test_an_earlier_version_that_the_gate_refuses_is_published_all_the_same_by_a_second_click(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def losing(self: Publishing, *_: object, force: bool) -> None:
        raise NotFound("agent") if force else PublishGateFailed("Version 1 loses golden questions.")

    browser, path = await an_operator(house), settings_path(house)
    await browser.post(path, {**SETTINGS, "tone": "terse", "publish_gate": "off"})
    await browser.post(f"{path}/publish")
    monkeypatch.setattr(Publishing, "roll_back", losing)
    refused = await browser.post(f"{path}/back", {"number": "1"})
    text = text_of(refused.text)
    assert (refused.status_code, "Version 1 loses" in text, "Go back to version 1 anyway" in text) == (
        422,
        True,
        True,
    )
    again = await browser.post(f"{path}/back", {"number": "1", "force": "true"})
    assert again.status_code == 404


async def test_the_tag_wears_the_theme_of_what_visitors_get(house: House, tmp_path: Path) -> None:
    (tmp_path / "widget.js").write_text("var one = 1;\n")
    browser, path = await an_operator(house), settings_path(house)
    looks = {"theme_primary_color": "#ffd400", "theme_position": "left", "theme_launcher_label": "Ask us"}
    await browser.post(path, {**SETTINGS, **looks, "publish_gate": "off"})
    worn = 'data-color="#ffd400" data-position="left" data-label="Ask us"></script>'
    assert worn not in text_of(await browser.page(f"{path}/embed")), "a draft"
    await browser.post(f"{path}/publish")
    assert text_of(await browser.page(f"{path}/embed")).count(worn) == 2, "plain and pinned"


async def test_the_tag_names_this_server_and_the_agent(house: House, tmp_path: Path) -> None:
    (tmp_path / "widget.js").write_text("var one = 1;\n")  # where the house has its widget
    text = text_of(await (await an_operator(house)).page(f"{settings_path(house)}/embed"))
    assert f'src="https://api.test/widget/widget.js" data-agent="{house.agent.id}"' in text
    assert re.search(r'integrity="sha384-[\w+/=]{64}" crossorigin="anonymous"', text)
    assert "add https://api.test to the agent's websites" in text


async def test_a_token_is_shown_once_and_works_until_it_is_revoked(house: House) -> None:
    browser = await an_operator(house)
    made = await browser.post("/console/tokens", {"name": "deploy", "scopes": ["read"], "days": "7"})
    found = re.search(r'<pre id="token">(dct_\w+)</pre>', made.text)
    assert found is not None
    token = found[1]
    assert (await house.api("GET", "/v1/agents", token=token)).status_code == 200
    assert (await house.api("GET", "/v1/operators", token=token)).status_code == 403
    listed = await browser.page("/console/tokens")
    assert token not in listed
    [path] = re.findall(
        r'action="(/console/tokens/[0-9a-f-]+/revoke)"[^>]*>(?:(?!</form>).)*Revoke deploy', listed, re.S
    )
    assert "calls are now refused" in await browser.flash(await browser.post(path))
    assert (await house.api("GET", "/v1/agents", token=token)).status_code == 401


async def test_a_token_needs_something_that_it_may_do(house: House) -> None:
    response = await (await an_operator(house)).post("/console/tokens", {"name": "deploy"})
    assert (response.status_code, response.text.count("Choose from: read, write, manage, ask, propose.")) == (422, 1)
    assert (
        '<fieldset class="ticks" aria-describedby="issue_token-scopes-wrong " tabindex="-1" autofocus>' in response.text
    )


async def test_the_log_names_the_operator_by_e_mail_and_is_narrowed(house: House) -> None:
    browser: ConsoleBrowser = await an_operator(house)
    await browser.post(settings_path(house), SETTINGS)
    page = text_of(await browser.page("/console/audit?actor=admin%40example.com&action=agent"))
    assert "admin@example.com Draft changed agent.edit" in page
    assert "operator.sign_in" not in page
    assert "operator.sign_in" in text_of(await browser.page("/console/audit"))
    assert "No change matches these filters." in text_of(await browser.page("/console/audit?actor=nobody"))


async def test_the_log_is_narrowed_by_kinds_of_change_in_peoples_words(house: House) -> None:
    browser: ConsoleBrowser = await an_operator(house)
    await browser.post(settings_path(house), SETTINGS)
    page = await browser.page("/console/audit?action=operator.")
    assert '<option value="operator." selected>Operators: all</option>' in page
    assert ">Signed in<span" in page
    assert ">Draft changed<span" not in page
    page = await browser.page("/console/audit?action=operator.sign_in")
    assert '<option value="operator.sign_in" selected>Signed in</option>' in page
    page = await browser.page("/console/audit?action=oper")
    assert '<option value="oper" selected>oper</option>' in page, "what an older address asks for stays"
    [entry] = (await house.api("GET", "/v1/audit?action=agent.edit")).json()["items"]
    assert entry["action_name"] == "Draft changed"


async def test_the_log_names_what_was_changed_as_people_call_it_now(house: House) -> None:
    browser: ConsoleBrowser = await an_operator(house)
    answers = f"/v1/agents/{house.agent.id}/curated-answers"
    written = {"trigger": "phrase", "pattern": "opening hours", "answer": "From 9 to 17."}
    kept = (await house.api("POST", answers, written)).json()["id"]
    gone = (await house.api("POST", answers, {**written, "pattern": "=cmd()"})).json()["id"]
    named = (await house.api("GET", "/v1/audit?action=curated_answer.create")).json()["items"]
    assert [(each["subject"], each["subject_name"]) for each in named] == [(gone, "=cmd()"), (kept, "opening hours")]
    assert ",'=cmd()," in (await browser.get("/console/audit/export")).text  # no cell begins a formula
    await house.api("DELETE", f"{answers}/{gone}")
    page = text_of(await browser.page("/console/audit?action=curated_answer"))
    assert "curated_answer.create opening hours agent: Docs" in page
    assert f"curated_answer.delete …{gone[-8:]} agent: Docs" in page
    channel = {"name": "#support", "url": A_CHANNEL, "events": ["gap.grown"]}
    assert (await house.api("POST", "/v1/notice-channels", channel)).status_code == 201
    assert "notice_channel.create #support" in text_of(await browser.page("/console/audit"))


async def test_the_log_tells_an_operator_from_a_token_of_their_name(house: House) -> None:
    browser: ConsoleBrowser = await an_operator(house)
    await browser.post(settings_path(house), SETTINGS)
    named = await house.parts.get(ApiTokens).issue(house.actor, "admin@example.com", (WRITE,))
    change = await house.api("PATCH", f"/v1/agents/{house.agent.id}", {"tone": "dry"}, named.token)
    assert change.status_code == 200
    page = await browser.page("/console/audit?action=agent.edit")
    assert text_of(page).count("admin@example.com Draft changed") == 1
    assert f"admin@example.com API token …{str(named.record.id)[-8:]} Draft changed" in text_of(page)
    assert f'href="/console/audit?actor={named.record.id}"' in page
    by_token = text_of(await browser.page(f"/console/audit?action=agent.edit&actor={named.record.id}"))
    assert by_token.count("Draft changed agent.edit") == 1
    told = (await house.api("GET", "/v1/audit?action=agent.edit")).json()["items"]
    assert [each["token_id"] for each in told] == [str(named.record.id), None]
    assert [each["operator_id"] is None for each in told] == [True, False]


async def test_the_log_is_narrowed_by_whole_days_and_exported(house: House) -> None:
    browser: ConsoleBrowser = await an_operator(house)  # on the 1st of January 2026
    await browser.post(settings_path(house), SETTINGS)
    shown = await browser.page("/console/audit?since=2026-01-01&until=2026-01-01&action=agent.edit")
    assert re.search("admin@example.com Draft changed agent.edit Docs changed: [a-z ,]+", text_of(shown))
    assert "/console/audit/export?action=agent.edit&amp;since=2026-01-01&amp;until=2026-01-01&amp;format=csv" in shown
    assert "No change matches these filters." in text_of(await browser.page("/console/audit?since=2026-01-02"))
    assert "No change matches these filters." in text_of(await browser.page("/console/audit?until=2025-12-31"))
    table = (await browser.get("/console/audit/export?action=agent.edit&since=2026-01-01")).text.splitlines()
    assert table[0] == "created_at,actor,action,subject,subject_name,details,action_name,operator_id,token_id"
    assert table[1].startswith(f"2026-01-01T12:00:00+00:00,admin@example.com,agent.edit,{house.agent.id},")
    told = (await house.api("GET", "/v1/audit/export?format=json&action=agent.edit&since=2026-01-01T00:00:00Z")).json()
    assert [each["actor"] for each in told] == ["admin@example.com"]


async def test_an_invitation_is_written_in_two_languages_replaced_and_deleted(house: House) -> None:
    browser = await an_operator(house, Role.EDITOR)
    path, languages = f"{settings_path(house)}/invitations", f"{settings_path(house)}/languages"

    async def draft() -> AgentConfig:
        return (await house.parts.get(Agents).agent(house.actor, house.agent.id)).draft

    assert "No invitations" in await browser.page(path)
    await browser.post(languages, {"language": "de", "greeting": "Hallo!"})
    for text in ("Too small?", "Send it back?"):
        given = {"name": "returns", "text": text, "question": "How?", "pages": "/shop/*\r\n/cart", "after_seconds": "5"}
        await browser.post(path, given)
    await browser.post(path, {"name": "sizes", "text": "Too large?"})
    returns = Invitation("returns", "Send it back?", "How?", ("/shop/*", "/cart"), 5)
    assert (await draft()).invitations == (returns, Invitation("sizes", "Too large?"))
    for text in ("Passt nicht?", "Passt es nicht?"):
        await browser.post(f"{path}/language", {"name": "returns", "language": "de", "text": text})
    await browser.post(languages, {"language": "de", "greeting": "Guten Tag!"})
    german = Translation("de", "Guten Tag!", invitations=(InvitationText("returns", "Passt es nicht?"),))
    assert (await draft()).translations == (german,), "a greeting leaves the invitations where they are"
    shown = text_of(await browser.page(path))
    assert "returns Send it back? Asks: How?" in shown
    opened = await browser.page(f"{path}?name=returns")
    assert 'name="text" type="text" value="Send it back?"' in opened, "it is there to be changed"
    assert "/shop/*\n/cart</textarea>" in opened
    assert "de Passt es nicht? How?" in shown
    await browser.post(f"{path}/delete", {"name": "returns"})
    assert (await draft()).invitations == (Invitation("sizes", "Too large?"),)
    assert (await draft()).translations == (Translation("de", "Guten Tag!"),)


@pytest.mark.parametrize(
    ("action", "form", "field", "told"),
    [
        ("", {"name": "Two words", "text": "Hi"}, "save_invitation-name", "lower-case letters"),
        ("", {"name": "a", "text": "Hi", "pages": "shop"}, "save_invitation-pages", "Begin each pattern"),
        ("", {"name": "a", "text": " "}, "save_invitation-text", ""),
        ("/language", {"name": "a", "language": "xyzzy", "text": "Hi"}, "save_invitation_text-language", ""),
    ],
    ids=["its name", "a pattern", "no text", "a language"],
)
async def test_what_is_wrong_with_an_invitation_is_said_beside_its_field(
    house: House, action: str, form: dict[str, str], field: str, told: str
) -> None:
    browser = await an_operator(house, Role.EDITOR)
    path = f"{settings_path(house)}/invitations"
    await browser.post(path, {"name": "a", "text": "Hi"})
    refused = await browser.post(path + action, form)
    assert refused.status_code == 422
    assert f'id="{field}-wrong"' in refused.text
    assert told in text_of(refused.text)


async def test_a_language_is_written_anew_refused_and_deleted(house: House) -> None:
    browser = await an_operator(house, Role.EDITOR)
    path = f"{settings_path(house)}/languages"
    for greeting in ("Hallo!", "Guten Tag!"):
        await browser.post(path, {"language": "de", "greeting": greeting, "starter_prompts": "Wann?\r\nWo?"})
    draft = (await house.parts.get(Agents).agent(house.actor, house.agent.id)).draft
    assert draft.translations == (Translation("de", "Guten Tag!", None, ("Wann?", "Wo?")),)
    refused = await browser.post(path, {"language": "fr", "ai_notice": "..."})
    assert refused.status_code == 422
    assert "Visitors are always told" in text_of(refused.text)
    await browser.post(f"{path}/delete", {"language": "de"})
    assert (await house.parts.get(Agents).agent(house.actor, house.agent.id)).draft.translations == ()
