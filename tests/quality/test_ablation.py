"""What a mechanism is worth, on a search whose settings decide everything."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import pytest

from app.agents.retrieval_settings import RerankMode, RetrievalSettings
from app.quality.evaluation.ablation import MECHANISMS, Mechanism, ablate
from app.quality.evaluation.evaluation import Hit, StagedRanking, StagedSearch
from app.quality.evaluation.evaluation_set import EvaluationSet, Question, SetChunk, SetDocument

OF = EvaluationSet(
    "tiny",
    (SetDocument("d", "One", None),),
    (SetChunk("right", "d", "first"), SetChunk("wrong", "d", "second")),
    (
        Question("q1", "first?", True, "answerable", ("right",), ("d",)),
        Question("q2", "first, please?", True, "answerable", ("right",), ("d",)),
        Question("q3", "nothing?", False, "off_topic"),
    ),
)


@dataclass
class SettledSearch:
    """Finds the right chunk first when age counts; is unsure of what is off topic unless thumbs count. Each pair costs
    5 ms, age 2 ms."""

    settings: RetrievalSettings = field(default_factory=RetrievalSettings)
    has_model: bool = False

    def by(self, settings: RetrievalSettings) -> StagedSearch:
        return _Settled(settings)


@dataclass
class _Settled:
    settings: RetrievalSettings

    async def search(self, question: Question) -> StagedRanking:
        order = ["right", "wrong"] if self.settings.freshness_weight else ["wrong", "right"]
        sure = question.is_answerable or self.settings.engagement_weight > 0
        pairs = 4 if self.settings.rerank is RerankMode.VOTE else 0
        spent = {"rerank": 5.0 * pairs, "recall": 7.0, "freshness": 2.0 if self.settings.freshness_weight else 0.0}
        hits = [Hit("d", chunk) for chunk in order]
        return StagedRanking({"reranked": hits}, 0.9 if sure else 0.1, not sure, milliseconds=spent, pairs=pairs)


async def effect(name: str, changes: Mapping[str, Any]) -> Any:
    [found] = await ablate(OF, SettledSearch(), [Mechanism(name, changes)])
    return found


async def test_a_gain_is_the_mean_difference_over_the_same_questions() -> None:
    found = await effect("age", {"freshness_weight": 0.1})
    assert found.gains["mrr@10"] == (0.5, 0.5, 0.5)
    assert found.gains["pass@5"] == (0, 0, 0)
    assert found.milliseconds == pytest.approx(2)


async def test_what_it_does_to_the_confidence_is_told_by_kind() -> None:
    assert (await effect("thumbs", {"engagement_weight": 0.1})).auroc == {"off_topic": -0.5}


async def test_the_cross_encoder_costs_the_pairs_that_it_reads() -> None:
    assert (await effect("none", {"rerank": RerankMode.VOTE})).milliseconds == pytest.approx(20)


async def test_what_needs_a_chat_model_is_tried_only_with_one() -> None:
    alone = await ablate(OF, SettledSearch(), MECHANISMS)
    helped = await ablate(OF, SettledSearch(has_model=True), MECHANISMS)
    missing = {found.mechanism.name for found in helped} - {found.mechanism.name for found in alone}
    assert missing == {mechanism.name for mechanism in MECHANISMS if mechanism.needs_model} != set()
