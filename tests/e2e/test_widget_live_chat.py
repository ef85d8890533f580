"""A visitor asks for a person, waits, talks, and goes back to the agent; what that needs is loaded only then."""

import re
from dataclasses import replace
from uuid import uuid4

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.doubles.scripted_widget_api import done, tokens
from tests.e2e.chat import Chat
from tests.e2e.conftest import ASKS_FOR_SOMEBODY, QUESTION, Site
from tests.e2e.live_chat import LiveChat, opened, talking
from tests.e2e.real_docent import RealDocent
from tests.e2e.test_widget_is_for_everyone import AXE, VIOLATIONS

PEOPLE = re.compile(r"/widget/people\.[\w-]{16}\.js$")


def test_a_visitor_asks_waits_talks_and_goes_back(page: Page, live_site: Site) -> None:
    person = live_site.api.person
    chat = opened(page, live_site)
    chat.call.click()
    expect(chat.waiting).to_contain_text("We asked the team.")
    expect(chat.call).to_be_hidden()
    expect(chat.input).to_be_focused()
    chat.ask(QUESTION)  # until somebody is there the agent answers
    chat.finish()
    person.takes_over("Ann")
    expect(chat.presence).to_contain_text("Ann")
    expect(chat.waiting).to_be_hidden()
    person.writes("Hello!")
    person.writes("How can I help?")
    expect(chat.said).to_have_text(["Hello!", "How can I help?"])
    expect(chat.field).to_have_attribute("placeholder", re.compile("Write to .?Ann"))
    chat.say("Where is my order?")
    expect(chat.said).to_have_text(["Hello!", "How can I help?", "Where is my order?"])
    expect(chat.unsent).to_have_count(0)
    assert person.said == ["Where is my order?"]
    person.writes("It arrives tomorrow.")
    expect(chat.said).to_have_count(4)
    assert [call.body["message"] for call in live_site.api.calls_to("/stream")] == [QUESTION]
    person.leaves()
    expect(chat.happened.last).to_contain_text("has left. The website answers again.")
    expect(chat.presence).to_be_hidden()
    expect(chat.call).to_be_visible()
    polls = len(live_site.api.calls_to("/person"))
    chat.ask(QUESTION)
    chat.finish()
    order = page.locator("docent-widget .turns > *").evaluate_all("all => all.map(one => one.className.split(' ')[0])")
    assert order == ["turn", "happened", "said", "said", "said", "said", "happened", "ways", "turn"]
    assert len(live_site.api.calls_to("/person")) == polls  # nothing more to come, nothing asked


def test_a_question_that_asks_for_a_person_begins_the_waiting(page: Page, live_site: Site) -> None:
    chat = opened(page, live_site)
    chat.ask(ASKS_FOR_SOMEBODY)
    expect(chat.waiting).to_be_visible()
    chat.waiting.get_by_role("button", name="Stop waiting").click()
    expect(chat.waiting).to_be_hidden()
    expect(chat.input).to_be_focused()
    assert live_site.api.person.state == "ended"
    assert [call.method for call in live_site.api.calls_to("/person") if call.method == "POST"] == []


def test_where_nobody_comes_a_message_can_be_left_and_the_waiting_goes_on(page: Page, live_site: Site) -> None:
    live_site.api.agent["fallback"] = {"form": True}
    person = live_site.api.person
    chat = opened(page, live_site)
    chat.call.click()
    expect(chat.waiting).to_be_visible()
    expect(chat.waiting.locator("details")).to_have_count(0)
    person.is_overdue = True
    contact = chat.waiting.get_by_text("Contact us")
    stop = chat.waiting.get_by_role("button", name="Stop waiting")
    place = "each => { const { top, bottom } = each.getBoundingClientRect(); return [top, bottom]; }"
    assert contact.evaluate(place) == stop.evaluate(place), "they stand beside each other"
    contact.click()
    page.get_by_label("Your e-mail").fill("ann@example.com")
    page.get_by_label("Your message").fill("Call me.")
    page.get_by_label("You may keep this").check()
    chat.waiting.get_by_role("button", name="Send").click()
    expect(chat.waiting).to_contain_text("Thank you. We will write to you.")
    [lead] = live_site.api.calls_to("/leads")
    assert (lead.body["email"], lead.body["message"]) == ("ann@example.com", "Call me.")
    person.takes_over()
    expect(chat.presence).to_be_visible()


