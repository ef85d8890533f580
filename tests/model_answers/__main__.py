"""`make eval-model`: answers as models write them, through the whole path. DATA names further folders with
`sentences*.jsonl` and `languages*.jsonl` about the demonstration site, or with answers of a real model
(`recorded*.jsonl.gz`) and the websites that they are about (`questions.jsonl`, `sites.json`, `sites.tar.gz`). The last
line is one JSON object. With MODEL_URL and MODEL_NAME (and MODEL_KEY), an endpoint answers before that
(`endpoint.py`)."""

import asyncio
import json
import os
import sys
from collections.abc import Sequence
from pathlib import Path

from app.providers.embedding.onnx_embedder import OnnxEmbedder
from app.providers.onnx_threads import EMBEDDER_FOLDER, OnnxThreads
from tests.model_answers import measures
from tests.model_answers.endpoint import measure_endpoint
from tests.model_answers.house import read_site

_KEPT = Path(".venv/eval-model")  # websites are read once


async def measure(folders: Sequence[Path]) -> dict[str, object]:
    if os.environ.get("MODEL_URL"):
        await measure_endpoint(_KEPT, folders)
    counts = measures.Counts()
    threads = OnnxThreads()
    embedder = OnnxEmbedder(EMBEDDER_FOLDER, threads)
    async with measures.demo(_KEPT) as site:
        citations = await measures.citations_understood(site)
        await measures.count_sentences(site, embedder, folders, counts)
    for name, archive in measures.recorded_sites(folders):
        async with read_site(_KEPT / name, name, measures.packed(archive, name)) as site:
            await measures.count_recorded(site, name, folders, counts)
    sentences, marked = await measures.languages_marked(embedder, folders)
    await threads.close()
    sys.stdout.write(
        f"honest sentences {counts.honest[0]}, planted errors {counts.planted[0]}, sentences of other languages "
        f"{sentences}, right answers {counts.right}, wrong answers {counts.wrong}\n"
    )
    return {
        "citations": citations,
        "honest_marked": _share(counts.honest[1], counts.honest[0]),
        "errors_found": _share(counts.planted[1], counts.planted[0]),
        "languages_marked": _share(marked, sentences),
        "reasoning_shown": await measures.reasoning_shown(),
        "right_shown_clean": _share(counts.right_clean, counts.right),
        "wrong_as_sure": _share(counts.wrong_sure, counts.wrong),
        "gaps_on_right": counts.gaps_on_right,
    }


def _share(some: int, of: int) -> float | None:
    return round(some / of, 4) if of else None


if __name__ == "__main__":
    chosen = [Path(each) for argument in sys.argv[1:] for each in argument.split(",") if each]
    sys.stdout.write(f"{json.dumps(asyncio.run(measure(chosen or [measures.OWN])))}\n")
