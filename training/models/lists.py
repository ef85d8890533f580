"""`python -m training.models.lists`: joins the questions with the passages that answer them, into one file."""

import argparse
import gzip
import json
import random
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Final

from training.models.training_data import (
    COMPANIES,
    NearMiss,
    Passage,
    Question,
    QuestionAnswer,
    TrainingData,
    asked_passages,
    company_site,
)

_BEGINS_CHARS: Final = 60
_SHORTEST_QUESTION: Final = 6
NEAR_MISS_MARK: Final = "!"
_QA_ROWS_A_FILE: Final = 2_500
_QA_PASSAGE_CHARS: Final = 900
_QA_WRONG: Final = 3
_NOT_ENGLISH: Final = re.compile(r"[\u0400-\u9fff]")
_MARKDOWN: Final = re.compile(r"[*_`|\\]")
_SPACES: Final = re.compile(r"\s+")

Joined = tuple[list[Question], list[NearMiss], int]


def main(argv: Sequence[str] | None = None) -> None:
    arguments = _arguments(argv)
    lines = arguments.passages.read_text("utf-8").splitlines()
    rows = [Passage(**json.loads(line)) for line in lines]
    questions, near_misses, lost = _documentation(rows)
    of_companies, near_of_companies, lost_quotes = _companies(rows)
    question_answers = list(_question_answers(arguments.qa)) if arguments.qa else []
    data = TrainingData(rows, questions + of_companies, near_misses + near_of_companies, question_answers)
    data.write(arguments.out)
    print(f"{len(rows)} passages, {len(data.questions)} questions, {len(data.near_misses)} near misses")
    print(f"{len(question_answers)} rows of question sets")
    print(f"Without their passage, so left out: {lost} passages asked about, {lost_quotes} quotes of companies")


def _documentation(rows: Sequence[Passage]) -> Joined:
    """A passage of the same section that holds the whole text of the right one is right as well."""
    by_beginning: dict[tuple[str, str, str, str], int] = {}
    by_section: dict[tuple[str, str], list[int]] = defaultdict(list)
    for index, row in enumerate(rows):
        by_beginning.setdefault((row.site, row.page, row.place, row.text[:_BEGINS_CHARS]), index)
        by_section[row.site, row.section].append(index)
    questions, near_misses, lost = [], [], 0
    for asked in asked_passages():
        found = by_beginning.get((asked.site, asked.page, asked.place, asked.begins))
        if found is None:
            lost += 1
            continue
        row = rows[found]
        holding = [
            index for index in by_section[row.site, row.section] if index != found and row.text in rows[index].text
        ]
        questions += [Question(asked.site, text, (found, *holding)) for text in asked.questions if _is_question(text)]
        near_misses += [NearMiss(asked.site, text, found) for text in asked.near_misses if _is_question(text)]
    return questions, near_misses, lost


def _companies(rows: Sequence[Passage]) -> Joined:
    """A line of their questions is: quote, question and perhaps near misses, separated by tabs. Every passage that
    holds the quote is right."""
    questions, near_misses, lost = [], [], 0
    for file in sorted(COMPANIES.glob("*.tsv")):
        site = company_site(file)
        texts = [(index, plain(row.text)) for index, row in enumerate(rows) if row.site == site]
        for line in file.read_text("utf-8").splitlines():
            quote, *asked = (cell.strip() for cell in line.split("\t"))
            right = tuple(index for index, text in texts if quote and plain(quote) in text)
            if not asked:
                continue
            if not right:
                lost += 1
                continue
            questions.append(Question(site, asked[0], right))
            near_misses += [
                NearMiss(site, text.removeprefix(NEAR_MISS_MARK).strip(), right[0])
                for text in asked[1:]
                if text.startswith(NEAR_MISS_MARK)
            ]
    return questions, near_misses, lost


def _question_answers(folder: Path) -> Iterator[QuestionAnswer]:
    """Of each file the same draw: with a right passage a wrong one of the same question, where there is one, and
    others' right ones."""
    chance = random.Random(3)
    for file in sorted([*folder.glob("*.jsonl"), *folder.glob("*.jsonl.gz")]):
        right: list[tuple[str, str]] = []
        wrong: dict[str, list[str]] = defaultdict(list)
        for row in map(json.loads, _lines(file)):
            if row["label"] == 1:
                right.append((row["question"], row["passage"][:_QA_PASSAGE_CHARS]))
            else:
                wrong[row["question"]].append(row["passage"][:_QA_PASSAGE_CHARS])
        chance.shuffle(right)
        others = sorted({passage for _, passage in right})
        for question, passage in right[:_QA_ROWS_A_FILE]:
            drawn = [other for other in chance.sample(others, min(_QA_WRONG, len(others))) if other != passage]
            yield QuestionAnswer(question, passage, tuple([*wrong[question][:1], *drawn][:_QA_WRONG]))


def _lines(file: Path) -> Iterable[str]:
    told = gzip.decompress(file.read_bytes()) if file.suffix == ".gz" else file.read_bytes()
    return (line for line in told.decode("utf-8").split("\n") if line.strip())


def _is_question(text: str) -> bool:
    return len(text) >= _SHORTEST_QUESTION and not _NOT_ENGLISH.search(text)


def plain(text: str) -> str:
    """The text without Markdown's marks, case-folded, as quotes are looked for."""
    return _MARKDOWN.sub("", _SPACES.sub(" ", text)).strip().casefold()


def _arguments(argv: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--passages", type=Path, default=Path(".venv/training/passages.jsonl"))
    parser.add_argument("--out", type=Path, default=Path(".venv/training/data.json.xz"))
    parser.add_argument(
        "--qa", type=Path, help="folder of English question sets: JSON lines of question, passage, label (1: answers)"
    )
    return parser.parse_args(argv)


if __name__ == "__main__":
    main()
