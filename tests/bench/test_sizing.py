"""What the benchmark of sizes counts with: vectors between real ones, the true nearest, and its figure."""

from pathlib import Path
from uuid import uuid4
from xml.etree import ElementTree

import numpy as np

from app.providers.indexes.lancedb_vector_index import LanceDBVectorIndex
from app.providers.indexes.search_indexes import ChunkVector
from bench.sizing.exact import exact_nearest
from bench.sizing.figure import drawn
from bench.sizing.manual import SpreadingEmbedder
from tests.doubles.hashing_embedder import HashingEmbedder

TEXTS = ["lamps and their batteries", "batteries of lamps", "returns of a lamp", "shipping to Norway"]


async def test_an_original_keeps_its_vector_and_a_copy_is_near_it_and_another() -> None:
    inner = HashingEmbedder()
    spreading = SpreadingEmbedder(inner)
    real = await spreading.embed([f"{text} (copy 0)" for text in TEXTS])
    assert np.allclose(real, await inner.embed(TEXTS), atol=1e-6)
    copies = np.asarray(await spreading.embed([f"{TEXTS[0]} (copy {number})" for number in range(1, 50)]))
    assert np.allclose(np.linalg.norm(copies, axis=1), 1, atol=1e-5)
    assert len({tuple(copy) for copy in copies.tolist()}) == 49
    nearest = np.argmax(copies @ np.asarray(real).T, axis=1)
    assert np.mean(nearest == 0) > 0.5


async def test_the_true_nearest_are_those_of_the_agent_alone(tmp_path: Path) -> None:
    index = LanceDBVectorIndex(str(tmp_path / "vectors"), model_id="model", dimensions=8)
    rng = np.random.default_rng(0)
    ours, theirs, version = uuid4(), uuid4(), uuid4()
    vectors = rng.normal(size=(40, 8))
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    for agent, name in ((ours, "ours"), (theirs, "theirs")):
        rows = [ChunkVector(f"{name}{number}", version, vector.tolist()) for number, vector in enumerate(vectors)]
        await index.put(agent, rows)
    asked = vectors[:3].astype(np.float32)
    found = await exact_nearest(str(tmp_path / "vectors"), [(str(ours), "?")] * 3, asked, 5)
    best = [set(np.argsort(-(vectors @ question))[:5].tolist()) for question in asked]
    assert found == [{f"ours{number}" for number in numbers} for numbers in best]


def test_the_figure_has_a_line_for_each_part_and_a_dot_for_each_size() -> None:
    def size(chunks: int, agents: int = 1, memory: int = 192) -> dict[str, object]:
        times = {name: {"p95": float(chunks) / 1000} for name in ("search", "vectors", "keywords")}
        return {"agents": agents, "chunks": chunks, "vectors_memory_mib": memory, **times}

    sizes = [size(100_000), size(100_000, memory=900), size(1_000), size(10_000), size(1_000, agents=9)]
    root = ElementTree.fromstring(drawn({"sizes": sizes}))
    lines = [each for each in root.iter() if each.tag.endswith("path") and each.get("stroke-width") == "2"]
    assert len(lines) == 3
    assert len([each for each in root.iter() if each.tag.endswith("circle")]) == 9
    assert {"1,000", "10,000", "100,000"} <= {each.text for each in root.iter()}
