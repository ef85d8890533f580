"""`python -m bench.peers`: Docent's search beside LlamaIndex, Haystack and LangChain on the same chunks and vectors.

Documentation sites of bench/sites are cut and embedded once, as Docent does it; each framework searches these chunks by
vectors and by keywords, and gets the vectors of the questions from memory. So what is compared is what a framework
costs outside the models, in seconds of the processor in all threads, and whether it finds a page that has the answer.
"""

import argparse
import asyncio
import json
import os
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import median
from typing import Final

from rich.console import Console
from rich.table import Table

from bench.peers import environments
from bench.peers.asking import DEPTHS, Contender, Score, beside, best_peer, measure
from bench.peers.preparation import Prepared, prepare
from bench.results import leave_out
from bench.serving.web_process import own_environment
from bench.sites.question_set import OWN_SET, Site, read_sites

_FIGURE: Final = "outside_models_vs_best_peer"
_DOCENT: Final = "Docent"
_PEERS: Final = (
    ("LlamaIndex in memory", "llamaindex", ("memory",)),
    ("LlamaIndex on LanceDB", "llamaindex", ("lancedb",)),
    ("Haystack in memory", "haystack", ()),
    ("LangChain in memory", "langchain", ("memory",)),
    ("LangChain on LanceDB", "langchain", ("lancedb",)),
)


def main() -> None:
    arguments = _arguments()
    if arguments.install:
        environments.install()
    known, packages = read_sites(OWN_SET), arguments.data.resolve() / "packages"
    if unknown := [name for name in arguments.sites if name not in known]:
        raise SystemExit(f"--sites: no site {', '.join(unknown)}; there are {', '.join(known)}")
    sites = [known[name] for name in arguments.sites]
    if lacking := _lacking(sites, packages):
        leave_out(_FIGURE, lacking, as_json=arguments.json)
        return
    own_environment()
    with tempfile.TemporaryDirectory(prefix="docent-peers-") as folder:
        prepared = asyncio.run(_prepared(sites, packages, Path(folder)))
        scores = measure(list(prepared.values()), _contenders(arguments.candidates), arguments.rounds)
    asked = sum(len(site.questions) for site in prepared.values())
    chunks = {name: len(site.page_of) for name, site in prepared.items()}
    if arguments.json:
        best, ratio = best_peer(scores, _DOCENT)
        figures = {
            "best_peer": best,
            "chunks": chunks,
            "questions": asked,
            "candidates": arguments.candidates,
            "versions": environments.versions(),
            "milliseconds": {name: score.milliseconds for name, score in scores.items()},
            "right_pages": {name: score.right for name, score in scores.items()},
        }
        load = os.getloadavg()[0]
        print(json.dumps({"ratios": {_FIGURE: ratio}, "cores": os.cpu_count(), "load": load, **figures}))
        return
    Console(width=118).print(_table(scores, asked))
    print(", ".join(f"{name} {version}" for name, version in environments.versions().items()))
    print(
        f"{asked} questions over {', '.join(f'{count:,} chunks of {name}' for name, count in chunks.items())}; ", end=""
    )
    print(f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}")


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--install", action="store_true", help="today's versions first, into .venv/peers")
    parser.add_argument("--sites", nargs="+", default=["rsyslog", "wireshark"], help="of bench/sites")
    parser.add_argument("--candidates", type=int, default=10, help="that the others ask of each list; Docent asks 50")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--data", type=Path, default=Path(".venv/own-sites"), help="for the sites' packages")
    parser.add_argument("--json", action="store_true", help="one object on one line")
    return parser.parse_args()


def _lacking(sites: Sequence[Site], packages: Path) -> str:
    """What this machine lacks for the comparison, once the sites' pages were looked for."""
    if missing := environments.missing():
        return f"{', '.join(missing)} not installed: make bench-peers"
    try:
        for site in sites:
            site.fetch(packages)
    except SystemExit as error:
        return str(error)
    return ""


async def _prepared(sites: Sequence[Site], packages: Path, folder: Path) -> dict[str, Prepared]:
    prepared = {}
    for site in sites:
        print(f"learning {site.title}", file=sys.stderr, flush=True)
        prepared[site.name] = await prepare(site, packages, folder / site.name)
    return prepared


def _contenders(candidates: int) -> list[Contender]:
    peers = [
        Contender(name, (str(environments.python_of(peer)), "-m", f"bench.peers.by_{peer}", *store, str(candidates)))
        for name, peer, store in _PEERS
    ]
    return [Contender(_DOCENT, (sys.executable, "-m", "bench.peers.by_docent")), *peers]


def _table(scores: Mapping[str, Score], asked: int) -> Table:
    table = Table(
        "", "processor ms a question", "least to most", "Docent to it", *(f"page@{depth}" for depth in DEPTHS)
    )
    for name, score in scores.items():
        spent = score.milliseconds
        ratio = "" if name == _DOCENT else f"{beside(scores[_DOCENT], score):.2f}"
        right = [f"{score.right[depth] / asked:.1%}" for depth in DEPTHS]
        table.add_row(name, f"{median(spent):.1f}", f"{min(spent):.1f} to {max(spent):.1f}", ratio, *right)
    return table


if __name__ == "__main__":
    main()
