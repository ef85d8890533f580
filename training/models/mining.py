"""Passages that look like a question's answer and are not: what the nearest of its own site are, by two measures."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import torch
from tokenizers import Tokenizer
from torch.nn import functional

from training.models.batches import Device, Row, Tokens, by_length, embedder_row, padded, tokens_of
from training.models.encoders import Embedder
from training.models.optimising import computing
from training.models.training_data import NearMiss, Passage, Question, TrainingData

# Sites that are not trained on: two manuals of programs, three others, help of a desktop, three companies.
HELD_OUT: Final = frozenset({"beets", "celery", "freedombox", "g-evolution", "tomcat", "zsh", "c05", "c13", "c22"})
_LOOKED_AT: Final = 72
_KEPT: Final = 32
_SAME_WORDS: Final = 0.7  # of the shorter one's: it says much of what the right one says
_BM25_K, _BM25_B = 1.2, 0.75
_QUESTIONS_AT_ONCE: Final = 256


@dataclass(frozen=True, slots=True)
class Texts:
    """The tokens of all texts, by the indices of TrainingData. A passage is read `placed`, after its place, or bare."""

    bare: list[Tokens]
    placed: list[Tokens]
    questions: list[Tokens]
    near_misses: list[Tokens]
    qa_questions: list[Tokens]
    qa_right: list[Tokens]
    qa_wrong: list[list[Tokens]]


@dataclass(frozen=True, slots=True)
class MinedData:
    """`negatives` of each question are indices of passages, nearest first; one without any is not trained on.
    `nearest` are the same for each near miss, without the passage that it was written for."""

    data: TrainingData
    texts: Texts
    negatives: list[list[int]]
    nearest: list[list[int]]

    def questions(self, *, held_out: bool) -> list[int]:
        asked = enumerate(self.data.questions)
        return [index for index, each in asked if self.negatives[index] and (each.site in HELD_OUT) is held_out]

    def near_misses(self, *, held_out: bool) -> list[int]:
        return [index for index, each in enumerate(self.data.near_misses) if (each.site in HELD_OUT) is held_out]

    def right(self, question: int) -> int:
        return self.data.questions[question].right[0]


def mined(data: TrainingData, tokenizer: Tokenizer, embedder: Embedder, device: Device) -> MinedData:
    texts = _tokenised(data, tokenizer)
    passages, questions = _by_site(data.passages), _by_site(data.questions)
    near_misses = _by_site(data.near_misses)
    negatives: list[list[int]] = [[] for _ in data.questions]
    nearest: list[list[int]] = [[] for _ in data.near_misses]
    working = computing(embedder, device).eval()
    for site, asked in questions.items():
        also = near_misses[site]
        told = [*(texts.questions[each] for each in asked), *(texts.near_misses[each] for each in also)]
        found = list(_nearest(told, passages[site], texts, working, device))
        for index, near in zip(asked, found, strict=False):
            negatives[index] = _wrong(data.questions[index].right, near, data, texts)
        for index, near in zip(also, found[len(asked) :], strict=True):
            nearest[index] = [each for each in near if each != data.near_misses[index].passage][:_KEPT]
    return MinedData(data, texts, negatives, nearest)


def embedded(rows: Sequence[Tokens], embedder: Embedder, device: Device) -> torch.Tensor:
    """(rows, 384), each of length 1: the mean of a text's tokens, special ones included."""

    def of_batch(batch: list[Row]) -> torch.Tensor:
        tokens, is_token = padded(batch, device)
        return pooled(embedder(tokens, is_token), is_token)

    with torch.no_grad():
        return by_length([embedder_row(row) for row in rows], device.size(1_024, 32), device, of_batch)


def pooled(states: torch.Tensor, is_token: torch.Tensor) -> torch.Tensor:
    share = is_token[..., None].float()
    return functional.normalize((states * share).sum(1) / share.sum(1), dim=1)


