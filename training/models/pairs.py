"""Pairs of a question and a passage, by what each is of: so a teacher's logits are kept for those who learn from it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

from training.models.batches import Tokens
from training.models.mining import MinedData

Kind = Literal["question", "near miss", "row"]


class PairKey(NamedTuple):
    """`asked` is the index of a question, of a near miss or of a row of question sets, by its `kind`. `told` is the
    index of a passage, or of a row's passages, its right one first."""

    kind: Kind
    asked: int
    told: int


Pair = tuple[Tokens, Tokens]
"""Question and passage."""

Scores = Mapping[PairKey, float]
"""The teacher's logit of each pair."""


@dataclass(frozen=True, slots=True)
class AskedList:
    """Pairs of one question, that of the right passage first where it `is_answered`."""

    keys: list[PairKey]
    is_answered: bool


def question_list(question: int, right: int, wrong: list[int]) -> AskedList:
    return AskedList([PairKey("question", question, each) for each in (right, *wrong)], True)


def near_miss_list(mined: MinedData, index: int, others: Sequence[int] = ()) -> AskedList:
    passages = (mined.data.near_misses[index].passage, *others)
    return AskedList([PairKey("near miss", index, each) for each in passages], False)


def row_list(mined: MinedData, index: int) -> AskedList:
    passages = 1 + len(mined.data.question_answers[index].wrong)
    return AskedList([PairKey("row", index, each) for each in range(passages)], True)


def pair(mined: MinedData, key: PairKey) -> Pair:
    """Its tokens; a passage of a site is read after its place."""
    texts = mined.texts
    if key.kind == "question":
        return texts.questions[key.asked], texts.placed[key.told]
    if key.kind == "near miss":
        return texts.near_misses[key.asked], texts.placed[key.told]
    passages = (texts.qa_right[key.asked], *texts.qa_wrong[key.asked])
    return texts.qa_questions[key.asked], passages[key.told]
