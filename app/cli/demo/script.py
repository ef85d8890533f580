"""The steps of the demonstration, through the API that operators' scripts and visitors' widgets call."""

import json
import re
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from time import perf_counter
from typing import Any
from urllib.error import HTTPError, URLError
from urllib.parse import urlsplit
from urllib.request import Request, urlopen
from uuid import uuid4

_TIMEOUT_SECONDS = 60


class ApiRefused(Exception):
    """The API returned an error; the message is the API's, if it gave one."""


class ApiClient:
    """`base` is the server's URL, `token` an API token."""

    def __init__(self, base: str, token: str) -> None:
        self.base = base
        self._headers = {"Authorization": f"Bearer {token}"}

    def is_ready(self) -> bool:
        try:
            return bool(self._call("GET", "/readyz", None, {}))
        except (ApiRefused, URLError, OSError):
            return False

    def get(self, path: str) -> Any:
        return self._call("GET", path, None, self._headers)

    def post(self, path: str, body: dict[str, Any] | None = None) -> Any:
        return self._call("POST", path, {} if body is None else body, self._headers)

    def open_conversation(self, agent_id: str, page_url: str, origin: str) -> str:
        """Open the widget as a visitor; return the visitor token."""
        opened = self._call("POST", "/v1/widget/init", {"agent_id": agent_id, "page_url": page_url}, {"Origin": origin})
        token: str = opened["token"]
        return token

    def ask(self, visitor_token: str, question: str, page_url: str, origin: str) -> Iterator[dict[str, Any]]:
        """The events of the answer, as they arrive."""
        headers = {"Authorization": f"Bearer {visitor_token}", "Origin": origin, "Accept": "text/event-stream"}
        body = {"turn_id": str(uuid4()), "message": question, "page_url": page_url}
        with self._open("POST", "/v1/widget/messages/stream", body, headers) as stream:
            for line in stream:
                if line.startswith(b"data:"):
                    yield json.loads(line.removeprefix(b"data:"))

    def _call(self, method: str, path: str, body: dict[str, Any] | None, headers: dict[str, str]) -> Any:
        with self._open(method, path, body, headers) as answer:
            text = answer.read()
        return json.loads(text) if text else None

    def _open(self, method: str, path: str, body: dict[str, Any] | None, headers: dict[str, str]) -> Any:
        data = None if body is None else json.dumps(body).encode()
        kind = {"Content-Type": "application/json"} if data is not None else {}
        request = Request(self.base + path, data, {**headers, **kind}, method=method)  # noqa: S310 - our own address
        try:
            return urlopen(request, timeout=_TIMEOUT_SECONDS)  # noqa: S310
        except HTTPError as error:
            raise ApiRefused(_message_of(error.read()) or f"{method} {path} was answered with {error.code}.") from error


def _message_of(body: bytes) -> str:
    """The message of an error response; "" if it is not in the API's format, such as a proxy's."""
    try:
        return str(json.loads(body)["error"]["message"])
    except (ValueError, KeyError, TypeError):
        return ""


_LOOK_SECONDS = 0.3
_MORE_PAGES = 500


@dataclass(frozen=True, slots=True)
class Plan:
    """The website to crawl and the questions to ask. `origins` are the websites that may embed the widget. Questions
    come from `page_url`, whose origin is `asked_from`. `golden` are bodies for POST .../golden-questions."""

    site_url: str
    agent_name: str
    origins: tuple[str, ...]
    asked_from: str
    page_url: str
    questions: tuple[str, ...]
    curated_pattern: str
    curated_answer: str
    starter_prompts: tuple[str, ...] = ()
    golden: tuple[dict[str, Any], ...] = ()
    telephone: str = ""
    color: str = ""


def nimbrel_plan(base: str, more: Sequence[str]) -> Plan:
    """The website that ships with Docent."""
    questions = (
        "How long is the warranty on a station?",
        "Can I talk to a person?",
        "Does it measure the UV index?",
    )
    golden = (
        _golden("What does the Plus plan cost?", f"{base}/pricing/", "€3.90"),
        _golden("My station is offline", f"{base}/help/station-offline/", "Press the button under the station"),
        _golden("How do I return a station?", f"{base}/returns/", "return number"),
    )
    return Plan(
        site_url=f"{base}/",
        agent_name="Nimbrel",
        origins=(base,),
        asked_from=base,
        page_url=f"{base}/",
        questions=(*questions, *more),
        curated_pattern="talk to a person",
        curated_answer=(
            "Of course. Call +353 20 915 0123, Monday to Friday from 10:00 to 16:00 Irish time, or write to "
            "help@nimbrel.example; you get an answer within 1 working day."
        ),
        starter_prompts=tuple(each["question"] for each in golden),
        golden=golden,
        telephone="+353 20 915 0123",
        color="#0b6580",
    )


