"""What one question costs the web process: processor time in all threads, and on the event loop.

    python -m bench.question                       this tree, and the server of bench.serving.bare_server
    python -m bench.question --before REVISION     the tree of a revision as well

Each server has a copy of one data folder: an agent of 1,000 chunks. They are asked one question at a time, in turns of
some questions each, so that all feel the same load; read the ratios, which are medians of those of each turn. Each
question is asked once, so nothing of its answer is remembered. Conversations are opened outside of what is measured.
`no model` is answered from the pages' own words, `model` by a double in a process of its own that gives two tokens. The
embedder alone, in this process on the same questions, is what no way of asking saves.
"""

import argparse
import asyncio
import json
import os
import shutil
import tempfile
import time
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AsyncExitStack, ExitStack, asynccontextmanager
from pathlib import Path
from statistics import median
from typing import Final
from urllib.parse import urlsplit
from uuid import uuid4

from rich.console import Console
from rich.table import Table

from app.settings import read_settings
from bench.command_line import revision_tree
from bench.demo_corpus import learnt_by
from bench.load import QUESTIONS, own_services
from bench.serving.client import SITE, request_of
from bench.serving.services import UNFOUNDED
from bench.serving.web_process import PORT, WebProcess, own_environment
from bench.stages.floors import RawEmbedder

_HERE: Final = Path(__file__).resolve().parent.parent
_CHUNKS: Final = 1_000
_TOKENS: Final = 2
_WARM_UP: Final = 40  # of QUESTIONS, which are asked again and again
_ASKED: Final = ("demo_golden_questions.jsonl", "demo_paraphrases.jsonl")
_MODES: Final = {"no model": "", "model": "fake", "model, not confirmed": UNFOUNDED}  # with the chat model's name
_BARE: Final = "bare"


class Asked:
    """One web process, asked one question at a time."""

    def __init__(self, server: WebProcess, agent_id: str) -> None:
        address = urlsplit(server.base)
        self._host, self._port = address.hostname or "", address.port or 80
        self._server = server
        self._agent_id = agent_id
        self._count = 0

    async def ask(self, questions: Sequence[str]) -> tuple[float, float]:
        """Milliseconds a question: of the processor, and of it on the event loop."""
        count = len(questions)
        numbers = range(self._count, self._count + count)
        self._count += count
        tokens = [await self._opened(number) for number in numbers]
        await asyncio.sleep(0.2)  # what follows an opened conversation is no part of a question
        processor, on_loop = self._server.processor_seconds(), self._server.loop_seconds()
        for number, token, question in zip(numbers, tokens, questions, strict=True):
            await self._answered(number, token, question)
        return (
            (self._server.processor_seconds() - processor) / count * 1000,
            (self._server.loop_seconds() - on_loop) / count * 1000,
        )

    async def _opened(self, number: int) -> str:
        said = await self._call("/v1/widget/init", {"agent_id": self._agent_id, "page_url": f"{SITE}/"}, number)
        token: str = json.loads(said.partition(b"\r\n\r\n")[2])["token"]
        return token

    async def _answered(self, number: int, token: str, question: str) -> None:
        body = {"turn_id": str(uuid4()), "message": question, "page_url": f"{SITE}/"}
        said = await self._call("/v1/widget/messages/stream", body, number, token)
        if b"\nevent: done" not in said:
            raise SystemExit(f"no answer: {said[:2000].decode(errors='replace')}")

    async def _call(self, path: str, body: dict[str, str], number: int, token: str = "") -> bytes:
        reader, writer = await asyncio.open_connection(self._host, self._port)
        writer.write(request_of(path, body, number, token))
        said = await reader.read()
        writer.close()
        return said


@asynccontextmanager
async def _serving(
    trees: Mapping[str, Path], folder: Path, agent_id: str, mode: str
) -> AsyncIterator[dict[str, Asked]]:
    async with AsyncExitStack() as ending, own_services(_TOKENS, 1_000) as urls:
        servers: dict[str, WebProcess] = {}
        for name, root in trees.items():
            data = _copied(folder, name, mode)
            environment = {
                "DOCENT_DATA": str(data),
                "DOCENT_TRUSTED_PROXIES": "127.0.0.1",
                "DOCENT_LOG_LEVEL": "warning",
            }
            if chat_model := _MODES[mode]:
                environment |= {"DOCENT_MODEL_URL": urls["model"], "DOCENT_MODEL_NAME": chat_model}
            servers[name] = WebProcess(environment, folder / f"{name}.log", root=root)
        model = [urls["model"]] if _MODES[mode] else []
        command = ("bench.serving.bare_server", PORT, str(_copied(folder, _BARE, mode)), agent_id, *model)
        servers[_BARE] = WebProcess({}, folder / f"{_BARE}.log", command=command)
        asked: dict[str, Asked] = {}
        for name, server in servers.items():
            await server.start()
            ending.push_async_callback(server.stop)
            asked[name] = Asked(server, agent_id)
            await asked[name].ask([_again(number) for number in range(_WARM_UP)])
        yield asked


