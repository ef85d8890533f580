"""Two machines with a data folder each, on one Postgres, one Redis and one object store: what is learnt on one is
answered on both, and a machine that dies is missed by nobody."""

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from uuid import uuid4

import httpx2
import pytest

from app.cli.demo.script import ApiClient, Demonstration, nimbrel_plan
from app.cli.demo.site_server import serve_demo_site
from tests.doubles.postgres_server import running_postgres
from tests.nemesis.docent_processes import free_port
from tests.scale.object_store import ObjectStore, running_object_store
from tests.scale.redis_server import running_redis

SECONDS = 400  # for whatever is waited for
ASKED = {
    "How long is the warranty on a station?": "/warranty/",
    "How do I return a station?": "/returns/",
    "How do I verify the signature of a webhook?": "/integrations/webhooks/",
}


@dataclass
class Machine:
    """Its web process and its worker, on a data folder that no other machine sees."""

    folder: Path
    shared: dict[str, str]
    port: int = field(default_factory=free_port)
    running: list["subprocess.Popen[bytes]"] = field(default_factory=list)

    @property
    def environment(self) -> dict[str, str]:
        own = {"DOCENT_DATA": str(self.folder / "data"), "DOCENT_PORT": str(self.port), "TMPDIR": str(self.folder)}
        return os.environ | self.shared | own

    def command(self, *words: str) -> str:
        done = subprocess.run(
            [sys.executable, "-m", "app.cli", *words], env=self.environment, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    def start(self, *commands: str) -> None:
        for word in commands or ("serve", "work"):
            with (self.folder / f"{word}.log").open("ab") as log:
                self.running.append(
                    subprocess.Popen(
                        [sys.executable, "-m", "app.cli", word], env=self.environment, stdout=log, stderr=log
                    )
                )

    def kill(self) -> None:
        """As a machine whose power fails."""
        for process in self.running:
            process.kill()
            process.wait()
        self.running.clear()

    def client(self, token: str) -> ApiClient:
        return ApiClient(f"http://127.0.0.1:{self.port}", token)


@dataclass
class Cluster:
    machines: list[Machine]
    demonstration: Demonstration
    token: str
    site: str
    store: ObjectStore

    def found(self, machine: Machine, question: str) -> dict[str, Any]:
        """By both indexes: while a store is slow to read, keywords answer alone."""
        path, client = f"/v1/agents/{self.demonstration.agent_id}/search", machine.client(self.token)
        found: dict[str, Any] = {}

        def is_whole() -> bool:
            found.update(client.post(path, {"question": question}))
            return not found["trace"]["missing"]

        until(is_whole)
        return found

    def best(self, machine: Machine, question: str) -> list[str]:
        """Where the first three stand. Further down, what an index has dropped and not yet written
        anew still counts in its statistics."""
        return [chunk["url"] for chunk in self.found(machine, question)["chunks"][:3]]

    def uploaded_objects(self, source: str) -> list[str]:
        return [key for key in self.store.object_keys("files/") if source in key]

    def answer(self, machine: Machine, question: str) -> dict[str, Any]:
        """The last event of a visitor's answer there."""
        client = machine.client(self.token)
        visitor = client.open_conversation(self.demonstration.agent_id, f"{self.site}/", self.site)
        return list(client.ask(visitor, question, f"{self.site}/", self.site))[-1]


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    with ExitStack() as opened:
        postgres, redis = opened.enter_context(running_postgres()), opened.enter_context(running_redis())
        store, site = opened.enter_context(running_object_store()), opened.enter_context(serve_demo_site())
        shared = {
            "DOCENT_DATABASE_URL": postgres.url,
            "DOCENT_SECRET_KEY": "",
            "DOCENT_REDIS_URL": redis.url,
            "DOCENT_VECTORS_URI": f"s3://{store.bucket}/vectors",
            "DOCENT_VECTORS_OPTIONS": store.setting,
            "DOCENT_FILES_URI": f"s3://{store.bucket}/files",
            "DOCENT_KEYWORDS": "own",
            "DOCENT_CRAWL_ALLOW": site.base.removeprefix("http://"),
            "DOCENT_CRAWL_DELAY_SECONDS": "0",
            "DOCENT_LOG_LEVEL": "warning",
        }
        machines = [Machine(tmp_path_factory.mktemp(f"machine{number}"), shared) for number in range(2)]
        shared["DOCENT_SECRET_KEY"] = machines[0].command("secrets", "new-key").strip()
        token = json.loads(machines[0].command("token", "create", "machines", "--json"))["token"]
        for machine in machines:
            opened.callback(machine.kill)
            machine.start()
        for machine in machines:
            until(machine.client(token).is_ready)
        demonstration = Demonstration(machines[0].client(token), nimbrel_plan(site.base, ()))
        demonstration.set_up()
        ended = demonstration.crawl(lambda _: None)
        assert ended["state"] == "finished", ended
        yield Cluster(machines, demonstration, token, site.base, store)


def until(holds: Any) -> None:
    give_up_at = time.monotonic() + SECONDS
    while not holds():
        assert time.monotonic() < give_up_at
        time.sleep(0.1)


def test_what_one_machine_read_is_found_on_both(cluster: Cluster) -> None:
    for question, path in ASKED.items():
        first, second = (cluster.best(machine, question) for machine in cluster.machines)
        assert any(path in url for url in first)
        assert first == second


def test_visitors_are_answered_on_both(cluster: Cluster) -> None:
    for machine in cluster.machines:
        done = cluster.answer(machine, "How long is the warranty on a station?")
        assert done["event"] == "done"
        assert not done["low_confidence"]


def test_what_is_added_and_deleted_on_one_is_added_and_deleted_on_the_other(cluster: Cluster) -> None:
    here, there = cluster.machines
    client, agent_id = here.client(cluster.token), cluster.demonstration.agent_id
    text = "The grotto opens at 7 in the morning. Bring a lantern to the grotto."
    source = client.post(f"/v1/agents/{agent_id}/sources", {"kind": "text", "name": f"Grotto {uuid4()}", "text": text})
    client.post(f"/v1/sources/{source['id']}/sync")
    until(lambda: client.get(f"/v1/sources/{source['id']}")["run"]["state"] == "finished")
    found = cluster.found(there, "When does the grotto open?")
    assert "grotto" in found["chunks"][0]["text"]
    headers = {"Authorization": f"Bearer {cluster.token}"}
    gone = httpx2.delete(f"{client.base}/v1/sources/{source['id']}", headers=headers, trust_env=False)
    assert gone.status_code == 200
    assert all("grotto" not in chunk["text"] for chunk in cluster.found(there, "grotto")["chunks"])


def test_a_file_that_one_machine_took_is_read_by_another_and_given_out_by_a_third(cluster: Cluster) -> None:
    here, there = cluster.machines
    door = Machine(here.folder / "door", here.shared)
    door.folder.mkdir()
    headers = {"Authorization": f"Bearer {cluster.token}"}
    body = b"# Lighthouse\n\nThe lighthouse is painted on the first Monday of May.\n"
    try:
        door.start("serve")  # nobody works there
        until(door.client(cluster.token).is_ready)
        uploaded = httpx2.post(
            f"{door.client('').base}/v1/agents/{cluster.demonstration.agent_id}/files",
            files={"file": ("lighthouse.md", body)},
            headers=headers,
            trust_env=False,
            timeout=SECONDS,
        )
        assert uploaded.status_code == 201, uploaded.text
        source = uploaded.json()["source_id"]
        door.client(cluster.token).post(f"/v1/sources/{source}/sync")
    finally:
        door.kill()
    client = here.client(cluster.token)
    until(lambda: client.get(f"/v1/sources/{source}")["run"]["state"] == "finished")
    assert "lighthouse" in cluster.found(here, "When is the lighthouse painted?")["chunks"][0]["text"]
    given = httpx2.get(
        f"{there.client('').base}/v1/sources/{source}/file/content", headers=headers, trust_env=False, timeout=SECONDS
    )
    assert given.content == body
    assert cluster.uploaded_objects(source)
    deleted = httpx2.delete(f"{client.base}/v1/sources/{source}", headers=headers, trust_env=False)
    receipt = deleted.json()["id"]
    until(lambda: client.get(f"/v1/deletions/{receipt}")["state"] == "verified")
    assert not cluster.uploaded_objects(source)


def test_a_machine_that_dies_is_missed_by_nobody_and_comes_back_empty(cluster: Cluster) -> None:
    dead, alive = cluster.machines
    before = cluster.best(dead, "How do I return a station?")
    client = alive.client(cluster.token)
    source = client.get(f"/v1/agents/{cluster.demonstration.agent_id}/sources")["items"][0]
    client.post(f"/v1/sources/{source['id']}/sync")
    dead.kill()
    assert cluster.answer(alive, "How do I return a station?")["event"] == "done"
    until(lambda: client.get(f"/v1/sources/{source['id']}")["run"]["state"] == "finished")
    new = Machine(dead.folder / "new", dead.shared)
    new.folder.mkdir()
    try:
        new.start()
        until(new.client(cluster.token).is_ready)
        until(lambda: cluster.found(new, "How do I return a station?")["trace"]["missing"] == [])
        assert cluster.best(new, "How do I return a station?") == before
        assert json.loads(new.command("doctor", "--json"))["findings"] == []
    finally:
        new.kill()