def _golden(question: str, page: str, text: str) -> dict[str, Any]:
    return {"question": question, "pages": [page], "answer_contains": [text]}


def other_site_plan(site: str, name: str, color: str, widget_base: str, more: Sequence[str]) -> Plan:
    """A plan for any website. Which question it can answer is known only once it has been read, so that question is
    "" until then (see `Demonstration.questions`)."""
    return Plan(
        site_url=site,
        agent_name=name,
        origins=(widget_base,),
        asked_from=widget_base,
        page_url=f"{widget_base}/try-the-widget",
        questions=("", "Can I talk to a person?", "What is the airspeed of an unladen swallow?", *more),
        curated_pattern="talk to a person",
        curated_answer="The contact page of this website tells you how to reach the people behind it.",
        color=color,
    )


class Demonstration:
    """Runs one plan against a running server."""

    def __init__(self, client: ApiClient, plan: Plan) -> None:
        self._client = client
        self._plan = plan
        self.agent_id = ""
        self._source_id = ""

    def set_up(self) -> None:
        """Create and publish an agent with the website as a source, one curated answer and golden questions."""
        plan = self._plan
        draft: dict[str, Any] = {
            "name": plan.agent_name,
            "allowed_origins": plan.origins,
            "starter_prompts": plan.starter_prompts,
            "theme": {
                "greeting": f"Hello! Ask me anything about {plan.agent_name}.",
                "primary_color": plan.color or None,
            },
        }
        if plan.telephone:
            number = plan.telephone.replace(" ", "")
            draft["fallback"] = {"url": f"tel:{number}", "label": f"Call {plan.telephone}", "form": True}
        self.agent_id = self._client.post("/v1/agents", draft)["id"]
        self._client.post(f"/v1/agents/{self.agent_id}/publish")
        source = {"kind": "site", "name": plan.agent_name, "url": plan.site_url, "max_pages": _MORE_PAGES}
        self._source_id = self._client.post(f"/v1/agents/{self.agent_id}/sources", source)["id"]
        curated = {"trigger": "phrase", "pattern": plan.curated_pattern, "answer": plan.curated_answer}
        self._client.post(f"/v1/agents/{self.agent_id}/curated-answers", curated)
        for golden in plan.golden:
            self._client.post(f"/v1/agents/{self.agent_id}/golden-questions", golden)

    def crawl(self, progress: Callable[[dict[str, int]], None]) -> dict[str, Any]:
        """Crawl the website and return the ended run; `progress` receives the number of pages by status."""
        self._client.post(f"/v1/sources/{self._source_id}/sync")
        while True:
            run: dict[str, Any] = self._client.get(f"/v1/sources/{self._source_id}")["run"]
            progress(run["counts"])
            if run["state"] not in {"queued", "running"}:
                return run
            time.sleep(_LOOK_SECONDS)

    def why_nothing_was_read(self, ended: dict[str, Any]) -> str:
        """The reason if the crawl failed or indexed no page, else ""."""
        if ended["state"] == "finished" and ended["counts"].get("indexed"):
            return ""
        pages = self._client.get(f"/v1/sources/{self._source_id}/pages?limit=1")["items"]
        return str(pages[0]["reason"] if pages else ended["stop_reason"])

    def questions(self) -> list[str]:
        """The plan's questions; an empty one is replaced by a question about the page with the most chunks."""
        usual = f"What is {self._plan.agent_name} about?"
        pages = self._client.get(f"/v1/sources/{self._source_id}/pages?status=indexed&limit=50")["items"]
        if pages:
            richest = max(pages, key=lambda page: int(page["chunks"]))
            subject = urlsplit(richest["url"]).path.rstrip("/").rsplit("/", 1)[-1].rsplit(".", 1)[0]
            usual = f"Tell me about {re.sub('[-_]+', ' ', subject)}" if subject else usual
        return [question or usual for question in self._plan.questions]

    def ask(self, question: str) -> Iterator[tuple[dict[str, Any], float]]:
        """Ask as a new visitor; yield each event with the seconds since the question."""
        plan = self._plan
        visitor = self._client.open_conversation(self.agent_id, plan.page_url, plan.asked_from)
        asked_at = perf_counter()
        for event in self._client.ask(visitor, question, plan.page_url, plan.asked_from):
            yield event, perf_counter() - asked_at

    def golden_marks(self) -> list[dict[str, Any]]:
        """The live agent's results on its golden questions: `question`, `is_right` and `missing` texts."""
        if not self._plan.golden:
            return []
        run = self._client.post(f"/v1/agents/{self.agent_id}/golden-questions/run", {"version": "live"})
        return [{key: mark[key] for key in ("question", "is_right", "missing")} for mark in run["live"]["marks"]]

    def gaps(self) -> list[dict[str, Any]]:
        items = self._client.get(f"/v1/agents/{self.agent_id}/gaps?state=open")["items"]
        return [{"question": gap["question"], "count": gap["count"]} for gap in items]
