"""Are the answers over real documentation sites right? Docent crawls each site, answers over HTTP, and is marked.

Each site's pages come from a Debian package (`apt-get download`, no root needed). What was downloaded and crawled stays
in the data folder and is used again; after a change to crawling, chunking or embedding, use `--recrawl`. Settings in
the environment (DOCENT_MODEL_URL ...) reach Docent, but for its data folder.
"""

import argparse
import asyncio
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any
from uuid import uuid4

import httpx2

from bench.crawling.site import website_online
from bench.serving.web_process import WebProcess
from bench.sites.marks import EARLY_CHARS, Answer, Figures, Mark, figures, mark
from bench.sites.question_set import OWN_SET, Question, Site, read_questions, read_sites

_ORIGIN = "http://visitor.test"
_ANSWER_SECONDS = 300
_COUNTS = (
    ("right", "right", "answerable"),
    (f"in {EARLY_CHARS} ch.", "early", "answerable"),
    ("right page", "right_page", "answerable"),
    ("refused", "refused", "answerable"),
    ("unans. held back", "held_back", "unanswerable"),
)
_OTHERS = (("mean chars", "mean_chars"), ("AUROC r/w", "auroc_right"), ("AUROC ans.", "auroc_answerable"))


def main() -> None:
    arguments = _arguments()
    questions = _questions(arguments)
    if arguments.rescore:
        marks = list(_kept_marks(arguments.rescore, questions))
    else:
        marks = asyncio.run(_all_asked(arguments, questions))
    if not marks:
        raise SystemExit("No question was marked.")
    _report(marks)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--set", type=Path, default=OWN_SET, help="folder with sites.json and questions/SITE.jsonl")
    parser.add_argument("--sites", help="names of sites, comma separated (all)")
    parser.add_argument("--limit", type=int, help="the first questions of each site alone")
    parser.add_argument("--data", type=Path, default=Path(".venv/own-sites"), help="for packages, agents and answers")
    parser.add_argument("--recrawl", action="store_true", help="read the sites again")
    parser.add_argument("--rescore", type=Path, metavar="ANSWERS", help="mark kept answers again and ask nothing")
    return parser.parse_args()


def _questions(arguments: argparse.Namespace) -> dict[Site, list[Question]]:
    if not (arguments.set / "sites.json").is_file():
        raise SystemExit(f"--set: {arguments.set} has no sites.json; bench/sites/README.md says what a set holds")
    sites = read_sites(arguments.set)
    names = arguments.sites.split(",") if arguments.sites else list(sites)
    if unknown := [name for name in names if name not in sites]:
        raise SystemExit(f"--sites: no site {', '.join(unknown)}; there are {', '.join(sites)}")
    try:
        return {sites[name]: read_questions(arguments.set, name)[: arguments.limit] for name in names}
    except (OSError, ValueError) as error:
        raise SystemExit(f"--set: {error}") from error


def _kept_marks(file: Path, questions: dict[Site, list[Question]]) -> Iterator[Mark]:
    """Answers to questions that were reworded or taken out since are left out."""
    asked = {(question.site, question.text): question for each in questions.values() for question in each}
    for line in file.read_text("utf-8").splitlines():
        kept = json.loads(line)
        if question := asked.get((kept["site"], kept["question"])):
            yield mark(question, Answer.of(kept["told"]))


async def _all_asked(arguments: argparse.Namespace, questions: dict[Site, list[Question]]) -> list[Mark]:
    data = arguments.data.resolve()
    data.mkdir(parents=True, exist_ok=True)
    marks = []
    with (data / "answers.jsonl").open("w", encoding="utf-8") as kept:
        for site, asked in questions.items():
            agent = await asyncio.to_thread(_learnt, site, data, anew=arguments.recrawl)
            for question, told in zip(asked, await _answers(data / site.name, agent, asked), strict=True):
                marks.append(mark(question, Answer.of(told)))
                found = {"verdict": marks[-1].verdict, "missing": marks[-1].missing}
                row = {"site": site.name, "question": question.text, **found, "told": told}
                kept.write(json.dumps(row, ensure_ascii=False) + "\n")
            _say(f"{site.name}: asked {len(asked)} questions")
    _say(f"Answers: {data / 'answers.jsonl'}")
    return marks


