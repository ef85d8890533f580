"""`python -m bench.sizes`: agents of 1,000 to 1,000,000 chunks, and 1,000 agents of 1,000 chunks in one deployment.

A quarter of PostgreSQL's manual is learnt by the shipped model, then again and again with vectors between the real ones
(`bench/sizing/manual.py`). Each size is a data folder of its own: record, vectors and keywords as a worker leaves them.
A process that has seen none of it is then asked 200 questions, which are titles of the manual's pages: whole searches,
without the cross-encoder. What the vector index finds is compared with an exact search of every vector.

Building leaves out the shipped model, whose share grows with the text alone: it is measured once and said by itself.
"""

import argparse
import asyncio
import json
import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from math import ceil
from pathlib import Path
from typing import Any, Final

import numpy as np

from app.bootstrap.infrastructure import open_infrastructure
from app.cli.local_operator import local_operator
from app.cli.terminal import configure_logging
from app.settings import Settings, read_settings
from bench.demo_corpus import DemoCorpus
from bench.serving.web_process import own_environment
from bench.sizing.exact import exact_nearest
from bench.sizing.figure import drawn
from bench.sizing.manual import SpreadingEmbedder, manual_pages

_ROOT: Final = Path(__file__).resolve().parent.parent
RESULTS: Final = _ROOT / "bench" / "sizes.json"
FIGURE: Final = _ROOT / "docs" / "images" / "sizes.svg"
_SIZES: Final = ("1x1000", "1x10000", "1x100000", "1x1000000", "1000x1000")
_QUESTIONS: Final = 200
_COMPARED: Final = 18


@dataclass(frozen=True, slots=True)
class Size:
    """`agents` of `chunks` each, and what they cost. Searches are objects of p50, p95 and cpu, in milliseconds; `first`
    are those whose agent the process has not searched before, as far as there are several agents. With
    `vectors_memory_mib` a process keeps so many MiB of vectors in memory."""

    agents: int
    chunks: int
    vectors_memory_mib: int
    build_seconds: float
    build_cpu_seconds: float
    disk_mib: dict[str, int]
    recall_at_18: float
    cold_ms: float
    at_rest_mib: float
    memory_mib: float
    first: dict[str, float]
    search: dict[str, float]
    vectors: dict[str, float]
    keywords: dict[str, float]


class Sizes:
    """Builds and asks. `parent` is where the data folders lie for as long as they are asked."""

    def __init__(self, parent: Path | None) -> None:
        self._parent = parent
        self._pages = manual_pages()
        titles = sorted({page.title for page in self._pages})
        self._questions = random.Random(0).sample(titles, min(_QUESTIONS, len(titles)))
        self._embedder: SpreadingEmbedder | None = None
        self.embedder_ms_a_chunk = 0.0
        self.manual_chunks = 0

    async def measured(self, agents: int, chunks: int) -> list[Size]:
        """As it comes; where the vectors of an agent do not fit into memory then, also with as much as they need."""
        with tempfile.TemporaryDirectory(prefix="docent-sizes-", dir=self._parent) as folder:
            if self._embedder is None:
                self._embedder = await self._learnt(Path(folder) / "manual")
            data = Path(folder) / "data"
            ids, seconds, cpu = await self._built(data, agents, chunks, self._embedder)
            disk = {name: _mebibytes(data, name) for name in ("docent.sqlite", "vectors", "keywords")}
            usual = Settings.model_fields["vectors_memory_mib"].default
            needed = ceil(chunks * self._embedder.dimensions * np.dtype(np.float32).itemsize / 2**20)
            sizes = []
            for memory in sorted({usual, max(usual, needed)}):
                said = _searched(data, ids, self._questions, memory, Path(folder) / "plan.json")
                asked, vectors, found = (said.pop(name) for name in ("asked", "embedded", "found"))
                true = await exact_nearest(
                    str(data / "vectors"), asked, np.asarray(vectors, dtype=np.float32), min(_COMPARED, chunks)
                )
                hits = sum(len(right & set(keys)) for right, keys in zip(true, found, strict=True))
                recall = hits / sum(len(right) for right in true)
                sizes.append(Size(agents, chunks, memory, seconds, cpu, disk, recall, **said))
            return sizes

    async def _learnt(self, data: Path) -> SpreadingEmbedder:
        """Every text of the manual is known to it."""
        settings = read_settings(data=data, log_level="error")
        configure_logging(settings)
        async with open_infrastructure(settings) as base:
            embedder = SpreadingEmbedder(base.models.embedder)
            corpus = DemoCorpus(base, self._pages, embedder)
            began = time.process_time()
            await corpus.agent_of((await local_operator(base)).workspace_id, corpus.chunk_count)
            self.manual_chunks = corpus.chunk_count
            self.embedder_ms_a_chunk = (time.process_time() - began) * 1000 / corpus.chunk_count
            return embedder

    async def _built(
        self, data: Path, agents: int, chunks: int, embedder: SpreadingEmbedder
    ) -> tuple[list[str], float, float]:
        """The ids of the agents, and what it took: seconds by the clock, and of the processor."""
        settings = read_settings(data=data, log_level="error")
        async with open_infrastructure(settings) as base:
            corpus = DemoCorpus(base, self._pages, embedder)
            workspace_id = (await local_operator(base)).workspace_id
            began, processor = time.perf_counter(), time.process_time()
            made = [str((await corpus.agent_of(workspace_id, chunks)).id) for _ in range(agents)]
            await base.indexes.vectors.compact()
            return made, time.perf_counter() - began, time.process_time() - processor