def test_what_people_wrote_goes_between_turns_that_are_drawn_late(page: Page, live_site: Site) -> None:
    api, person = live_site.api, live_site.api.person
    both = {"turn_id": "t1", "created_at": "2026-03-01T10:00:00Z"}
    api.messages = [
        {"id": "q1", "role": "visitor", "text": "Before?", **both},
        {"id": "a1", "role": "agent", "text": "Yes.", **both},
    ]
    chat = talking(page, live_site)
    person.writes("Hello!", at="2026-03-01T10:30:00Z")
    expect(chat.said).to_have_text(["Hello!"])
    page.add_init_script("window.requestAnimationFrame = (draw) => setTimeout(() => draw(performance.now()), 2000)")
    page.reload()
    expect(chat.said).to_have_text(["Hello!"])
    expect(page.locator("docent-widget .turn .text")).to_have_text("Yes.")
    order = page.locator("docent-widget .turns > *").evaluate_all("all => all.map(one => one.innerText)")
    assert ["Before?" in text for text in order] == [True, False]


def test_after_a_reload_all_stands_where_it_was_and_what_was_unsent_is_sent(page: Page, live_site: Site) -> None:
    def turn(turn_id: str, at: str) -> list[dict[str, str]]:
        both = {"turn_id": turn_id, "created_at": at}
        return [
            {"id": f"q{turn_id}", "role": "visitor", "text": "Before?", **both},
            {"id": f"a{turn_id}", "role": "agent", "text": "Yes.", **both},
        ]

    api, person = live_site.api, live_site.api.person
    api.messages = [*turn("t1", "2026-03-01T10:00:00Z"), *turn("t2", "2026-03-01T11:00:00Z")]
    chat = talking(page, live_site)
    person.writes("Hello!", at="2026-03-01T10:30:00Z")
    expect(chat.said).to_have_text(["Hello!"])
    api.cut_person = True
    chat.say("Are you there?")
    expect(chat.unsent).to_contain_text("Sending")
    page.reload()
    api.cut_person = False
    expect(chat.said).to_have_text(["Hello!", "Are you there?"])
    expect(chat.unsent).to_have_count(0)
    order = page.locator("docent-widget .turns > *").evaluate_all("all => all.map(one => one.innerText)")
    assert [re.sub(r"\s+", " ", text)[:20] for text in order] == [
        "You asked: Before? Y", "Ann · 10:30 AM Hello", "You wrote: Are you t", "You asked: Before? Y"
    ]  # fmt: skip
    assert person.said == ["Are you there?"]  # though it was sent more than once
    assert page.evaluate("'unsent' in JSON.parse(localStorage['docent:a1'])") is False


def test_a_question_while_another_tab_has_called_somebody_goes_to_the_person(page: Page, live_site: Site) -> None:
    chat = opened(page, live_site)
    live_site.api.person.takes_over()
    chat.ask("Is it me?")
    expect(chat.presence).to_contain_text("Ann")
    expect(chat.said).to_have_text(["Is it me?"])
    expect(page.locator("docent-widget article")).to_have_count(0)
    assert live_site.api.person.said == ["Is it me?"]


def test_what_nobody_heard_can_be_asked_of_the_agent(page: Page, live_site: Site) -> None:
    chat = talking(page, live_site)
    live_site.api.person.is_deaf = True
    chat.say(QUESTION)
    expect(chat.unsent).to_contain_text("Not sent")
    live_site.api.person.leaves()
    expect(chat.presence).to_be_hidden()
    chat.unsent.get_by_role("button", name="Try again").click()
    chat.finish()
    expect(chat.answer).to_have_text("30 days.")
    expect(chat.unsent).to_have_count(0)


