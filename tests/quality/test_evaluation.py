import pytest

from app.core.errors import IndexUnavailable
from app.quality.evaluation.evaluation import Hit, StagedRanking, evaluate
from app.quality.evaluation.evaluation_set import EvaluationSet, Question, SetChunk, SetDocument

DOCUMENTS = (SetDocument("d1", "One", None), SetDocument("d2", "Two", None))
CHUNKS = (SetChunk("a", "d1", "first"), SetChunk("b", "d1", "second"), SetChunk("twin", "d2", " first "))
BOTH = (
    Question("q1", "first?", True, "answerable", ("a",), ("d1",)),
    Question("q2", "nothing?", False, "off_topic"),
)


class ScriptedSearch:
    """Finds the same for every question; is sure of what can be answered alone."""

    def __init__(self, *hits: tuple[str, str], fails: bool = False) -> None:
        self._hits = [Hit(*hit) for hit in hits]
        self._fails = fails

    async def search(self, question: Question) -> StagedRanking:
        if self._fails:
            raise IndexUnavailable("gone")
        stages = {"vector": self._hits, "keyword": [], "fused": self._hits, "reranked": self._hits[::-1]}
        confidence = 0.9 if question.is_answerable else 0.2
        return StagedRanking(stages, confidence, is_low_confidence=confidence < 0.4, was_degraded=True)


def the_set(*questions: Question) -> EvaluationSet:
    return EvaluationSet("tiny", DOCUMENTS, CHUNKS, questions or BOTH)


async def test_every_stage_is_measured_by_chunks_and_by_pages() -> None:
    found = await evaluate(the_set(), ScriptedSearch(("d1", "b"), ("d1", "a")))

    assert found.stages["vector"]["mrr@10"] == 0.5
    assert found.stages["vector"]["page_mrr@10"] == 1
    assert found.stages["keyword"]["pass@20"] == 0
    assert found.stages["reranked"]["pass@1"] == 1
    assert found.intervals("reranked")["pass@1"] == (1, 1)


async def test_a_chunk_of_the_same_text_is_as_right() -> None:
    found = await evaluate(the_set(), ScriptedSearch(("d2", "twin")))

    assert found.stages["fused"]["pass@1"] == 1
    assert found.stages["fused"]["page_hit@20"] == 0


async def test_confidence_is_measured_for_each_kind_that_cannot_be_answered() -> None:
    more = Question("q3", "other?", False, "near_miss")
    found = await evaluate(the_set(*BOTH, more), ScriptedSearch(("d1", "a")))

    assert set(found.separations) == {"all", "off_topic", "near_miss"}
    assert found.separations["off_topic"].auroc == 1
    assert found.held_back == {"answerable": 0, "off_topic": 1, "near_miss": 1}


async def test_a_set_that_answers_everything_has_no_separation() -> None:
    found = await evaluate(the_set(BOTH[0]), ScriptedSearch(("d1", "a")))

    assert found.separations == {}


async def test_languages_are_told_apart_where_there_are_several() -> None:
    german = Question("q3", "zuerst?", True, "answerable", ("b",), (), language="de")
    found = await evaluate(the_set(*BOTH, german), ScriptedSearch(("d1", "a")))

    assert found.by_language["de"]["fused"]["pass@5"] == 0
    assert found.by_language[""]["fused"]["pass@5"] == 1
    assert found.stages["fused"]["pass@5"] == 0.5


async def test_abstention_is_measured_for_each_language() -> None:
    german = [
        Question("q3", "zuerst?", True, "answerable", ("b",), (), language="de"),
        Question("q4", "nichts?", False, "off_topic", language="de"),
        Question("q5", "auch nichts?", False, "off_topic", language="de"),
    ]
    found = await evaluate(the_set(*BOTH, *german), ScriptedSearch(("d1", "a")))

    assert found.abstention["de"].separations["off_topic"].auroc == 1
    assert found.abstention["de"].held_back == {"answerable": 0, "off_topic": 1}
    assert found.abstention[""].held_back == {"answerable": 0, "off_topic": 1}
    assert (await evaluate(the_set(), ScriptedSearch(("d1", "a")))).abstention == {}


async def test_own_chunks_are_measured_by_pages_alone() -> None:
    question = Question("q1", "first?", True, "answerable", (), ("d1",))
    found = await evaluate(EvaluationSet("own", DOCUMENTS, (), (question,)), ScriptedSearch(("d1", "")))

    assert found.stages["vector"]["page_hit@1"] == 1
    assert "pass@1" not in found.stages["vector"]


async def test_progress_and_degraded_questions_are_counted() -> None:
    heard: list[int] = []
    found = await evaluate(the_set(), ScriptedSearch(), heard.append)

    assert heard == [1, 2]
    assert (found.questions, found.degraded) == (2, 2)


async def test_a_search_that_fails_ends_the_evaluation_with_its_own_error() -> None:
    with pytest.raises(IndexUnavailable):
        await evaluate(the_set(), ScriptedSearch(fails=True))
