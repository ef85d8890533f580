"""Runs rows of robots_cases.jsonl: the matcher alone, and the fetch policy over a fake network."""

import base64
import time
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import httpcore

from crawler.fetch.robots import Robots, RobotsRules
from crawler.url_rules import check_url
from tests.cases.case_rows import Row, require_known
from tests.doubles.fake_network import FakeConnector, FakeNetwork, FakeRequest, response

COMMON_FIELDS = frozenset({"id", "kind", "expected", "basis", "why", "note", "policy", "max_ms"})
MATCH_FIELDS = COMMON_FIELDS | {"robots", "agent", "path"}
FETCH_FIELDS = COMMON_FIELDS | {
    "scenario",
    "fail_first_connects",
    "repeat_last_chunk_b64",
    "repeat_times",
    "max_buffer_bytes",
}
SCENARIO_FIELDS = frozenset(
    {"status", "headers", "body", "network_error", "redirects", "final_status", "pad_comment_bytes", "then"}
    | {"path", "age_hours", "refetch_status", "refetch_headers", "refetch_body", "refetch_network_error"}
)
SITE = check_url("https://www.example.com/")


def run_match_row(row: Row) -> None:
    """Assert the verdict, and the time where the row sets one (the best of three runs, reading included)."""
    require_known(row, MATCH_FIELDS)
    body = row["robots"].encode("utf-8", "surrogatepass")
    runs: list[float] = []
    for _ in range(3):
        start = time.perf_counter()
        is_allowed = RobotsRules.from_bytes(body, row["agent"]).allows(row["path"])
        runs.append(1000 * (time.perf_counter() - start))
    assert ("allow" if is_allowed else "deny") == row["expected"]
    assert min(runs) <= row.get("max_ms", 1000)


async def run_fetch_row(row: Row) -> None:
    """Assert the policy (or the verdict on `path`) after the scenario."""
    require_known(row, FETCH_FIELDS)
    scenario = row["scenario"]
    require_known(scenario, SCENARIO_FIELDS)
    server = _RobotsServer(row, scenario)
    connector = FakeConnector(server.respond, fail_first=row.get("fail_first_connects", 0))
    network = FakeNetwork(connector)
    connector.failure = _network_failure(scenario.get("network_error"))
    robots = Robots(network.fetcher, network.clock)
    site = await robots.site(SITE)
    if "age_hours" in scenario:
        network.clock.now += 3600 * scenario["age_hours"]
        server.is_refetch = True
        connector.failure = _network_failure(scenario.get("refetch_network_error"))
        site = await robots.site(SITE)
    if row["expected"] in ("allow", "deny"):
        verdict = "deny" if site.refusal(scenario["path"]) else "allow"
        assert verdict == row["expected"]
    else:
        assert site.policy == row["expected"]


def _network_failure(name: str | None) -> Exception | None:
    if name is None:
        return None
    return httpcore.ConnectTimeout(name) if "timeout" in name else httpcore.ConnectError(name)


@dataclass
class _RobotsServer:
    row: Row
    scenario: dict[str, Any]
    is_refetch: bool = False

    def respond(self, request: FakeRequest) -> Iterable[bytes]:
        if self.is_refetch:
            return self._final(
                self.scenario.get("refetch_status", 200),
                self.scenario.get("refetch_body", ""),
                self.scenario.get("refetch_headers", {}),
            )
        hop = 0 if request.target == "/robots.txt" else int(request.target.removeprefix("/hop"))
        redirects = self.scenario.get("redirects", [])
        if hop < len(redirects):
            return response(redirects[hop], headers={"Location": f"/hop{hop + 1}"})
        status = self.scenario.get("final_status", self.scenario.get("status", 200))
        return self._final(status, self._body(), self.scenario.get("headers", {}))

    def _body(self) -> str:
        padding = "#" * self.scenario.get("pad_comment_bytes", 0)
        padding = f"{padding}\n" if padding else ""
        return str(self.scenario.get("body", "")) + padding + str(self.scenario.get("then", ""))

    def _final(self, status: int, body: str, headers: dict[str, str]) -> Iterable[bytes]:
        yield from response(status, body.encode(), {"Content-Type": "text/plain", **headers})
        tail = base64.b64decode(self.row.get("repeat_last_chunk_b64", ""))
        for _ in range(self.row.get("repeat_times", 0)):
            yield tail
