"""A visitor, the demonstration site, and Docent's real processes: nothing between them is scripted."""

import re

import pytest
from playwright.sync_api import Browser, Page, expect

from app.agents.pages.embed_tag import pinned_embed_tag
from app.agents.signed_user import user_signature
from app.web.widget_script import BuiltFile, built_widget
from tests.doubles.fake_openai import Pause, Say, Stall, Tear
from tests.e2e.chat import Chat
from tests.e2e.cutting_proxy import CuttingProxy
from tests.e2e.real_docent import PERSON, UNANSWERABLE, WARRANTY, RealDocent

WORDS_OF = {"en": "Ask a question", "ar": "اطرح سؤالاً", "ja": "質問を入力"}


def talk(page: Page, docent: RealDocent, question: str, path: str = "/") -> Chat:
    """Opens the chat on the demonstration site, asks, and waits for the whole answer."""
    chat = Chat.opened(page, docent.demo.base + path)
    chat.ask(question)
    chat.finish()
    return chat


def test_nothing_is_asked_of_the_server_before_the_first_opening(page: Page, docent: RealDocent) -> None:
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    chat = Chat.visit(page, docent.demo.base)
    page.wait_for_load_state("networkidle")
    assert [url for url in asked if url.startswith(docent.base)] == [f"{docent.base}/widget/widget.js"]
    assert page.evaluate("localStorage.length + sessionStorage.length + document.cookie.length") == 0
    chat.launcher.click()
    expect(chat.log).to_contain_text("Ask me anything about Nimbrel")
    assert [url for url in asked if url.startswith(f"{docent.base}/v1")] == [f"{docent.base}/v1/widget/init"]


def test_an_answer_quotes_the_site_and_its_numbers_lead_to_the_words(page: Page, docent: RealDocent) -> None:
    chat = talk(page, docent, WARRANTY)
    expect(chat.questions).to_have_count(1)
    expect(chat.answer).to_contain_text("3 years")
    assert "unsure" not in (chat.answers.last.get_attribute("class") or "")
    numbers = chat.answer.locator("a.cite")  # a quotation may have links of the page as well
    assert numbers.count() >= 1
    for place in (numbers.first, chat.answers.last.locator(".source").first):
        with page.expect_popup() as opened:
            place.click()
        section = opened.value
        section.wait_for_load_state()
        assert section.url.startswith(docent.demo.base)
        quoted = re.split(r"[\n\t]", place.get_attribute("title") or "")
        words = next(line for line in quoted if len(line) >= 12)
        expect(section.locator("main").get_by_text(words).last).to_be_in_viewport()
        section.close()
    chat.answers.last.locator(".rest button").click()
    expect(chat.answers.last.locator(".source").first).to_contain_text("as of")


def test_a_starter_prompt_of_the_agent_asks_itself(page: Page, docent: RealDocent) -> None:
    chat = Chat.opened(page, docent.demo.base)
    page.get_by_role("button", name="What does the Plus plan cost?").click()
    chat.finish()
    expect(chat.questions).to_have_text("You asked: What does the Plus plan cost?")
    expect(chat.answer).to_contain_text("€")


def test_a_model_s_words_are_seen_while_it_still_writes(page: Page, docent: RealDocent) -> None:
    docent.provider.plays(Pause(["It is ", "**3 years, "], ["new** [1]."]))
    docent.embed(docent.model_base)
    chat = Chat.opened(page, docent.demo.base)
    chat.ask(WARRANTY)
    expect(chat.answer).to_have_text("It is 3 years,")
    expect(chat.stop).to_be_visible()
    docent.provider.go_on()
    chat.finish()
    expect(chat.answer).to_have_text("It is 3 years, new. 1")
    expect(chat.answer.locator("strong")).to_have_text("3 years, new")


def test_an_answer_that_the_operator_wrote_comes_word_for_word(page: Page, docent: RealDocent) -> None:
    chat = talk(page, docent, PERSON)
    expect(chat.answer).to_contain_text("Call +353 20 915 0123, Monday to Friday from 10:00 to 16:00 Irish time")
    expect(chat.answers.last.locator(".source")).to_have_count(0)