def _by_site(rows: Iterable[Passage | Question | NearMiss]) -> dict[str, list[int]]:
    """The indices of each site's rows."""
    found = defaultdict[str, list[int]](list)
    for index, row in enumerate(rows):
        found[row.site].append(index)
    return found


def _tokenised(data: TrainingData, tokenizer: Tokenizer) -> Texts:
    places = list({each.place for each in data.passages})
    lengths = dict(zip(places, map(len, tokens_of(tokenizer, places)), strict=True))
    placed = tokens_of(tokenizer, (f"{each.place}\n{each.text}" for each in data.passages))
    return Texts(
        [row[lengths[each.place] :] for each, row in zip(data.passages, placed, strict=True)],
        placed,
        tokens_of(tokenizer, (each.text for each in data.questions)),
        tokens_of(tokenizer, (each.text for each in data.near_misses)),
        tokens_of(tokenizer, (each.question for each in data.question_answers)),
        tokens_of(tokenizer, (each.right for each in data.question_answers)),
        [tokens_of(tokenizer, each.wrong) for each in data.question_answers],
    )


def _nearest(
    asked: Sequence[Tokens], passages: Sequence[int], texts: Texts, embedder: Embedder, device: Device
) -> Iterator[list[int]]:
    """For each question the passages of its site, by the sum of the standardised cosine and BM25, best first."""
    placed = [texts.placed[each] for each in passages]
    vectors, weights = embedded(placed, embedder, device), _bm25(placed, embedder.words.num_embeddings, device)
    for start in range(0, len(asked), _QUESTIONS_AT_ONCE):
        batch = asked[start : start + _QUESTIONS_AT_ONCE]
        words = torch.zeros(len(batch), weights.shape[1], device=device.name)
        words[_places(batch, device)] = 1
        near = _standardised(embedded(batch, embedder, device) @ vectors.T) + _standardised(words @ weights.T)
        for row in near.topk(min(_LOOKED_AT, len(passages)), dim=1).indices.tolist():
            yield [passages[column] for column in row]


def _bm25(passages: Sequence[Tokens], vocabulary: int, device: Device) -> torch.Tensor:
    """(passages, vocabulary): what a token of a question is worth in each passage (Robertson and Zaragoza 2009)."""
    lengths = torch.tensor([len(each) for each in passages], device=device.name).float()[:, None]
    counts = torch.zeros(len(passages), vocabulary, device=device.name)
    counts.index_put_(_places(passages, device), torch.ones((), device=device.name), accumulate=True)
    holding = (counts > 0).sum(0)
    norm = _BM25_K * (1 - _BM25_B + _BM25_B * lengths / lengths.mean())
    rarity = torch.log(1 + (len(passages) - holding + 0.5) / (holding + 0.5))
    return counts * (_BM25_K + 1) / (counts + norm) * rarity


def _places(texts: Sequence[Tokens], device: Device) -> tuple[torch.Tensor, torch.Tensor]:
    """Of each token of all texts: the number of its text, and its own."""
    numbers = np.repeat(np.arange(len(texts)), [len(each) for each in texts])
    return device.put(numbers), device.put(np.concatenate(texts).astype(np.int64))


def _standardised(scores: torch.Tensor) -> torch.Tensor:
    return (scores - scores.mean(1, keepdim=True)) / (scores.std(1, keepdim=True) + 1e-6)


def _wrong(right: Sequence[int], nearest: Sequence[int], data: TrainingData, texts: Texts) -> list[int]:
    """Without those right and those of the same section in much the same words."""
    sections = {data.passages[each].section for each in right}
    words = [set(texts.bare[each].tolist()) for each in right]

    def says_the_same(passage: int) -> bool:
        if data.passages[passage].section not in sections:
            return False
        own = set(texts.bare[passage].tolist())
        return max(len(own & other) / max(1, min(len(own), len(other))) for other in words) > _SAME_WORDS

    return [each for each in nearest if each not in right and not says_the_same(each)][:_KEPT]
