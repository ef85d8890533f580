"""Who the visitor is: an anonymous browser, or a person whom the website has signed."""

import re

from playwright.sync_api import Page, expect

from tests.doubles.scripted_widget_api import Hold, Refuse, done, tokens
from tests.e2e.chat import Chat
from tests.e2e.conftest import Site

QUESTION = "How long do returns take?"
ANSWER = [*tokens("You have 30 days."), done()]


def test_a_signed_user_is_told_to_the_server_and_leaves_no_name_behind(page: Page, site: Site) -> None:
    chat = Chat.opened(page, site)
    chat.launcher.wait_for(state="attached")
    # Else the first visit's /init may be the one that answers below.
    page.wait_for_function("'anonymous_id' in JSON.parse(localStorage['docent:a1'] ?? '{}')")
    with page.expect_response(re.compile("/init$")):
        page.evaluate(
            "Docent.identify({ userId: 'ann', hash: 'abc' }); Docent.identify({ userId: 'ann', hash: 'abc' })"
        )
    asked = [call.body for call in site.api.calls_to("/init")]
    assert [(body.get("user_id"), body.get("user_hash"), body.get("anon_id")) for body in asked[1:]] == [
        ("ann", "abc", None)
    ]
    with page.expect_response(re.compile("/init$")):
        page.evaluate("Docent.reset()")
    last = site.api.calls_to("/init")[-1].body
    assert not {"user_id", "user_hash", "anon_id"} & set(last)


def test_a_page_that_names_its_visitor_before_the_script_is_there_is_heard(page: Page, site: Site) -> None:
    call = "<script>(window.Docent = window.Docent || []).push(['identify', { userId: 'ann', hash: 'abc' }])</script>"
    site.write(body=call)
    chat = Chat.visit(page, site)
    assert page.evaluate("localStorage.length") == 0
    assert site.api.calls == []
    chat.launcher.click()
    expect(chat.log).to_contain_text("Hello!")
    assert site.api.calls[0].body["user_id"] == "ann"


def test_a_fresh_signature_of_the_same_visitor_draws_nothing_anew(page: Page, site: Site) -> None:
    site.api.script[QUESTION] = [*tokens("You have "), Hold(), *tokens("30 days."), done()]
    site.api.agent |= {"starter_prompts": ["What does it cost?"]}
    chat = Chat.visit(page, site)
    page.evaluate("void Docent.identify({ userId: 'ann', hash: 'first' })")
    chat.launcher.click()
    expect(chat.log).to_contain_text("Hello!")
    chat.ask(QUESTION)
    expect(chat.answer).to_have_text("You have")
    chat.input.fill("And ")
    watch = """() => {
      window.changes = 0;
      const log = document.querySelector('docent-widget').shadowRoot.querySelector('.log');
      new MutationObserver((records) => (changes += records.length)).observe(log, { childList: true, subtree: true });
    }"""
    page.evaluate(watch)
    page.evaluate("Docent.identify({ userId: 'ann', hash: 'second' })")
    page.evaluate("new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))")
    assert page.evaluate("window.changes") == 0
    expect(chat.input).to_be_focused()
    expect(chat.input).to_have_value("And ")
    site.api.release()
    chat.finish()
    expect(chat.answer).to_have_text("You have 30 days.")
    inits = [(call.body.get("user_hash"), call.body.get("conversation_id")) for call in site.api.calls_to("/init")]
    assert inits == [("first", None), ("second", "conversation")]
    assert len(site.api.calls_to("/stream")) == 1


def test_a_fresh_signature_that_is_refused_is_told(page: Page, site: Site) -> None:
    chat = Chat.visit(page, site)
    page.evaluate("void Docent.identify({ userId: 'ann', hash: 'first' })")
    chat.launcher.click()
    expect(chat.log).to_contain_text("Hello!")
    site.api.refuse_init = Refuse(401, "unauthorized")
    refused = "Docent.identify({ userId: 'ann', hash: 'second' }).catch((error) => error.code)"
    assert page.evaluate(refused) == "unauthorized"
    expect(chat.log).to_contain_text("This chat is not available here.")
    site.api.refuse_init = None
    page.evaluate("Docent.identify({ userId: 'ann', hash: 'third' })")
    expect(chat.log).to_contain_text("Hello!")


def test_a_refused_signature_is_told_to_the_developer(page: Page, site: Site) -> None:
    site.api.refuse_init = Refuse(401, "unauthorized")
    told: list[str] = []
    page.on("console", lambda message: told.append(message.text))
    chat = Chat.visit(page, site)
    page.evaluate("void Docent.identify({ userId: 'ann', hash: 'wrong' })")
    chat.launcher.click()
    expect(chat.log).to_contain_text("This chat is not available here.")
    expect(chat.retry).to_have_count(0)
    assert "Docent: Refused." in told


def test_a_reset_leaves_nothing_for_the_next_person(page: Page, site: Site) -> None:
    site.api.script[QUESTION] = ANSWER
    chat = Chat.opened(page, site)
    chat.ask(QUESTION)
    chat.finish()
    page.evaluate("Docent.close(); Docent.reset()")
    assert page.evaluate("localStorage.length") == 0
    chat.launcher.click()
    expect(chat.log).to_contain_text("Hello!")
    expect(chat.questions).to_have_count(0)
    assert "anon_id" not in site.api.calls_to("/init")[1].body


def test_what_the_website_knows_of_a_visitor_is_told_and_told_anew(page: Page, site: Site) -> None:
    site.api.script[QUESTION] = ANSWER
    call = "['update', { attributes: { plan: 'free' }, signedAttributes: '{}', attributesHash: 'abc' }]"
    site.write(head=f"<script>(window.Docent = window.Docent || []).push({call})</script>")
    chat = Chat.visit(page, site)
    assert site.api.calls == []
    chat.launcher.click()
    expect(chat.log).to_contain_text("Hello!")
    page.evaluate("Docent.update({ attributes: { plan: 'pro' } })")
    chat.ask(QUESTION)
    chat.finish()
    told = [call.body for call in site.api.calls_to("/init")]
    assert [(each["attributes"]["plan"], each["signed_attributes"], each["attributes_hash"]) for each in told] == [
        ("free", "{}", "abc"),
        ("pro", "{}", "abc"),
    ]
    assert told[1]["conversation_id"] == "conversation"