def test_a_question_without_an_answer_looks_so_and_becomes_a_gap(page: Page, docent: RealDocent) -> None:
    chat = Chat.opened(page, docent.demo.base)
    page.evaluate("() => { Docent.on('gap', (gap) => (window.gap = gap.message)) }")
    chat.ask(UNANSWERABLE)
    chat.finish()
    expect(chat.answers.last).to_have_class(re.compile("unsure"))
    expect(chat.answers.last).to_contain_text("I found no exact answer.")
    page.wait_for_function("window.gap")
    assert page.evaluate("window.gap") == UNANSWERABLE
    assert UNANSWERABLE in docent.gaps()


def test_small_talk_is_answered_as_such(page: Page, docent: RealDocent) -> None:
    chat = Chat.opened(page, docent.demo.base)
    chat.ask("Hi")
    expect(chat.answer).to_contain_text(re.compile(r"\w"))
    expect(chat.answers.last.locator(".status")).to_have_count(0)
    for beside in (".doubt", ".ways", ".sources", ".actions"):
        expect(chat.answers.last.locator(beside)).to_have_count(0)


def test_a_thumb_and_its_reason_are_kept(page: Page, docent: RealDocent) -> None:
    chat = talk(page, docent, "How do I return a station?")
    with page.expect_response(re.compile("/feedback$")) as rated:
        page.get_by_role("button", name="Not helpful").click()
    assert rated.value.status == 204
    reason = page.get_by_role("textbox", name="What was missing?")
    reason.fill("The address.")
    with page.expect_response(re.compile("/feedback$")) as explained:
        reason.press("Enter")
    assert explained.value.status == 204
    expect(chat.answers.last).to_contain_text("Thank you for telling us.")
    assert docent.rows("SELECT rating, comment FROM feedback WHERE comment != ''") == [("down", "The address.")]


def test_a_conversation_goes_on_after_a_reload_and_on_the_next_page(page: Page, docent: RealDocent) -> None:
    chat = talk(page, docent, WARRANTY)
    text, sources = chat.answer.inner_text(), chat.answers.last.locator(".source").count()
    for path in ("/", "/pricing/"):
        page.goto(docent.demo.base + path)
        expect(chat.questions).to_have_count(1)
        expect(chat.answer).to_have_text(text, use_inner_text=True)
        expect(chat.answers.last.locator(".source")).to_have_count(sources)
    chat.ask(PERSON)
    chat.finish()
    expect(chat.questions).to_have_count(2)


def test_an_answer_under_way_is_joined_after_a_reload(page: Page, docent: RealDocent) -> None:
    docent.provider.plays(Pause(["It is "], ["3 years [1]."]))
    docent.embed(docent.model_base)
    chat = Chat.opened(page, docent.demo.base)
    chat.ask(WARRANTY)
    expect(chat.answer).to_have_text("It is")
    page.reload()
    expect(chat.answer).to_have_text("It is")
    docent.provider.go_on()
    chat.finish()
    expect(chat.answer).to_have_text("It is 3 years. 1")
    expect(chat.questions).to_have_count(1)
    page.reload()
    expect(chat.answer).to_have_text("It is 3 years. 1")
    expect(chat.questions).to_have_count(1)
    assert len(docent.provider.asked) == 1


def test_a_new_conversation_stays_new_and_the_one_before_is_found_again(page: Page, docent: RealDocent) -> None:
    chat = talk(page, docent, PERSON)
    page.get_by_role("button", name="New conversation").click()
    expect(chat.questions).to_have_count(0)
    page.reload()
    expect(chat.log).to_contain_text("Ask me anything about Nimbrel")
    expect(chat.questions).to_have_count(0)
    chat.ask(WARRANTY)
    chat.finish()
    expect(chat.questions).to_have_count(1)
    page.get_by_role("button", name="Your conversations").click()
    page.get_by_role("button", name=PERSON).click()
    expect(chat.questions).to_contain_text(PERSON)
    expect(chat.questions).to_have_count(1)


def test_the_next_person_after_a_reset_sees_nothing_of_the_last(page: Page, docent: RealDocent) -> None:
    chat = talk(page, docent, PERSON)
    with page.expect_response(re.compile("/init$")):
        page.evaluate("Docent.reset()")
    expect(chat.log).to_contain_text("Ask me anything about Nimbrel")
    expect(chat.questions).to_have_count(0)