def test_the_website_answers_what_the_person_has_left_unanswered(page: Page, live_site: Site) -> None:
    chat = talking(page, live_site)
    chat.say(QUESTION)
    expect(chat.unsent).to_have_count(0)
    live_site.api.person.leaves()
    expect(chat.happened.last).to_contain_text("has left. The website answers again.")
    chat.finish()
    expect(chat.answer).to_have_text("30 days.")
    assert [call.body["message"] for call in live_site.api.calls_to("/stream")] == [QUESTION]


def test_a_visitor_who_ends_the_chat_asks_nothing_more(page: Page, live_site: Site) -> None:
    chat = talking(page, live_site)
    chat.say(QUESTION)
    expect(chat.unsent).to_have_count(0)
    chat.presence.get_by_role("button", name="End chat").click()
    expect(chat.happened.last).to_have_text("The chat has ended. The website answers again.")
    expect(chat.input).to_be_focused()
    assert live_site.api.calls_to("/stream") == []


def test_the_visitor_ends_it_with_the_keyboard(page: Page, live_site: Site) -> None:
    chat = talking(page, live_site)
    chat.presence.get_by_role("button", name="End chat").focus()
    page.keyboard.press("Enter")
    expect(chat.happened.last).to_have_text("The chat has ended. The website answers again.")
    expect(chat.input).to_be_focused()
    assert live_site.api.person.state == "ended"


def test_at_its_end_the_visitor_says_whether_it_helped(page: Page, live_site: Site) -> None:
    chat = talking(page, live_site)
    rating = page.locator("docent-widget .rating")
    expect(rating).to_have_count(0)
    live_site.api.person.leaves()
    expect(rating).to_contain_text("Did the chat help?")
    expect(rating.get_by_role("button")).to_have_text(["Helpful", "Not helpful"])
    rating.get_by_role("button", name="Not helpful").press("Enter")
    expect(rating.get_by_text("Thank you for telling us.")).to_be_focused()
    expect(rating.get_by_role("button")).to_have_count(0)
    assert live_site.api.person.ratings == ["down"]
    chat.call.click()  # of another chat it is asked again
    live_site.api.person.takes_over()
    expect(chat.presence).to_be_visible()
    live_site.api.person.leaves()
    expect(rating).to_have_count(2)


def test_a_new_conversation_knows_nothing_of_the_person(page: Page, live_site: Site) -> None:
    chat = talking(page, live_site)
    live_site.api.person.writes("Hello!")
    expect(chat.said).to_have_count(1)
    page.get_by_role("button", name="New conversation").click()
    expect(chat.presence).to_have_count(0)
    expect(chat.said).to_have_count(0)
    expect(chat.input).to_be_visible()
    expect(page.get_by_role("button", name="New conversation")).to_be_hidden()
    polls = len(live_site.api.calls_to("/person"))
    live_site.api.person.state = "none"
    chat.ask(QUESTION)
    chat.finish()
    assert len(live_site.api.calls_to("/person")) == polls


def test_what_a_person_writes_is_spoken_and_counted_on_the_closed_chat(page: Page, live_site: Site) -> None:
    chat = talking(page, live_site)
    spoken = page.locator("docent-widget .root > [aria-live=polite]:not([role])")
    live_site.api.person.writes("Hello!")
    expect(spoken).to_contain_text("Ann: Hello!")
    expect(chat.log).to_have_attribute("aria-live", "off")
    page.keyboard.press("Escape")
    live_site.api.person.writes("Still there?")
    expect(chat.launcher).to_have_attribute("data-unread", "1")
    chat.launcher.click()
    expect(chat.said.last).to_have_text("Still there?")
    expect(chat.launcher).not_to_have_attribute("data-unread", "1")


def test_what_a_person_writes_is_text_whose_addresses_are_links(page: Page, live_site: Site) -> None:
    chat = talking(page, live_site)
    live_site.api.person.writes("<img src=x onerror=alert(1)> *so*\njavascript:alert(1) or https://shop.example/a?b=1.")
    expect(chat.said).to_have_text(
        "<img src=x onerror=alert(1)> *so*\njavascript:alert(1) or https://shop.example/a?b=1."
    )
    links = chat.said.locator("a")
    expect(links).to_have_count(1)
    expect(links).to_have_attribute("href", "https://shop.example/a?b=1")
    expect(chat.said.locator("img, em")).to_have_count(0)