def _learnt(site: Site, data: Path, *, anew: bool) -> str:
    """The id of an agent that has read the site. One that broke off before its end is made again."""
    home, packages = data / site.name, data / "packages"
    note = home / "agent.json"
    if note.exists() and not anew:
        agent: str = json.loads(note.read_text())["agent"]
        return agent
    shutil.rmtree(home, ignore_errors=True)
    home.mkdir(parents=True)
    site.fetch(packages)
    agent = _docent(home, "agent", "create", site.title, "--origin", _ORIGIN)["id"]
    with website_online(partial(site.website, packages)) as origin:
        _say(f"{site.name}: reading {len(site.files(packages))} pages")
        endpoint = origin.removeprefix("http://")
        read = _docent(home, "crawl", f"{origin}/", "--agent", agent, "--allow", endpoint)
    _say(f"{site.name}: {read['counts']}")
    note.write_text(json.dumps({"agent": agent, "counts": read["counts"]}))
    return agent


def _environment(home: Path) -> dict[str, str]:
    return {
        "DOCENT_DATA": str(home / "docent"),
        "DOCENT_CRAWL_DELAY_SECONDS": "0",
        "DOCENT_TRUSTED_PROXIES": "127.0.0.1",
        "DOCENT_LOG_LEVEL": "warning",
    }


def _docent(home: Path, *command: str) -> Any:
    """What a command prints as JSON. Raises SystemExit where it fails; it has said why by then."""
    words = [sys.executable, "-m", "app.cli", *command, "--json"]
    done = subprocess.run(words, env=os.environ | _environment(home), stdout=subprocess.PIPE, text=True)
    if done.returncode:
        raise SystemExit(f"docent {' '.join(command)} ended with {done.returncode}")
    return json.loads(done.stdout.splitlines()[-1])


async def _answers(home: Path, agent: str, questions: Sequence[Question]) -> list[dict[str, Any]]:
    """What the widget would get, each question in a conversation of its own, one after the other."""
    server = WebProcess(_environment(home), home / "serve.log")
    await server.start()
    try:
        async with httpx2.AsyncClient(base_url=server.base, trust_env=False, timeout=_ANSWER_SECONDS) as http:
            return [await _answer(http, agent, question, number) for number, question in enumerate(questions)]
    finally:
        await server.stop()


async def _answer(http: httpx2.AsyncClient, agent: str, question: Question, number: int) -> dict[str, Any]:
    # Each visitor has an address of its own, as limits count addresses.
    headers = {"Origin": _ORIGIN, "X-Forwarded-For": f"10.1.{number >> 8 & 255}.{number & 255}"}
    page = f"{_ORIGIN}/"
    opened = await http.post("/v1/widget/init", json={"agent_id": agent, "page_url": page}, headers=headers)
    headers["Authorization"] = f"Bearer {opened.raise_for_status().json()['token']}"
    body = {"turn_id": str(uuid4()), "message": question.text, "page_url": page}
    answered = await http.post("/v1/widget/messages", json=body, headers=headers)
    told: dict[str, Any] = answered.raise_for_status().json()
    return told


def _report(marks: Sequence[Mark]) -> None:
    """A table for people, and the same on one line of JSON for programs."""
    by_site = {name: figures(of) for name, of in _grouped((mark.question.site, mark) for mark in marks)}
    by_kind = {
        name: figures(of)
        for name, of in _grouped((mark.question.kind, mark) for mark in marks if mark.question.is_answerable)
    }
    total = figures(marks)
    columns = ["", *(name for name, *_ in _COUNTS), *(name for name, _ in _OTHERS)]
    rows = [columns, *(_row(name, each) for name, each in {**by_site, **by_kind, "total": total}.items())]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        print("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip())
    print(json.dumps({"sites": _told(by_site), "kinds": _told(by_kind), "total": asdict(total)}))


def _grouped(named: Iterable[tuple[str, Mark]]) -> Iterable[tuple[str, list[Mark]]]:
    groups: dict[str, list[Mark]] = {}
    for name, each in named:
        groups.setdefault(name, []).append(each)
    return groups.items()


def _row(name: str, of: Figures) -> list[str]:
    said: dict[str, Any] = asdict(of)
    counts = [f"{said[count]}/{said[whole]}" for _, count, whole in _COUNTS]
    return [name, *counts, *("" if said[key] is None else f"{said[key]}" for _, key in _OTHERS)]


def _told(groups: dict[str, Figures]) -> dict[str, Any]:
    return {name: asdict(each) for name, each in groups.items()}


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
