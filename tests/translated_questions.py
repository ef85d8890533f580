"""Asks the questions of a set of help centres in other languages than their English pages."""

import json
import subprocess
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

_TRANSLATED = Path(__file__).resolve().parent / "data" / "help_centre_questions_translated.jsonl"
_DOCENT = Path(sys.executable).with_name("docent")


def translated(questions: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Each translation with the rest of its question; its id tells the language too."""
    by_id = {question["id"]: question for question in questions}
    said = [each for each in _rows(_TRANSLATED) if each["id"] in by_id]
    return [dict(by_id[each["id"]]) | each | {"id": f"{each['id']}-{each['language']}"} for each in said]


def by_language(answers: Sequence[Mapping[str, Any]]) -> dict[str, dict[str, int]]:
    """How many were `right`, `wrong` and `refused` of the answerable ones, and `honest` or `made_up` of the others."""
    counts: dict[str, Counter[str]] = {}
    for answer in answers:
        counts.setdefault(answer["id"].rpartition("-")[2], Counter())[answer["verdict"]] += 1
    return {language: dict(counts[language]) for language in sorted(counts)}


def _rows(file: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in file.read_text("utf-8").splitlines()]


def asked(folder: Path, data: Path) -> dict[str, dict[str, int]]:
    """What `by_language` counts. `folder` is a set with `questions.jsonl` and `run.py`; `data` keeps what was crawled
    and answered."""
    data.mkdir(parents=True, exist_ok=True)
    questions, answers = data / "questions.jsonl", data / "answers.jsonl"
    rows = translated(_rows(folder / "questions.jsonl"))
    questions.write_text("".join(f"{json.dumps(row, ensure_ascii=False)}\n" for row in rows), "utf-8")
    run = [sys.executable, str(folder / "run.py"), "--docent", str(_DOCENT), "--data", str(data)]
    subprocess.run([*run, "--questions", str(questions), "--out", str(answers)], check=True, stdout=subprocess.DEVNULL)
    return by_language(_rows(answers))