def test_people_who_share_a_browser_see_their_own_conversations_only(
    page: Page, browser: Browser, docent: RealDocent
) -> None:
    secret = docent.client.post(f"/v1/agents/{docent.agent_id}/user-secret")["secret"]

    def sign_in(user_id: str) -> None:
        named = {"userId": user_id, "hash": user_signature(secret, user_id)}
        with page.expect_response(re.compile("/init$")) as signed:
            page.evaluate("(user) => void Docent.identify(user)", named)
        assert signed.value.status == 200

    chat = talk(page, docent, PERSON)
    sign_in("ann")
    expect(chat.questions).to_have_count(0)
    chat.ask(WARRANTY)
    chat.finish()
    sign_in("ben")
    expect(chat.log).to_contain_text("Ask me anything about Nimbrel")
    expect(chat.questions).to_have_count(0)
    with page.expect_response(re.compile("/init$")):
        page.evaluate("Docent.reset()")
    expect(chat.log).to_contain_text("Ask me anything about Nimbrel")
    expect(chat.questions).to_have_count(0)
    sign_in("ann")
    expect(chat.questions).to_have_count(1)
    expect(chat.questions).to_contain_text(WARRANTY)


def test_two_visitors_do_not_see_each_other(page: Page, browser: Browser, docent: RealDocent) -> None:
    talk(page, docent, PERSON)
    other = browser.new_page()
    try:
        expect(Chat.opened(other, docent.demo.base).questions).to_have_count(0)
    finally:
        other.close()


def test_stopping_ends_the_model_s_work_and_keeps_its_words(page: Page, docent: RealDocent) -> None:
    docent.provider.plays(Stall(["It is ", "3 years "]))
    docent.embed(docent.model_base)
    chat = Chat.opened(page, docent.demo.base)
    chat.ask(WARRANTY)
    expect(chat.answer).to_have_text("It is 3 years")
    chat.stop.click()
    expect(chat.answers.last).to_contain_text("Stopped.")
    assert docent.provider.was_closed(120)
    page.reload()
    expect(chat.answer).to_have_text("It is 3 years")
    expect(chat.answers.last).to_contain_text("Stopped.")


def test_a_model_that_breaks_off_is_told_and_can_be_asked_again(page: Page, docent: RealDocent) -> None:
    docent.provider.plays(Tear(["It is "]), Say(["It is 3 years [1]."]))
    docent.embed(docent.model_base)
    chat = Chat.opened(page, docent.demo.base)
    chat.ask(WARRANTY)
    expect(chat.answers.last).to_contain_text("The connection was lost.")
    page.reload()
    expect(chat.answer).to_have_text("It is")
    expect(chat.answers.last).to_contain_text("The connection was lost.")
    chat.retry.click()
    chat.finish()
    expect(chat.answer).to_have_text("It is 3 years. 1")
    expect(chat.questions).to_have_count(1)


@pytest.mark.parametrize("attributes", ["", 'data-locale="de"'], ids=["English", "German"])
def test_a_strict_policy_with_one_host_sees_no_violation(page: Page, docent: RealDocent, attributes: str) -> None:
    tag = docent.embed(attributes=attributes)
    policy = f"default-src 'none'; script-src {docent.base}; connect-src {docent.base}"
    docent.host.write(tag, {"Content-Security-Policy": f"{policy}; require-trusted-types-for 'script'"})
    page.add_init_script(
        "addEventListener('securitypolicyviolation', e => (window.violations ??= []).push(e.violatedDirective))"
    )
    complaints: list[str] = []
    page.on("console", lambda message: complaints.append(message.text))
    chat = Chat.opened(page, f"{docent.host.origin}/")
    chat.panel.locator("textarea").fill(WARRANTY)
    chat.panel.locator("textarea").press("Enter")
    expect(chat.answers.last.locator(".source").first).to_be_visible()
    chat.panel.locator(".actions [data-focus=down]").click()
    expect(chat.panel.locator(".comment input")).to_be_visible()
    assert page.evaluate("window.violations ?? []") == []
    # A page under this policy may not even fetch its own icon, which no widget asked for.
    assert [text for text in complaints if "favicon" not in text] == []