def _copied(folder: Path, name: str, mode: str) -> Path:
    data = folder / f"data {name} {mode}"
    shutil.copytree(folder / "data", data)
    return data


def _again(number: int) -> str:
    return f"{QUESTIONS[number % len(QUESTIONS)]} ({number})"


def new_questions() -> list[str]:
    """What the demonstration site is asked in tests, each once."""
    lines = [line for name in _ASKED for line in (_HERE / "tests" / "data" / name).read_text("utf-8").splitlines()]
    return list(dict.fromkeys(json.loads(line)["question"] for line in lines))


def _embedder_alone(threads: int) -> float:
    """Milliseconds of the processor a question."""
    embedder = RawEmbedder(threads)
    spent = []
    for number in range(_WARM_UP + 100):
        began = time.process_time()
        embedder.run([_again(number)])
        spent.append((time.process_time() - began) * 1000)
    return median(spent[_WARM_UP:])


async def measure(
    trees: Mapping[str, Path], questions: Sequence[Sequence[str]]
) -> dict[str, dict[str, list[tuple[float, float]]]]:
    """By mode and server, what each turn of questions cost."""
    found: dict[str, dict[str, list[tuple[float, float]]]] = {}
    with tempfile.TemporaryDirectory(prefix="docent-bench-") as parent:
        folder = Path(parent)
        own_environment()
        agent_id = await learnt_by(next(iter(trees.values())), folder / "data", _CHUNKS)  # the older one
        for mode in _MODES:
            async with _serving(trees, folder, agent_id, mode) as asked:
                found[mode] = {name: [] for name in asked}
                for number, turn in enumerate(questions):
                    for name in list(asked) if number % 2 else reversed(asked):
                        found[mode][name].append(await asked[name].ask(turn))
    return found


def _ratio(turns: Sequence[tuple[float, float]], others: Sequence[tuple[float, float]]) -> float:
    """Of processor time. Those of a turn were asked within seconds of each other."""
    return median(one / other for (one, _), (other, _) in zip(turns, others, strict=True))


def _table(found: Mapping[str, Mapping[str, Sequence[tuple[float, float]]]], embedder: float) -> Table:
    beside = ("of the first", "of the bare server")
    table = Table("", "server", "processor ms", "least to most", "outside the embedder", "on the loop ms", *beside)
    for mode, by_server in found.items():
        first = next(iter(by_server.values()))
        for name, turns in by_server.items():
            processor, on_loop = ([turn[part] for turn in turns] for part in (0, 1))
            middle = median(processor)
            table.add_row(
                mode,
                name,
                f"{middle:.1f}",
                f"{min(processor):.1f} to {max(processor):.1f}",
                f"{middle - embedder:.1f}",
                f"{median(on_loop):.1f}",
                f"{_ratio(turns, first):.2f}",
                f"{_ratio(turns, by_server[_BARE]):.2f}",
            )
    return table


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--before", metavar="REVISION", help="measure this revision beside the tree")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--questions", type=int, default=20, help="of a turn")
    parser.add_argument("--json", action="store_true", help="one object on one line")
    options = parser.parse_args()
    new = new_questions()
    if options.rounds * options.questions > len(new):
        parser.error(f"--rounds times --questions: there are {len(new)} new questions.")
    turns = [list(new[turn :: options.rounds][: options.questions]) for turn in range(options.rounds)]
    with ExitStack() as ending:
        trees = {"now": _HERE}
        if options.before:
            folder = Path(ending.enter_context(tempfile.TemporaryDirectory(prefix="docent-before-")))
            trees = {"before": ending.enter_context(revision_tree(options.before, folder))} | trees
        found = asyncio.run(measure(trees, turns))
    embedder = _embedder_alone(read_settings().threads)
    if options.json:
        ratios = {
            "question_cpu_vs_bare": _ratio(found["model"]["now"], found["model"][_BARE]),
            "new_question_cpu_ms": median(processor for processor, _ in found["no model"]["now"]),
        }
        load = os.getloadavg()[0]
        figures = {"cores": os.cpu_count(), "load": load, "embedder_ms": embedder, "milliseconds": found}
        print(json.dumps({"ratios": ratios, **figures}))
        return
    Console(width=118).print(_table(found, embedder))
    print(f"the embedder alone: {embedder:.1f} ms; {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}")


if __name__ == "__main__":
    main()
