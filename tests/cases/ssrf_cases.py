"""Runs rows of ssrf_urls.jsonl through the real fetcher over a fake network."""

import base64
import re
from collections.abc import Iterable
from dataclasses import replace
from ipaddress import ip_address
from typing import Any

from crawler.fetch.fetch_result import HTML, Fetched
from tests.cases.case_rows import Row, require_known
from tests.doubles.fake_network import PUBLIC_ADDRESS, FakeConnector, FakeNetwork, FakeRequest, FakeResolver, response

KNOWN_FIELDS = frozenset(
    {"id", "category", "stage", "url", "expected", "why", "note", "dns", "dns_map", "hops", "must_connect"}
    | {"never_connect", "max_requests", "sni", "fail_first_connects", "repeat_last_chunk_b64", "repeat_times"}
    | {"max_buffer_bytes"}
)
KNOWN_HOP_FIELDS = frozenset({"status", "location", "headers"})
ALLOWED_PORTS = {80, 443, 8080, 8443}


async def run_ssrf_row(row: Row) -> None:
    """Assert that the row ends as expected, and above all that nothing else was dialled."""
    require_known(row, KNOWN_FIELDS)
    assert row["stage"] in ("url", "dns", "redirect")
    assert row["expected"] in ("allow", "deny")
    network = _network(row)
    max_bytes = row.get("max_buffer_bytes", HTML.max_bytes)
    answer = await network.fetcher.fetch(row["url"], wanted=replace(HTML, max_bytes=max_bytes))
    _check_dials(row, network.connector)
    assert ("allow" if isinstance(answer, Fetched) else "deny") == row["expected"], answer
    if isinstance(answer, Fetched):
        assert len(answer.body) <= max_bytes
    else:
        assert answer.reason


def _network(row: Row) -> FakeNetwork:
    hops = list(row.get("hops", []))
    for hop in hops:
        require_known(hop, KNOWN_HOP_FIELDS)

    def respond(_: FakeRequest) -> Iterable[bytes]:
        if hops:
            return _hop_response(hops.pop(0))
        tail = base64.b64decode(row.get("repeat_last_chunk_b64", ""))
        return [*response(200, b"<html><body>Hello"), *(tail for _ in range(row.get("repeat_times", 0)))]

    resolver = FakeResolver(dict(row.get("dns_map", {})))
    if "dns" in row:
        if row["stage"] == "redirect":
            start = re.match(r"https?://([^/:?#]+)", row["url"])
            assert start is not None
            resolver.rounds[start[1].lower()] = row["dns"]
        else:
            resolver.default = row["dns"]
    return FakeNetwork(FakeConnector(respond, fail_first=row.get("fail_first_connects", 0)), resolver)


def _hop_response(hop: dict[str, Any]) -> list[bytes]:
    headers = dict(hop.get("headers", {}))
    if hop["location"] is not None:
        headers["Location"] = hop["location"]
    return response(hop["status"], headers=headers)


def _check_dials(row: Row, connector: FakeConnector) -> None:
    addresses = {address for address, _ in connector.dialled}
    assert addresses.isdisjoint(row.get("never_connect", ())), connector.dialled
    assert {port for _, port in connector.dialled} <= ALLOWED_PORTS, connector.dialled
    assert addresses <= _addresses_that_may_be_dialled(row), connector.dialled
    for endpoint in row.get("must_connect", ()):
        address, _, port = endpoint.rpartition(":")
        assert (address.strip("[]"), int(port)) in connector.dialled
    if row["expected"] == "deny" and row["stage"] != "redirect" and not _may_dial_before_denial(row):
        assert connector.dialled == []
    if row["expected"] == "allow":
        assert connector.dialled
    assert len(connector.requests) <= row.get("max_requests", 12)
    if "sni" in row:
        assert set(connector.tls_names) == {row["sni"]}
        assert {request.headers["host"] for request in connector.requests} == {row["sni"]}


def _may_dial_before_denial(row: Row) -> bool:
    """A later look-up or a flood of bytes may be what is refused."""
    return bool(row.get("fail_first_connects") or row.get("repeat_times") or row.get("must_connect"))


def _addresses_that_may_be_dialled(row: Row) -> set[str]:
    good = {PUBLIC_ADDRESS, *(endpoint.rpartition(":")[0].strip("[]") for endpoint in row.get("must_connect", ()))}
    if row["expected"] == "allow":
        good.update(row.get("dns", [[]])[0])
        literal = re.match(r"https?://(?:\[([0-9a-f:.]+)\]|([0-9.]+))(?=[:/])", row["url"], re.I)
        if literal is not None:
            good.add(_plain_spelling(literal[1] or literal[2]))
        for rounds in row.get("dns_map", {}).values():
            good.update(rounds[0])
        for hop in row.get("hops", ()):
            for spelled in re.findall(r"//(?:\[([0-9a-f:.]+)\]|([0-9.]+))(?=[:/])", hop["location"] or "", re.I):
                good.add(_plain_spelling(spelled[0] or spelled[1]))
    return good


def _plain_spelling(address: str) -> str:
    return str(ip_address(address))
