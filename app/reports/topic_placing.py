"""Places every question in a topic by its meaning, in the background."""

from collections.abc import Sequence
from typing import Final
from uuid import UUID

import numpy as np
import structlog
from anyio import to_thread
from numpy.typing import NDArray

from app.core.chunk import content_hash
from app.core.errors import EmbedderUnavailable
from app.core.turn import question_key
from app.gaps.question_nearness import ComparedQuestion, QuestionNearness, same_meaning
from app.kit.language_guesser import LanguageGuesser
from app.providers.embedding.embedder import Embedder
from app.reports.records.topics import TopicRecords
from app.reports.report import TopicPlace, WaitingQuestion
from app.store.system_of_record import SystemOfRecord, Transaction

log = structlog.get_logger(__name__)

_AT_ONCE: Final = 32
_TOPICS: Final = 2000  # an agent's latest topics to search; 0.8 MB of vectors
_KEY_CHARS: Final = 32
_LOOKED_AT: Final = 5  # the nearest topics, which are compared wording by wording
_WORDINGS: Final = 4  # per topic, all of which must be near the question; each may cost two embeddings
_OWN: Final = "the question"


class TopicPlacing:
    """Adds questions one by one to the topic whose first wordings mean the same, by the rule for gaps, or starts a new
    topic. The same wording always has the same topic. A question in a language that the model does not read only shares
    a topic with its own wording. No transaction is open while embedding; if the embedder is down, questions wait."""

    def __init__(self, records: SystemOfRecord, embedder: Embedder, languages: LanguageGuesser) -> None:
        self._records = records
        self._nearness = QuestionNearness(embedder, languages)
        self._has_forgotten = False

    async def place(self) -> int:
        """Place one batch, oldest first; return how many were placed."""
        await self._forget_other_models()
        waiting = await self._records.read(lambda tx: TopicRecords(tx).waiting(_AT_ONCE))
        placed = 0
        for agent_id in dict.fromkeys(question.agent_id for question in waiting):
            own = [question for question in waiting if question.agent_id == agent_id]
            try:
                placed += await self._place(agent_id, own)
            except EmbedderUnavailable as error:
                log.warning("topics.embedder_away", count=len(own), reason=str(error))
        return placed

    async def _place(self, agent_id: UUID, questions: Sequence[WaitingQuestion]) -> int:
        """Raises EmbedderUnavailable."""
        keys = {each.turn_id: content_hash(question_key(each.question))[:_KEY_CHARS] for each in questions}

        def look(tx: Transaction) -> tuple[dict[str, UUID], list[TopicPlace]]:
            return TopicRecords(tx).known(agent_id, set(keys.values())), TopicRecords(tx).places(agent_id, _TOPICS)

        known, places = await self._records.of_agent(agent_id).read(look)
        by_id = {place.topic_id: place for place in places}
        by_key = {key: by_id.get(topic_id) or TopicPlace((), topic_id, None) for key, topic_id in known.items()}
        for question in questions:
            key = keys[question.turn_id]
            if key not in by_key:
                by_key[key] = await self._nearest(question, places)
            by_key[key].turns.append((question.turn_id, key))
        used = list({id(place): place for place in by_key.values()}.values())
        return await self._records.of_agent(agent_id).write(
            lambda tx: TopicRecords(tx).place(agent_id, self._nearness.model_id, used)
        )

    async def _nearest(self, question: WaitingQuestion, places: list[TopicPlace]) -> TopicPlace:
        """The topic for the question: one of `places`, or a new one, which is appended to them if it has a vector."""
        text = question.question
        if not self._nearness.is_read(text, question.language):
            return TopicPlace((), None, [text])
        same = same_meaning(self._nearness.model_id)
        meaning = (await self._nearness.vectors([text]))[text]
        best = await to_thread.run_sync(_best, meaning, places, same.looked_at_from)
        nearest, nearness = None, 0.0
        for place in [places[each] for each in best]:
            wordings = await self._wordings(question.agent_id, place)
            compared = [ComparedQuestion(wording, wording, is_settled=True) for wording in wordings]
            near = await self._nearness.pairs([ComparedQuestion(_OWN, text), *compared], same)
            least = min((near.get((_OWN, wording), 0.0) for wording in wordings), default=0.0)
            if least > nearness:
                nearest, nearness = place, least
        if nearest is not None:
            if len(wordings := await self._wordings(question.agent_id, nearest)) < _WORDINGS:
                wordings.append(text)
            return nearest
        places.append(TopicPlace(meaning.tolist(), None, [text]))
        return places[-1]

    async def _wordings(self, agent_id: UUID, place: TopicPlace) -> list[str]:
        topic_id = place.topic_id
        if place.wordings is None and topic_id is not None:
            place.wordings = await self._records.of_agent(agent_id).read(
                lambda tx: TopicRecords(tx).wordings(topic_id, _WORDINGS)
            )
        return place.wordings or []

    async def _forget_other_models(self) -> None:
        """Delete the topics of an earlier model once, because vectors of two models cannot be compared."""
        if self._has_forgotten:
            return
        await self._records.write(lambda tx: TopicRecords(tx).forget_topics_but(self._nearness.model_id))
        self._has_forgotten = True


def _best(meaning: NDArray[np.float32], places: Sequence[TopicPlace], at_least: float) -> list[int]:
    """The indices of the _LOOKED_AT nearest places by cosine, at least `at_least`; nearest first. Vectors are unit."""
    if not places:
        return []
    cosines = np.asarray([place.meaning for place in places], np.float32) @ meaning
    nearest = np.argsort(-cosines, kind="stable")[:_LOOKED_AT]
    return [int(each) for each in nearest if cosines[each] >= at_least]