def test_the_second_file_comes_when_it_is_needed_under_a_strict_policy(page: Page, live_site: Site) -> None:
    api = live_site.api_origin
    policy = f"default-src 'none'; script-src {api}; connect-src {api}; require-trusted-types-for 'script'"
    live_site.api.page_headers = {"Content-Security-Policy": policy}
    page.add_init_script(
        "addEventListener('securitypolicyviolation', e => (window.violations ??= []).push(e.violatedDirective))"
    )
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    chat = opened(page, live_site)
    chat.ask(QUESTION)
    chat.finish()
    expect(chat.call).to_be_visible()
    assert [url for url in asked if PEOPLE.search(url)] == []
    chat.call.click()
    expect(chat.waiting).to_be_visible()
    chat.waiting.get_by_role("button").click()
    chat.call.click()
    expect(chat.waiting).to_be_visible()
    [second] = [url for url in asked if PEOPLE.search(url)]
    assert second.startswith(f"{api}/widget/")
    assert page.evaluate("window.violations ?? []") == []


def test_a_changed_byte_of_the_second_file_is_refused_and_a_later_try_may_succeed(page: Page, live_site: Site) -> None:
    built = (live_site.api.files / "people.js").read_text("utf-8")
    headers = {"Content-Type": "text/javascript", "Access-Control-Allow-Origin": "*"}
    page.route(PEOPLE, lambda route: route.fulfill(body="window.hacked = 1;" + built, headers=headers))
    chat = opened(page, live_site)
    with page.expect_console_message(lambda message: "integrity" in message.text):
        chat.call.click()
    expect(chat.panel).to_contain_text("The connection was lost.")
    assert page.evaluate("window.hacked") is None
    page.unroute(PEOPLE)
    chat.call.click()
    expect(chat.waiting).to_be_visible()
    expect(chat.panel).not_to_contain_text("The connection was lost.")


@pytest.mark.parametrize("is_open", [True, False], ids=["at closing time", "at opening time"])
def test_an_open_panel_offers_people_by_the_opening_hours(page: Page, live_site: Site, is_open: bool) -> None:
    page.clock.install(time="2026-01-05T16:59:00Z")
    change = "2026-01-05T17:00:00Z"
    live_site.api.agent |= {"live_chat": is_open, "people_until" if is_open else "people_from": change}
    chat = Chat.opened(page, live_site)
    person = page.locator("docent-widget .note button")
    expect(person).to_be_visible(visible=is_open)
    page.clock.fast_forward("00:50")
    expect(person).to_be_visible(visible=is_open)
    page.clock.fast_forward("00:20")
    expect(person).to_be_visible(visible=not is_open)
    expect(chat.input).to_be_visible()


def test_without_live_chat_nobody_is_offered_or_asked_about(page: Page, site: Site) -> None:
    chat = opened(page, site)
    expect(chat.input).to_be_focused()
    expect(chat.call).to_be_hidden()
    assert site.api.calls_to("/person") == []


