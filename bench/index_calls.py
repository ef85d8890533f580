"""`python -m bench.index_calls`: how many calls of Python indexing a chunk takes outside the embedder.

Counts functions, of Python and of C, in all threads while the pages of `bench.indexing` are learnt, with given vectors:
the same code makes the same number of calls, on any machine and whatever else runs. Says nothing of the work within
LanceDB and Tantivy, which `bench.indexing` measures in time.
"""

import argparse
import asyncio
import json
import sys
import tempfile
import threading
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from types import FrameType
from typing import Any, Final

from app.bootstrap.infrastructure import open_infrastructure
from app.bootstrap.knowledge import open_knowledge
from app.cli.terminal import configure_logging
from app.providers.embedding.embedder import WrappedEmbedder
from app.settings import read_settings
from bench.indexing import WARM_UP_PAGES, demo_pages, learn_all, new_agent
from bench.serving.web_process import own_environment

_SECONDS_A_TEXT: Final = 0.004  # as an embedder, so that as many pages wait meanwhile


class _GivenVectors(WrappedEmbedder):
    async def embed(self, texts: Sequence[str]) -> list[list[float]]:
        await asyncio.sleep(_SECONDS_A_TEXT * len(texts))
        return [[1.0, *[0.0] * (self.dimensions - 1)]] * len(texts)


class _Calls:
    """Counts those of this thread and of all that start later, between `begin` and `end`."""

    def __init__(self) -> None:
        self.count = 0
        self._counts = False
        threading.setprofile(self._note)
        sys.setprofile(self._note)

    def begin(self) -> None:
        self._counts = True

    def end(self) -> None:
        self._counts = False
        threading.setprofile(None)
        sys.setprofile(None)

    def _note(self, frame: FrameType, event: str, argument: Any) -> None:
        if self._counts and event in {"call", "c_call"}:
            self.count += 1


async def measure() -> tuple[int, int]:
    """Calls, and the chunks that they have indexed."""
    calls = _Calls()
    with tempfile.TemporaryDirectory(prefix="docent-indexing-") as folder:
        settings = read_settings(data=Path(folder), log_level="error")
        configure_logging(settings)
        async with open_infrastructure(settings) as base:
            agent, source = await new_agent(base)
            models = replace(base.models, embedder=_GivenVectors(base.models.embedder))
            async with open_knowledge(replace(base, models=models)) as knowledge:
                pages = demo_pages()
                await learn_all(knowledge.ingest, agent.id, source.id, pages[:WARM_UP_PAGES], 1)
                calls.begin()
                chunks = await learn_all(knowledge.ingest, agent.id, source.id, pages[WARM_UP_PAGES:])
                calls.end()
    return calls.count, chunks


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", action="store_true", help="one object on one line")
    options = parser.parse_args()
    own_environment()
    count, chunks = asyncio.run(measure())
    if options.json:
        print(json.dumps({"ratios": {"index_calls_a_chunk": count / chunks}, "chunks": chunks}))
        return
    print(f"{chunks} chunks, {count / chunks:.0f} calls for each")


if __name__ == "__main__":
    main()
