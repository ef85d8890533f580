"""What the record, the vectors and each machine's keywords hold of the websites, against the websites."""

import asyncio
import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import httpx2
import lancedb
from sqlalchemy import Engine, text

from tests.fleet.generated_site import GeneratedSite
from tests.fleet.machines import Machine
from tests.scale.object_store import ObjectStore

_SEARCHED_EVERY = 40  # pages; each machine is asked for one of so many

_LIVE = """
SELECT d.url, count(*) FROM documents d JOIN document_versions v ON v.document_id = d.id
WHERE d.source_id = :source AND v.state = 'live' GROUP BY d.url
"""
_CHUNKS = "SELECT c.id FROM chunks c JOIN document_versions v ON v.id = c.version_id WHERE v.state = 'live'"
_PENDING = "SELECT count(*) FROM document_versions WHERE state = 'pending'"
_SETTLED = "SELECT status, count(*) FROM source_pages WHERE source_id = :source GROUP BY status"
_UNFINISHED = "SELECT count(*) FROM crawl_runs WHERE ended_at IS NULL"
_RUNS = "SELECT state, stop_reason FROM crawl_runs WHERE source_id = :source"


@dataclass(frozen=True, slots=True)
class Reading:
    """A site as the source `source_id` of an agent."""

    site: GeneratedSite
    agent_id: str
    source_id: str


def unfinished_readings(record: Engine) -> int:
    with record.connect() as connection:
        return int(connection.execute(text(_UNFINISHED)).scalar_one())


def record_faults(record: Engine, readings: Sequence[Reading]) -> list[str]:
    """Every page is there once, and was settled once."""
    faults: list[str] = []
    with record.connect() as connection:
        for reading in readings:
            source = {"source": reading.source_id}
            (run,) = connection.execute(text(_RUNS), source).all()
            if run.state != "finished":
                faults.append(f"{reading.site.name}: its reading is {run.state}: {run.stop_reason}")
            live = {url: int(count) for url, count in connection.execute(text(_LIVE), source)}
            missing = reading.site.urls - live.keys()
            faults += [f"{reading.site.name}: {url} is not known" for url in sorted(missing)[:5]]
            faults += [f"{reading.site.name}: {url} is no page" for url in sorted(live.keys() - reading.site.urls)]
            faults += [f"{reading.site.name}: {url} is live {count} times" for url, count in live.items() if count > 1]
            statuses = {status: int(count) for status, count in connection.execute(text(_SETTLED), source)}
            if sum(statuses.values()) != len(reading.site.urls) or statuses.keys() - {"indexed", "unchanged"}:
                faults.append(f"{reading.site.name}: its pages ended as {statuses}")
        if pending := int(connection.execute(text(_PENDING)).scalar_one()):
            faults.append(f"{pending} versions wait to be indexed")
    return faults


async def vector_faults(record: Engine, store: ObjectStore, folder: str) -> list[str]:
    """Every live chunk has one vector, and nothing else has any."""
    with record.connect() as connection:
        live = set(connection.execute(text(_CHUNKS)).scalars())
    connected = await lancedb.connect_async(f"s3://{store.bucket}/{folder}", storage_options=store.options)
    held: Counter[str] = Counter()
    for name in (await connected.list_tables()).tables:
        table = await connected.open_table(name)
        held.update((await table.query().select(["chunk_id"]).to_arrow())["chunk_id"].to_pylist())
    faults = [f"{len(live - held.keys())} live chunks have no vector"] if live - held.keys() else []
    faults += [f"{len(held.keys() - live)} vectors are of no live chunk"] if held.keys() - live else []
    twice = [chunk_id for chunk_id, count in held.items() if count > 1]
    return faults + ([f"{len(twice)} chunks have several vectors"] if twice else [])


async def machine_faults(machines: Sequence[Machine], readings: Sequence[Reading], token: str) -> list[str]:
    """Each machine's keywords are those of the record, and its web process finds pages by a word of theirs."""
    faults: list[str] = []
    for number, machine in enumerate(machines):
        report = json.loads(await machine.command("doctor", "--json"))
        faults += [f"machine {number}: {finding}" for finding in report["findings"]]
        headers = {"Authorization": f"Bearer {token}"}
        base = f"http://127.0.0.1:{machine.web.port}"
        async with httpx2.AsyncClient(base_url=base, headers=headers, trust_env=False, timeout=60) as http:
            searched = await asyncio.gather(*(_unfound(http, reading) for reading in readings))
        faults += [f"machine {number}: {fault}" for each in searched for fault in each]
    return faults


async def _unfound(http: httpx2.AsyncClient, reading: Reading) -> list[str]:
    faults: list[str] = []
    for page in range(0, len(reading.site.urls) * 9 // 10, _SEARCHED_EVERY):
        marker = reading.site.marker(page)
        answer, found = await _searched(http, reading.agent_id, marker)
        if answer.status_code != 200 or found["trace"]["missing"]:
            faults.append(f"{marker} was searched without {found}"[:200])
        elif marker not in "".join(chunk["text"] for chunk in found["chunks"][:1]):
            faults.append(f"{marker} is not found")
    return faults


async def _searched(http: httpx2.AsyncClient, agent_id: str, marker: str) -> tuple[httpx2.Response, dict[str, Any]]:
    """With every part, for which a machine has a minute: whoever first searches an agent whose vectors are still being
    read from a slow store is answered from keywords, and so are others until that circuit closes."""
    until = asyncio.get_running_loop().time() + 60
    while True:
        answer = await http.post(f"/v1/agents/{agent_id}/search", json={"question": marker})
        found = answer.json()
        is_late = asyncio.get_running_loop().time() > until
        if answer.status_code != 200 or not found["trace"]["missing"] or is_late:
            return answer, found
        await asyncio.sleep(1)