def _searched(
    data: Path, agents: Sequence[str], questions: Sequence[str], memory_mib: int, plan: Path
) -> dict[str, Any]:
    told = {"data": str(data), "agents": agents, "questions": questions, "vectors_memory_mib": memory_mib}
    plan.write_text(json.dumps(told))
    command = [sys.executable, "-m", "bench.sizing.searches", str(plan)]
    done = subprocess.run(command, cwd=_ROOT, capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(f"bench.sizing.searches failed:\n{done.stderr[-3000:]}")
    said: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return said


def _mebibytes(data: Path, name: str) -> int:
    path = data / name
    files = [path] if path.is_file() else [each for each in path.rglob("*") if each.is_file()]
    return round(sum(each.stat().st_size for each in files) / 2**20)


def _print(size: Size) -> None:
    print(f"{size.agents} x {size.chunks} chunks, {size.vectors_memory_mib} MiB of vectors in memory")
    print(
        f"  built in {size.build_seconds:.0f} s ({size.build_cpu_seconds:.0f} s of the processor), {size.disk_mib} MiB"
    )
    print(f"  first answer of a new process after {size.cold_ms:.0f} ms, {size.memory_mib:.0f} MiB at the most")
    for name in ("first", "search", "vectors", "keywords"):
        figures: dict[str, float] = getattr(size, name)
        print(f"  {name:<9} p50 {figures['p50']:.1f}, p95 {figures['p95']:.1f}, processor {figures['cpu']:.1f} ms")
    print(f"  recall@18 {size.recall_at_18:.4f}", flush=True)


def _size(text: str) -> tuple[int, int]:
    agents, _, chunks = text.partition("x")
    return int(agents), int(chunks)


async def _measure(sizes: Sequence[tuple[int, int]], parent: Path | None, out: Path) -> None:
    bench, found = Sizes(parent), []
    for agents, chunks in sizes:
        for size in await bench.measured(agents, chunks):
            found.append(size)
            _print(size)
        written = {
            "date": datetime.now(UTC).date().isoformat(),
            "cores": os.cpu_count(),
            "load": os.getloadavg()[0],
            "manual_chunks": bench.manual_chunks,
            "embedder_ms_a_chunk": bench.embedder_ms_a_chunk,
            "sizes": [asdict(size) for size in found],
        }
        _write(out, written)


def _write(out: Path, written: dict[str, Any]) -> None:
    out.write_text(json.dumps(written, indent=2) + "\n", encoding="utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", nargs="+", default=list(_SIZES), help="agents x chunks of each, as 1000x1000")
    parser.add_argument("--folder", type=Path, help="where some 10 GiB fit for a million chunks; else the system's own")
    parser.add_argument("--out", type=Path, default=RESULTS, help="the file of the figures")
    parser.add_argument("--draw", action="store_true", help="measure nothing; draw the figure of what was measured")
    options = parser.parse_args()
    if not options.draw:
        own_environment()
        asyncio.run(_measure([_size(text) for text in options.sizes], options.folder, options.out))
    FIGURE.write_text(drawn(json.loads(options.out.read_text(encoding="utf-8"))), encoding="utf-8")


if __name__ == "__main__":
    main()
