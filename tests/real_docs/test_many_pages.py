"""What a second reading costs: nothing is embedded and little is sent where nothing has changed."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest

from tests.doubles.fake_openai import FakeOpenAI
from tests.real_docs.many_pages import PAGES, ManyPages, many_pages_online
from tests.real_docs.running_docent import RunningDocent, running_docent, soon

CRAWL_SECONDS = 1800
CHANGED = 200

pytestmark = pytest.mark.timeout(4000)


@dataclass
class Reader:
    """A Docent that reads the pages, again and again."""

    docent: RunningDocent
    site: ManyPages
    embedder: FakeOpenAI
    source_id: str

    def read(self) -> dict[str, int]:
        """One reading's pages by outcome."""
        self.site.sent_bytes = 0
        run_id = self.docent.client.post(f"/v1/sources/{self.source_id}/sync")["id"]

        def look() -> dict[str, Any] | None:
            run: dict[str, Any] = self.docent.client.get(f"/v1/sources/{self.source_id}")["run"]
            assert run["state"] in {"queued", "running", "finished"}, run
            return run if (run["id"], run["state"]) == (run_id, "finished") else None

        counts: dict[str, int] = soon(look, "the reading ends", CRAWL_SECONDS, look_seconds=1)["counts"]
        return counts

    def embedded(self) -> int:
        """Texts of pages that the embedder has got so far."""
        return sum("Page " in text for asked in self.embedder.asked for text in asked.body["input"])

    def chunks_of(self, path: str) -> set[str]:
        rows = self.docent.rows(
            "SELECT chunks.id, documents.url FROM chunks "
            "JOIN document_versions ON document_versions.id = chunks.version_id "
            "JOIN documents ON documents.id = document_versions.document_id WHERE document_versions.state = 'live'"
        )
        return {chunk for chunk, url in rows if not path or url.endswith(path)}


@pytest.fixture(scope="module")
def reader(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Reader]:
    """Its embedder notes what it gets; which vectors it gives is no matter here."""
    with (
        many_pages_online() as site,
        FakeOpenAI().running() as embedder,
        running_docent(
            tmp_path_factory.mktemp("many") / "data",
            site.site.origin.removeprefix("http://"),
            {
                "DOCENT_EMBEDDINGS_URL": embedder.url,
                "DOCENT_EMBEDDINGS_MODEL": "fake",
                "DOCENT_EMBEDDINGS_DIMENSIONS": "8",
                "DOCENT_EMBEDDINGS_SHORTEN": "true",
            },
        ) as docent,
    ):
        agent_id = docent.client.post("/v1/agents", {"name": "Handbook"})["id"]
        source = {"kind": "sitemap", "name": "Handbook", "url": f"{site.site.origin}/sitemap.xml"}
        source_id = docent.client.post(f"/v1/agents/{agent_id}/sources", source)["id"]
        yield Reader(docent, site, embedder, source_id)


def test_a_second_reading_embeds_and_sends_next_to_nothing(reader: Reader) -> None:
    assert reader.read() == {"indexed": PAGES}
    first_bytes, embedded, chunks = reader.site.sent_bytes, reader.embedded(), reader.chunks_of("")
    assert embedded >= PAGES

    assert reader.read() == {"unchanged": PAGES}
    share = reader.site.sent_bytes / first_bytes
    print(f"{first_bytes} bytes, then {reader.site.sent_bytes}: {100 * share:.1f} %")  # noqa: T201
    assert share <= 0.05
    assert (reader.embedded(), reader.chunks_of("")) == (embedded, chunks)


def test_of_one_changed_page_its_chunks_alone_are_embedded(reader: Reader) -> None:
    embedded, others = reader.embedded(), reader.chunks_of("") - reader.chunks_of(f"/page/{CHANGED}")
    reader.site.write(CHANGED, edition=1)

    assert reader.read() == {"indexed": 1, "unchanged": PAGES - 1}
    new = reader.chunks_of(f"/page/{CHANGED}")
    assert reader.embedded() == embedded + len(new)
    assert reader.chunks_of("") == others | new