def test_the_policy_test_would_see_a_violation(page: Page, docent: RealDocent) -> None:
    docent.host.write(docent.embed(), {"Content-Security-Policy": f"default-src 'none'; script-src {docent.base}"})
    page.add_init_script(
        "addEventListener('securitypolicyviolation', e => (window.violations ??= []).push(e.violatedDirective))"
    )
    Chat.opened(page, f"{docent.host.origin}/")
    assert page.evaluate("window.violations") == ["connect-src"]


def test_the_pinned_script_is_taken_byte_for_byte_or_not_at_all(page: Page, docent: RealDocent) -> None:
    script = BuiltFile.read(built_widget() / "widget.js")
    tag = pinned_embed_tag(docent.base, docent.agent_id, script)
    docent.host.write(tag)
    chat = Chat.opened(page, f"{docent.host.origin}/")
    chat.ask(PERSON)
    chat.finish()
    docent.host.write(tag.replace(script.integrity, f"sha384-{'A' * 64}"))
    with page.expect_console_message(lambda message: "integrity" in message.text):
        page.reload()
    expect(page.locator("docent-widget")).to_have_count(0)


def test_a_website_that_is_not_listed_gets_nothing_and_its_developer_a_hint(page: Page, docent: RealDocent) -> None:
    docent.host.write(docent.embed())
    origin = docent.host.origin.replace("127.0.0.1", "localhost")
    chat = Chat.visit(page, origin)
    with page.expect_console_message(lambda message: message.text == f"Docent: does the agent allow {origin}"):
        chat.launcher.click()
    expect(chat.log).to_contain_text("The connection was lost.")
    assert page.evaluate("Object.values(localStorage).map(JSON.parse)") == [{"open": True}]  # and no name


@pytest.mark.parametrize("seed", range(3))
def test_a_connection_that_breaks_at_random_loses_and_doubles_nothing(
    page: Page, docent: RealDocent, seed: int
) -> None:
    words = [f"word{number} " for number in range(160)]
    docent.provider.plays(Say([*words, "end [1]."], pace_seconds=0.008))
    with CuttingProxy(docent.model_base, seed, most_bytes=2500).running() as proxy:
        docent.embed(proxy.base)
        chat = Chat.opened(page, docent.demo.base)
        chat.ask(WARRANTY)
        chat.finish()
    expect(chat.answer).to_have_text("".join(words) + "end. 1")
    expect(chat.questions).to_have_count(1)
    expect(chat.answers.last.locator(".source")).to_have_count(1)
    assert proxy.cuts >= 2
    assert len(docent.provider.asked) == 1
    assert docent.conversations()[0]["turn_count"] == 1


def test_quoted_pages_come_through_a_bad_connection_as_well(page: Page, docent: RealDocent) -> None:
    good = talk(page, docent, WARRANTY).answer.inner_text()
    with CuttingProxy(docent.base, 7, most_bytes=3000).running() as proxy:
        docent.embed(proxy.base)
        chat = Chat.opened(page, docent.demo.base)
        page.get_by_role("button", name="New conversation").click()
        expect(chat.questions).to_have_count(0)
        chat.ask(WARRANTY)
        chat.finish()
    expect(chat.answer).to_have_text(good, use_inner_text=True)
    expect(chat.questions).to_have_count(1)
    assert proxy.cuts >= 1


@pytest.mark.parametrize(("language", "words"), WORDS_OF.items(), ids=list(WORDS_OF))
def test_the_interface_speaks(page: Page, docent: RealDocent, language: str, words: str) -> None:
    docent.embed(attributes=f'data-locale="{language}"')
    refused: list[str] = []
    page.on("response", lambda response: refused.append(response.url) if response.status >= 400 else None)
    chat = Chat.opened(page, docent.demo.base)
    expect(chat.panel.locator("textarea")).to_have_attribute("placeholder", words)
    expect(page.locator("docent-widget .root")).to_have_attribute("lang", language)
    expect(page.locator("docent-widget .root")).to_have_attribute("dir", "rtl" if language == "ar" else "ltr")
    assert refused == []