@pytest.mark.parametrize(
    ("width", "height", "theme", "lang"),
    [
        pytest.param(1100, 800, "light", "en", id="light"),
        pytest.param(1100, 800, "dark", "en", id="dark"),
        pytest.param(1100, 800, "light", "ar", id="right to left"),
        pytest.param(320, 600, "dark", "de", id="a small phone"),
    ],
)
def test_axe_finds_nothing_to_mend(
    browser: Browser, live_site: Site, width: int, height: int, theme: str, lang: str
) -> None:
    live_site.write(lang=lang, attributes=f'data-theme="{theme}" data-color="#ffd400"')
    live_site.api.agent["fallback"] = {"form": True, "url": "mailto:help@shop.example"}
    person = live_site.api.person
    page = browser.new_page(viewport={"width": width, "height": height}, reduced_motion="reduce")
    try:
        page.goto(live_site.origin)
        page.locator("docent-widget .launcher").click()
        chat = LiveChat(page)
        call = page.locator("docent-widget .note button")
        expect(call).to_be_visible()
        page.add_script_tag(path=AXE)
        assert page.evaluate(VIOLATIONS) == []
        person.is_overdue = True
        call.click()
        chat.waiting.locator("summary").click()
        assert page.evaluate(VIOLATIONS) == []
        person.takes_over("A name as long as some names are in some places of the world")
        person.writes("Hello! See https://shop.example/" + "x" * 200)
        expect(chat.said).to_have_count(1)
        live_site.api.cut_person = True
        chat.say("Thank you.")
        expect(chat.unsent).to_be_visible()
        assert page.evaluate(VIOLATIONS) == []
        assert chat.log.evaluate("e => e.scrollWidth - e.clientWidth") == 0
        moving = "() => document.querySelector('docent-widget').shadowRoot.getAnimations().length"
        assert page.evaluate(moving) == 0
    finally:
        page.close()


def test_an_operator_of_the_real_server_takes_over_writes_and_hands_back(page: Page, docent: RealDocent) -> None:
    client, origins = docent.client, [docent.demo.base]
    agent_id = client.post("/v1/agents", {"name": "Nimbrel", "allowed_origins": origins, "live_chat": True})["id"]
    client.post(f"/v1/agents/{agent_id}/publish")
    replace(docent, agent_id=agent_id).embed()
    LiveChat.opened(page, docent.demo.base)
    chat = LiveChat(page)
    chat.ask(ASKS_FOR_SOMEBODY)
    expect(chat.waiting).to_be_visible()
    [waiting] = [one for one in client.get("/v1/live-chats")["items"] if one["agent_id"] == agent_id]
    one = f"/v1/conversations/{waiting['conversation_id']}/live-chat"
    client.post(f"{one}/take", {"name": "Ann of the shop"})
    client.post(f"{one}/messages", {"message_id": str(uuid4()), "text": "Hello!"})
    expect(chat.presence).to_contain_text("Ann of the shop")
    chat.say("Hello, Ann.")
    expect(chat.said).to_have_text(["Hello!", "Hello, Ann."])
    expect(chat.unsent).to_have_count(0)
    assert [message["text"] for message in client.get(one)["messages"]] == ["Hello!", "Hello, Ann."]
    page.reload()
    expect(chat.said).to_have_text(["Hello!", "Hello, Ann."])
    expect(chat.presence).to_contain_text("Ann of the shop")
    client.post(
        f"{one}/messages", {"message_id": str(uuid4()), "text": "Goodbye!"}
    )  # else the agent answers the last words
    expect(chat.said).to_have_text(["Hello!", "Hello, Ann.", "Goodbye!"])
    client.post(f"{one}/hand-back")
    expect(chat.happened.last).to_contain_text("has left.")
    chat.ask("Are you there?")
    expect(chat.questions.last).to_contain_text("Are you there?")
    chat.answers.last.locator(".text:not(:empty)").wait_for()


def test_a_person_is_offered_below_an_answer_that_is_not_sure(page: Page, live_site: Site) -> None:
    live_site.api.agent = {**live_site.api.agent, "fallback": {"url": "tel:+353209150123", "label": "Call us"}}
    script = [*tokens("Perhaps."), done(low_confidence=True, next_questions=["What does it cost?"])]
    live_site.api.script["Unsure?"] = script
    chat = opened(page, live_site)
    chat.ask("Unsure?")
    chat.finish()
    below = [
        chat.answer,
        chat.answers.last.get_by_role("button", name="Talk to a person"),
        chat.answers.last.get_by_role("button", name="What does it cost?"),
    ]
    tops = [each.bounding_box() for each in below]
    assert [box["y"] for box in tops if box] == sorted(box["y"] for box in tops if box)
    expect(chat.answers.last.get_by_role("link", name="Call us")).to_be_visible()
    below[1].click()
    expect(chat.waiting).to_be_visible()
