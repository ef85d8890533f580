"""What the embedder is trained on: passages, questions that they answer, questions that they do not."""

import json
import lzma
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent
QUESTIONS = FOLDER / "questions.jsonl.xz"
COMPANIES = FOLDER / "companies"


@dataclass(frozen=True, slots=True)
class Passage:
    """What an answer can quote of a page. `section` is the page and the headings down to it; `place` names them to
    the model, which reads place, newline, text."""

    site: str
    page: str
    section: str
    place: str
    text: str


@dataclass(frozen=True, slots=True)
class Question:
    """`right` are the indices of the passages that answer it, the one that it was written for first."""

    site: str
    text: str
    right: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class NearMiss:
    """A question that shares its words with the passage of index `passage`, which does not answer it."""

    site: str
    text: str
    passage: int


@dataclass(frozen=True, slots=True)
class QuestionAnswer:
    """A row of a public question set, which has no site: the answering passage and others that do not answer."""

    question: str
    right: str
    wrong: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class TrainingData:
    passages: list[Passage]
    questions: list[Question]
    near_misses: list[NearMiss]
    question_answers: list[QuestionAnswer]

    def write(self, file: Path) -> None:
        """One JSON object, compressed by xz."""
        with lzma.open(file, "wt", encoding="utf-8") as out:
            json.dump(asdict(self), out, ensure_ascii=False)

    @classmethod
    def read(cls, file: Path) -> "TrainingData":
        with lzma.open(file, "rt", encoding="utf-8") as told:
            rows: dict[str, list[dict[str, Any]]] = json.load(told)
        return cls(
            [Passage(**row) for row in rows["passages"]],
            [Question(row["site"], row["text"], tuple(row["right"])) for row in rows["questions"]],
            [NearMiss(**row) for row in rows["near_misses"]],
            [QuestionAnswer(row["question"], row["right"], tuple(row["wrong"])) for row in rows["question_answers"]],
        )


@dataclass(frozen=True, slots=True)
class AskedPassage:
    """A line of `questions.jsonl.xz`. `begins` has the first 60 characters of the passage's text."""

    site: str
    page: str
    place: str
    begins: str
    questions: tuple[str, ...]
    near_misses: tuple[str, ...]


def company_site(file: Path) -> str:
    """The site of the invented company whose pages, or questions, are in `file`."""
    return f"c{file.stem}"


def asked_passages(file: Path = QUESTIONS) -> Iterator[AskedPassage]:
    with lzma.open(file, "rt", encoding="utf-8") as lines:
        for line in lines:
            row = json.loads(line)
            yield AskedPassage(
                row["site"],
                row["page"],
                row["place"],
                row["begins"],
                tuple(row["questions"]),
                tuple(row["near_misses"]),
            )
