"""Whatever operators, visitors, crashes and a Redis that comes and goes do in whatever order: the service keeps what it
said, and no more. A model of plain values, `known_service`, says what that is.

`DOCENT_EXAMPLES` plays more examples than a commit does (`make test-long`).
"""

import asyncio
import os
import tempfile
from collections.abc import Coroutine, Sequence
from pathlib import Path
from typing import Any, TypeVar
from uuid import UUID, uuid4

import httpx2
import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from tests.doubles.quoting_chat_model import FIRST_WORDS
from tests.doubles.stored_bytes import StoredBytes
from tests.system.known_service import SITE, KnownAgent, KnownVisitor, Page, Turn
from tests.system.service_house import ServiceHouse

EXAMPLES, STEPS = int(os.environ.get("DOCENT_EXAMPLES", "12")), 10
IS_LONG = EXAMPLES > 12
MOST_AGENTS = 2  # so that what happens meets what is there
T = TypeVar("T")

pytestmark = pytest.mark.timeout(max(600, 20 * EXAMPLES))


class Service(RuleBasedStateMachine):
    def __init__(self) -> None:
        super().__init__()
        self.temporary = tempfile.TemporaryDirectory(prefix="docent-machine-")
        self.folder = Path(self.temporary.name)
        self.runner = asyncio.Runner()
        self.house = ServiceHouse(self.folder)
        self.stored = StoredBytes(self.folder)
        self.all_agents: list[KnownAgent] = []
        self.all_visitors: list[KnownVisitor] = []
        self.count = 0

    def teardown(self) -> None:
        try:
            self.everything_is_found_or_gone()
        finally:
            for name in range(self.count + 1):
                self.house.model.let_go(f"n{name}")
            try:
                self.run(self.house.close())
                self.runner.close()
            finally:
                self.temporary.cleanup()

    @property
    def agents(self) -> list[KnownAgent]:
        return [agent for agent in self.all_agents if not agent.is_deleted]

    @property
    def pages(self) -> list[tuple[KnownAgent, Page]]:
        return [(agent, page) for agent in self.agents for page in agent.pages if page.word]

    @property
    def visitors(self) -> list[KnownVisitor]:
        return [visitor for visitor in self.all_visitors if visitor.is_here]

    @property
    def idle(self) -> list[KnownVisitor]:
        return [visitor for visitor in self.visitors if not visitor.running]

    @property
    def waiting(self) -> list[tuple[KnownVisitor, Turn]]:
        return [(visitor, visitor.running) for visitor in self.visitors if visitor.running]

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        async def in_time() -> T:
            async with asyncio.timeout(60):
                return await work

        return self.runner.run(in_time())

    def next(self) -> int:
        self.count += 1
        return self.count

    def api(self, method: str, path: str, body: object = None, *, status: int = 200, token: str | None = None) -> Any:
        answer = self.run(self.house.api(method, path, body, token))
        assert answer.status_code == status, (method, path, answer.status_code, answer.text)
        return answer.json() if answer.content else None

    def widget(self, visitor: KnownVisitor, method: str, path: str, body: object = None) -> httpx2.Response:
        return self.run(self.house.http.request(method, f"/v1/widget{path}", json=body, headers=dict(visitor.headers)))

    # Operators

    @initialize()
    def opens(self) -> None:
        self.run(self.house.open_first())
        agent = self.creates_an_agent_now()
        self.adds_a_page_to(agent, is_text=False)
        self.opens_the_widget_of(agent)

    @rule()
    @precondition(lambda self: len(self.agents) < MOST_AGENTS)
    def creates_an_agent(self) -> None:
        self.creates_an_agent_now()

    def creates_an_agent_now(self) -> KnownAgent:
        config = {"name": "Shop", "allowed_origins": [SITE], "confidence_threshold": 0, "answer_check": "mark"}
        created = self.api("POST", "/v1/agents", config, status=201)
        self.api("POST", f"/v1/agents/{created['id']}/publish", status=200)
        body = {"kind": "site", "name": "Site", "url": f"{SITE}/"}
        site = self.api("POST", f"/v1/agents/{created['id']}/sources", body, status=201)
        agent = KnownAgent(created["id"], site["id"])
        self.all_agents.append(agent)
        return agent

    @rule(agent=st.data(), is_text=st.booleans())
    def adds_a_page(self, agent: st.DataObject, is_text: bool) -> None:
        self.adds_a_page_to(one_of(agent, self.agents), is_text)

    def adds_a_page_to(self, agent: KnownAgent, is_text: bool) -> None:
        word = f"lamp{self.next()}x"
        url, source_id = f"{SITE}/{word}", agent.site_id
        if is_text:
            body = {"kind": "text", "name": word, "text": text_about(word), "url": url}
            source_id = self.api("POST", f"/v1/agents/{agent.id}/sources", body, status=201)["id"]
            self.api("POST", f"/v1/sources/{source_id}/sync", status=202)
        else:
            assert self.run(self.house.learn(agent.id, source_id, url, word, text_about(word))) == "indexed"
        page = Page(url, source_id, is_text, word, [word])
        agent.pages.append(page)
        self.knowledge_changed(agent)

    @rule(page=st.data())
    @precondition(lambda self: self.pages)
    def edits_a_page(self, page: st.DataObject) -> None:
        self.edits_the_page(*one_of(page, self.pages))

    def edits_the_page(self, agent: KnownAgent, page: Page) -> None:
        word = f"lamp{self.next()}x"
        if page.is_text:
            self.api("PATCH", f"/v1/sources/{page.source_id}", {"text": text_about(word)})
            self.api("POST", f"/v1/sources/{page.source_id}/sync", status=202)
        else:
            assert self.run(self.house.learn(agent.id, page.source_id, page.url, word, text_about(word))) == "indexed"
        page.word = word
        page.words.append(word)
        self.knowledge_changed(agent)

    @rule(page=st.data())
    @precondition(lambda self: self.pages)
    def removes_a_page(self, page: st.DataObject) -> None:
        self.removes_the_page(*one_of(page, self.pages))

    def removes_the_page(self, agent: KnownAgent, page: Page) -> None:
        if page.is_text:
            self.api("DELETE", f"/v1/sources/{page.source_id}")
        else:
            self.api("DELETE", f"/v1/documents/{self.document_id(page)}")
        page.word = None
        self.knowledge_changed(agent)

    @rule(which=st.data())
    @precondition(lambda self: len(self.agents) == MOST_AGENTS)
    def deletes_an_agent(self, which: st.DataObject) -> None:
        agent = one_of(which, self.agents)
        self.api("DELETE", f"/v1/agents/{agent.id}")
        agent.is_deleted = True
        self.api("GET", f"/v1/agents/{agent.id}", status=404)

    # Visitors

    @rule(agent=st.data())
    def opens_the_widget(self, agent: st.DataObject) -> None:
        self.opens_the_widget_of(one_of(agent, self.agents))

    def opens_the_widget_of(self, agent: KnownAgent) -> None:
        body = {"agent_id": agent.id, "page_url": f"{SITE}/"}
        answer = self.run(self.house.http.post("/v1/widget/init", json=body, headers={"Origin": SITE}))
        assert answer.status_code == 200, answer.text
        opened, mark = answer.json(), f"visitor{self.next()}mark"
        visitor = KnownVisitor(agent, opened["visitor_id"], opened["conversation_id"], opened["token"], mark)
        self.all_visitors.append(visitor)

    @rule(data=st.data())
    @precondition(lambda self: self.visitors)
    def asks(self, data: st.DataObject) -> None:
        visitor = one_of(data, self.visitors)
        topics = sorted({word for page in visitor.agent.pages for word in page.words}) or ["nothing"]
        word = one_of(data, topics)
        body = self.question(f"How much does the {word} cost? I am {visitor.mark}.")
        answer = self.widget(visitor, "POST", "/messages", body)
        if visitor.running:
            assert (answer.status_code, answer.json()["error"]["code"]) == (409, "turn_in_progress")
            return
        assert answer.status_code == 200, answer.text
        said = answer.json()
        visitor.turns.append(Turn(body["turn_id"], body["message"], "done", said["answer"]))
        self.cites_only_what_is_live(visitor.agent, said["citations"], said["answer"])
        if word in visitor.agent.live:
            assert word in said["answer"]
            assert visitor.agent.live[word] in {cited["url"].partition("#")[0] for cited in said["citations"]}
        again = self.widget(visitor, "POST", "/messages", body)
        assert (again.status_code, again.json()["message_id"]) == (200, said["message_id"])

    @rule(data=st.data())
    @precondition(lambda self: self.idle)
    def leaves_in_mid_stream(self, data: st.DataObject) -> None:
        visitor = one_of(data, self.idle)
        name = f"n{self.next()}"
        body = self.question(f"Tell {visitor.mark} slowly:{name} what all lamps cost!")
        left = self.house.read_and_leave("/v1/widget/messages/stream", body, visitor.headers, FIRST_WORDS.strip())
        visitor.turns.append(Turn(body["turn_id"], body["message"], "running", self.run(left)))

    @rule(data=st.data())
    @precondition(lambda self: self.waiting)
    def waits_for_the_end(self, data: st.DataObject) -> None:
        visitor, turn = one_of(data, self.waiting)
        self.house.model.let_go(turn.question.partition("slowly:")[2].split()[0])
        self.reads_again(visitor, turn, finish="complete")

    @rule(data=st.data())
    @precondition(lambda self: self.waiting)
    def stops(self, data: st.DataObject) -> None:
        visitor, turn = one_of(data, self.waiting)
        assert self.widget(visitor, "POST", f"/turns/{turn.id}/stop").status_code == 204
        self.reads_again(visitor, turn, finish="stopped")

    def reads_again(self, visitor: KnownVisitor, turn: Turn, finish: str) -> None:
        body = {"turn_id": turn.id, "message": turn.question, "page_url": f"{SITE}/"}
        answer = self.widget(visitor, "POST", "/messages", body)
        assert (answer.status_code, answer.json()["finish"]) == (200, finish), answer.text
        assert answer.json()["answer"].startswith(turn.seen)
        turn.state, turn.seen = "done", answer.json()["answer"]

    @rule(data=st.data(), rating=st.sampled_from(["up", "down"]))
    @precondition(lambda self: any(visitor.turns for visitor in self.visitors))
    def rates(self, data: st.DataObject, rating: str) -> None:
        visitor = one_of(data, [visitor for visitor in self.visitors if visitor.turns])
        path, body = f"/turns/{visitor.turns[-1].id}/feedback", {"rating": rating, "comment": visitor.mark}
        assert self.widget(visitor, "POST", path, body).status_code == 204

    @rule(data=st.data(), themselves=st.booleans())
    @precondition(lambda self: any(visitor.turns for visitor in self.visitors))
    def erases_a_visitor(self, data: st.DataObject, themselves: bool) -> None:
        visitor = one_of(data, [visitor for visitor in self.visitors if visitor.turns])
        if themselves:
            assert self.widget(visitor, "DELETE", "/me").status_code == 200
        else:
            self.api("DELETE", f"/v1/visitors/{visitor.id}")
        visitor.is_erased, visitor.was_erased_while_away = True, self.house.shared.is_away
        if visitor.running:
            visitor.running.state = "done"  # ended first, and on the bill
        assert self.widget(visitor, "GET", "/conversation/messages").status_code == 401
        assert self.widget(visitor, "POST", "/messages", self.question("Who am I?")).status_code == 401

    @rule(data=st.data())
    @precondition(lambda self: self.visitors and len(self.all_visitors) > 1)
    def asks_for_what_is_not_theirs(self, data: st.DataObject) -> None:
        one = one_of(data, self.visitors)
        other = one_of(data, [visitor for visitor in self.all_visitors if visitor is not one])
        turn_id = other.turns[-1].id if other.turns else str(uuid4())
        for method, path in (("GET", "stream"), ("POST", "stop"), ("POST", "feedback")):
            body = {"rating": "up"} if path == "feedback" else None
            answer = self.widget(one, method, f"/turns/{turn_id}/{path}", body)
            assert answer.status_code == 404, (path, answer.text)

    @rule(data=st.data())
    @precondition(lambda self: self.visitors)
    def a_stranger_looks(self, data: st.DataObject) -> None:
        visitor = one_of(data, self.visitors)
        agent = visitor.agent
        for path in (
            f"/v1/agents/{agent.id}",
            f"/v1/sources/{agent.site_id}",
            f"/v1/visitors/{visitor.id}/export",
            f"/v1/conversations/{visitor.conversation_id}",
        ):
            self.api("GET", path, status=404, token=self.house.foreign)

    # What befalls everybody

    @rule()
    def crashes_and_starts_again(self) -> None:
        self.run(self.house.crash())
        for visitor in self.all_visitors:
            for turn in visitor.turns:
                turn.state = "cut" if turn.state == "running" else turn.state

    @rule(is_away=st.booleans())
    def redis_goes_or_comes_back(self, is_away: bool) -> None:
        self.house.shared.is_away = is_away

    # What holds at any time

    @invariant()
    def every_question_is_stored_once(self) -> None:
        rows = (
            self.stored.rows(
                "SELECT t.id, t.state, q.text, (SELECT count(*) FROM messages m WHERE m.turn_id = t.id),"
                " (SELECT text FROM messages m WHERE m.turn_id = t.id AND m.role = 'agent')"
                " FROM turns t LEFT JOIN messages q ON q.turn_id = t.id AND q.role = 'visitor'"
            )
            if self.all_agents
            else []
        )
        kept = {UUID(turn.id).bytes: turn for each in self.all_visitors if each.is_here for turn in each.turns}
        assert sorted(key for key, *_ in rows) == sorted(kept)
        for key, state, question, messages, answer in rows:
            turn = kept[key]
            assert (state, question) == (turn.state, turn.question)
            assert messages == (1 if turn.state == "running" else 2)
            assert turn.state != "done" or answer == turn.seen
            assert turn.state != "cut" or turn.seen.startswith(answer)

    @invariant()
    def the_bill_counts_every_turn_that_ended(self) -> None:
        for agent in self.all_agents:
            [(count,)] = self.stored.rows(f"SELECT count(*) FROM usage WHERE agent_id = X'{bare(agent.id)}'")
            ended = [
                turn
                for visitor in self.all_visitors
                if visitor.agent is agent
                for turn in visitor.turns
                if turn.state != "running"
            ]
            assert count == (0 if agent.is_deleted else len(ended))

    @invariant()
    def nothing_is_left_of_who_was_erased(self) -> None:
        gone = [visitor for visitor in self.all_visitors if visitor.is_erased]
        for visitor in gone:
            assert self.stored.tables_with(visitor.mark, bare(visitor.id), visitor.id) == set()
            assert self.stored.files_with(visitor.mark) == []
            if not visitor.was_erased_while_away:
                assert not any(visitor.mark.encode() in value for value in self.house.shared.cached.values())

    def everything_is_found_or_gone(self) -> None:
        for agent in self.all_agents:
            if agent.is_deleted:
                continue
            for page in agent.pages:
                for word in page.words:
                    path, body = f"/v1/agents/{agent.id}/search", {"question": f"How much does the {word} cost?"}
                    chunks = self.api("POST", path, body)["chunks"]
                    self.cites_only_what_is_live(agent, chunks, "".join(chunk["text"] for chunk in chunks))
                    if word in agent.live:
                        assert agent.live[word] == chunks[0]["url"].partition("#")[0]

    # Helpers

    def cites_only_what_is_live(self, agent: KnownAgent, cited: list[dict[str, Any]], text: str) -> None:
        assert {each["url"].partition("#")[0] for each in cited} <= set(agent.live.values())
        gone = {word for page in agent.pages for word in page.words} - set(agent.live)
        assert not [word for word in gone if word in text]

    def knowledge_changed(self, agent: KnownAgent) -> None:
        before, agent.generation = agent.generation, self.api("GET", f"/v1/agents/{agent.id}")["generation"]
        assert agent.generation > before

    def question(self, message: str) -> dict[str, str]:
        return {"turn_id": str(uuid4()), "message": message, "page_url": f"{SITE}/"}

    def document_id(self, page: Page) -> str:
        [(key,)] = self.stored.rows(f"SELECT id FROM documents WHERE url = '{page.url}'")
        return str(UUID(bytes=key))


def one_of(data: st.DataObject, those: Sequence[T]) -> T:
    return data.draw(st.sampled_from(those))


def text_about(word: str) -> str:
    return f"# The {word}\n\nThe {word} costs {len(word)} euros in every shop, and the {word} is sent at once."


def bare(key: str) -> str:
    return key.replace("-", "")


TestService = Service.TestCase
TestService.settings = settings(
    max_examples=EXAMPLES,
    stateful_step_count=STEPS,
    deadline=None,
    suppress_health_check=list(HealthCheck),
    phases=(Phase.generate, Phase.shrink) if IS_LONG else (Phase.generate,),  # to find the shortest takes minutes
    print_blob=True,
)
