"""The embedder learns from the teacher: by its vectors in a batch, and by both its similarities in each list."""

import random
import time
from collections.abc import Mapping, Sequence
from typing import Final

import torch
from torch.nn import functional

from training.models.batches import LONGEST_ROW, QUESTION_TOKENS, Device, Tokens, embedder_row, length, padded
from training.models.encoders import Embedder
from training.models.mining import MinedData, pooled
from training.models.optimising import Optimising, computing
from training.models.pairs import PairKey, Scores

_RATE: Final = 4e-5
_EPOCHS: Final = 4
_WRONG_A_LIST: Final = 4
_HARDEST: Final = 12
_SCALE: Final = 25.0
_TOKEN_SCALE: Final = 40.0
_POOLED_SHARE, _TOKEN_SHARE = 0.5, 1.0
_UNSCORED: Final = -6.0  # logit
_PASSAGE_TOKENS: Final = 200
_PLACED_SHARE: Final = 0.6  # of the passages are read after their place
_HELD_OUT_WRONG: Final = 24
_HELD_OUT_QUESTIONS: Final = 400  # read one by one
_REPORTED_EVERY: Final = 50


class Distillation:
    def __init__(self, embedder: Embedder, device: Device, chance: random.Random) -> None:
        self._embedder = embedder.to(device.name)
        self._device = device
        self._chance = chance

    def fit(self, mined: MinedData, hard: Mapping[int, list[int]], scores: Scores, seconds: float) -> None:
        """`hard` has each question's wrong passages, the teacher's best first. Four epochs, or until `seconds` end."""
        optimising = Optimising(self._embedder, _RATE, self._device)
        order, at_once = mined.questions(held_out=False), self._device.size(192, 4)
        began, steps_an_epoch = time.monotonic(), max(1, len(order) // at_once)
        while (done := max((time.monotonic() - began) / seconds, optimising.steps / steps_an_epoch / _EPOCHS)) < 1:
            start = optimising.steps % steps_an_epoch * at_once
            if start == 0:
                self._chance.shuffle(order)
            loss = self._loss(optimising.working, mined, order[start : start + at_once], hard, scores)
            optimising.step(loss, done)
            if (step := optimising.steps) % _REPORTED_EVERY == 0:
                print(f"  step {step}, epoch {step / steps_an_epoch:.2f}, loss {loss.item():.3f}", flush=True)
        print(f"  {optimising.steps} steps", flush=True)

    def report(self, mined: MinedData, questions: Sequence[int]) -> None:
        """How often the right passage of `questions` comes first, by vectors and by late interaction."""
        embedder = computing(self._embedder, self._device).eval()
        by_vectors = by_tokens = 0
        questions = questions[:_HELD_OUT_QUESTIONS]
        for question in questions:
            passages = [mined.right(question), *mined.negatives[question][:_HELD_OUT_WRONG]]
            with torch.no_grad():
                asked, asked_states, is_asked = self._read(
                    embedder, [mined.texts.questions[question]], QUESTION_TOKENS + 2
                )
                told, states, is_inner = self._read(
                    embedder, [mined.texts.placed[each] for each in passages], LONGEST_ROW
                )
                vectors = (told @ asked[0]).cpu()
                tokens = late_interaction(asked_states, is_asked, states[None], is_inner[None], self._device)[0].cpu()
            by_vectors += bool((vectors[1:] < vectors[0]).all())
            by_tokens += bool((tokens[1:] < tokens[0]).all())
        count = len(questions)
        print(f"  held out: right first {by_vectors / count:.4f}, by tokens {by_tokens / count:.4f}", flush=True)

    def _loss(
        self,
        embedder: Embedder,
        mined: MinedData,
        questions: Sequence[int],
        hard: Mapping[int, list[int]],
        scores: Scores,
    ) -> torch.Tensor:
        """Softmax of the right passage among all of the batch, plus the divergence of each list's two softmaxes, by
        vectors and by late interaction, from the teacher's."""
        texts, width = mined.texts, 1 + _WRONG_A_LIST
        lists = [[mined.right(each), *self._wrong(hard[each], mined.negatives[each])] for each in questions]
        shown = [
            texts.placed[each] if self._chance.random() < _PLACED_SHARE else texts.bare[each]
            for passages in lists
            for each in passages
        ]
        questions_read = [texts.questions[each] for each in questions]
        asked, asked_states, is_asked = self._read(embedder, questions_read, QUESTION_TOKENS + 2)
        told, states, is_inner = self._read(embedder, shown, _PASSAGE_TOKENS)
        similarity = asked @ told.T * _SCALE
        right = torch.arange(len(lists), device=self._device.name) * width
        by_vectors = similarity.gather(1, right[:, None] + torch.arange(width, device=self._device.name)[None])
        by_tokens = _TOKEN_SCALE * late_interaction(
            asked_states, is_asked, states.unflatten(0, (-1, width)), is_inner.unflatten(0, (-1, width)), self._device
        )
        taught = torch.tensor(
            [
                [scores.get(PairKey("question", question, each), _UNSCORED) for each in passages]
                for question, passages in zip(questions, lists, strict=True)
            ],
            device=self._device.name,
        ).softmax(1)
        return (
            functional.cross_entropy(similarity, right)
            + _POOLED_SHARE * functional.kl_div(by_vectors.log_softmax(1), taught, reduction="batchmean")
            + _TOKEN_SHARE * functional.kl_div(by_tokens.log_softmax(1), taught, reduction="batchmean")
        )

    def _wrong(self, hard: Sequence[int], mined: Sequence[int]) -> list[int]:
        """The hardest one, and others drawn from the next."""
        others = hard[1:_HARDEST]
        drawn = [*hard[:1], *self._chance.sample(others, min(_WRONG_A_LIST - 1, len(others)))]
        return drawn + self._chance.choices(mined, k=_WRONG_A_LIST - len(drawn))

    def _read(
        self, embedder: Embedder, texts: Sequence[Tokens], most: int
    ) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        """Vectors (texts, 384), states of tokens (texts, tokens, 384), all of length 1, and which tokens are the
        text's own (texts, tokens)."""
        rows = [embedder_row(text, most) for text in texts]
        tokens, is_token = padded(rows, self._device)
        states = embedder(tokens, is_token)
        is_inner = is_token.clone()
        is_inner[:, 0] = False
        is_inner[torch.arange(len(rows)), torch.tensor([length(row) - 1 for row in rows])] = False
        return pooled(states, is_token), functional.normalize(states, dim=2), is_inner


def late_interaction(
    asked: torch.Tensor, is_asked: torch.Tensor, told: torch.Tensor, is_told: torch.Tensor, device: Device
) -> torch.Tensor:
    """(questions, passages): the mean, over a question's tokens, of the cosine to the nearest token of the passage
    (Khattab and Zaharia 2020). `asked` (questions, tokens, size), `told` (questions, passages, tokens, size)."""
    cosine = torch.einsum("bqd,bptd->bpqt", asked.to(device.precision), told.to(device.precision)).float()
    nearest = cosine.masked_fill(~is_told[:, :, None], -1.0).amax(3)
    share = is_asked.float()[:, None]
    return (nearest * share).sum(2) / share.sum(2)
