"""`python -m bench.suite`: all benchmarks that have a figure in `bench/results.json`, one after the other.

    python -m bench.suite            measures, and writes bench/results.json
    python -m bench.suite --check    measures, and fails where a figure is more than 15 % above the one in the file
    python -m bench.suite --check --only index_calls,turn_size    these two alone

Each is a process of its own. One that fails ends the run, and nothing is written. One that lacks something on this
machine says what; its figure is then absent from the file, and `benchmarks` has the reason.
"""

import argparse
import json
import os
import platform
import subprocess
import sys
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any, Final

from bench.results import COMMITTED, BadResults, Results, compared, read_results
from bench.serving.web_process import own_environment

_ROOT: Final = Path(__file__).resolve().parent.parent
_BENCHMARKS: Final[Mapping[str, Sequence[str]]] = {
    "answer_path": ("--chunks", "1000"),
    "question": (),
    "token_cost": (),
    "indexing": (),
    "index_calls": (),
    "at_rest": (),
    "rerank": (),
    "load": ("--only", "first-token", "--streams", "300", "--processes", "2"),
    "peers": (),
    "crawl": ("--workers", "0"),
    "turn_size": (),
    "console_pages": ("--turns", "30000"),
}
_ONCE: Final = frozenset({"index_calls", "turn_size"})  # another round finds the same
_LIBRARIES: Final = ("lancedb", "onnxruntime", "sqlalchemy", "sse-starlette", "starlette", "tantivy", "uvicorn")
_DIGITS: Final = 3


def measure(rounds: int, only: Collection[str] = _BENCHMARKS) -> Results:
    """Exits where a benchmark fails."""
    ratios: dict[str, float] = {}
    benchmarks: dict[str, Any] = {}
    for name in only:
        words = _BENCHMARKS[name]
        figures = _run(name, words if name in _ONCE else [*words, "--rounds", str(rounds)])
        found = {figure: round(value, _DIGITS) for figure, value in figures.pop("ratios").items()}
        for figure, value in found.items():
            print(f"{figure:<32}{value:g}", flush=True)
        lacking = figures.get("not_measured", {})
        for figure, why in lacking.items():
            print(f"{figure:<32}not measured: {why}", flush=True)
        if not found and not lacking:
            print(f"bench.{name} came to no figure; what it measured is below benchmarks", flush=True)
        ratios |= found
        benchmarks[name] = {"rounds": rounds} | figures
    return Results(_machine(), _versions(), datetime.now(UTC).date().isoformat(), ratios, benchmarks)


def _run(name: str, words: Sequence[str]) -> dict[str, Any]:
    """What it prints with `--json`."""
    command = [sys.executable, "-m", f"bench.{name}", *words, "--json"]
    done = subprocess.run(command, cwd=_ROOT, capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(f"bench.{name} failed, so nothing is written:\n{done.stderr[-3000:]}")
    figures: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return figures


def _machine() -> dict[str, str | int]:
    described = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    named = [line.partition(":")[2].strip() for line in described if line.startswith("model name")]
    processor = named[0] if named else platform.machine()
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    return {"processor": processor, "cores": os.cpu_count() or 1, "memory_gib": round(memory / 2**30)}


def _versions() -> dict[str, str]:
    return {"docent": version("docent"), "python": platform.python_version()} | {
        name: version(name) for name in _LIBRARIES
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="compare with bench/results.json, and do not write it")
    parser.add_argument("--rounds", type=int, default=5, help="of each benchmark")
    parser.add_argument("--only", metavar="NAME,...", help=f"with --check, some of {', '.join(_BENCHMARKS)}")
    options = parser.parse_args()
    only = options.only.split(",") if options.only else list(_BENCHMARKS)
    if unknown := sorted(set(only) - set(_BENCHMARKS)):
        parser.error(f"--only: there is no benchmark {', '.join(unknown)}.")
    if options.only and not options.check:
        parser.error("--only needs --check: the file has the figures of one run of all benchmarks.")
    try:
        committed = read_results(COMMITTED) if options.check else None
    except BadResults as error:
        raise SystemExit(str(error)) from error
    own_environment()
    now = measure(options.rounds, only)
    if committed is None:
        now.write(COMMITTED)
        return
    if options.only:
        measured = {name: value for name, value in committed.ratios.items() if name in now.ratios}
        committed = replace(committed, ratios=measured)
    comparison = compared(now, committed)
    for sentence in comparison.skipped:
        print(f"not compared: {sentence}")
    if comparison.failures:
        raise SystemExit("\n".join(comparison.failures))


if __name__ == "__main__":
    main()
