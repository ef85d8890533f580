"""Texts as rows of tokens, and rows as batches on the device that trains."""

import math
from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np
import numpy.typing as npt
import torch
from tokenizers import Tokenizer

Tokens = npt.NDArray[np.int32]
"""A text's tokens by the shipped models' vocabulary, without special ones."""

QUESTION_TOKENS: Final = 40
LONGEST_ROW: Final = 256  # tokens, special ones included
_KEPT_TOKENS: Final = 260
_LENGTH_STEP: Final = 32
SEPARATOR: Final = 102
PAD, TEACHER_PAD = 0, 1
_CLS: Final = 101
_BEGIN, _END = 0, 2  # of MPNet


@dataclass(frozen=True, slots=True)
class Device:
    """What trains, and what it takes at once."""

    name: str

    @classmethod
    def best(cls) -> "Device":
        return cls("cuda" if torch.cuda.is_available() else "cpu")

    @property
    def is_gpu(self) -> bool:
        return self.name == "cuda"

    def size(self, of_gpu: int, of_cpu: int) -> int:
        return of_gpu if self.is_gpu else of_cpu

    def half_precision(self) -> AbstractContextManager[object]:
        """bfloat16 where it is a GPU."""
        context: AbstractContextManager[object] = torch.autocast(self.name, dtype=torch.bfloat16, enabled=self.is_gpu)
        return context


def read_tokenizer(folder: Path) -> Tokenizer:
    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    tokenizer.no_padding()
    tokenizer.no_truncation()
    return tokenizer


def tokens_of(tokenizer: Tokenizer, texts: Iterable[str]) -> list[Tokens]:
    encodings = tokenizer.encode_batch(list(texts), add_special_tokens=False)
    return [np.asarray(each.ids[:_KEPT_TOKENS], np.int32) for each in encodings]


def teacher_vocabulary(embedder: Tokenizer, teacher: Tokenizer) -> Tokens:
    """The teacher's number of each of the embedder's tokens: both have BERT's words, in another order."""
    theirs = teacher.get_vocab()
    unknown = theirs["[UNK]"]
    numbers = np.full(embedder.get_vocab_size(), unknown, np.int32)
    for word, number in embedder.get_vocab().items():
        numbers[number] = theirs.get(word, unknown)
    return numbers


def embedder_row(text: Tokens, most: int = LONGEST_ROW) -> Tokens:
    """[CLS] text [SEP], at most `most` tokens."""
    return np.concatenate([[_CLS], text[: most - 2], [SEPARATOR]]).astype(np.int32)


def reranker_row(question: Tokens, passage: Tokens) -> Tokens:
    """[CLS] question [SEP] passage [SEP]."""
    asked = question[:QUESTION_TOKENS]
    told = passage[: LONGEST_ROW - len(asked) - 3]
    return np.concatenate([[_CLS], asked, [SEPARATOR], told, [SEPARATOR]]).astype(np.int32)


def teacher_row(question: Tokens, passage: Tokens, vocabulary: Tokens) -> Tokens:
    """<s> question </s></s> passage </s>, in the teacher's numbers."""
    asked = vocabulary[question[:QUESTION_TOKENS]]
    told = vocabulary[passage[: LONGEST_ROW - len(asked) - 4]]
    return np.concatenate([[_BEGIN], asked, [_END, _END], told, [_END]]).astype(np.int32)


def padded(rows: Sequence[Tokens], device: Device, pad: int = PAD) -> tuple[torch.Tensor, torch.Tensor]:
    """Tokens and whether each is one, both (rows, tokens); few lengths, so that kernels are chosen seldom."""
    length = min(LONGEST_ROW, math.ceil(max(map(len, rows)) / _LENGTH_STEP) * _LENGTH_STEP)
    tokens = np.full((len(rows), length), pad, np.int64)
    is_token = np.zeros((len(rows), length), bool)
    for index, row in enumerate(rows):
        tokens[index, : len(row)] = row
        is_token[index, : len(row)] = True
    return torch.from_numpy(tokens).to(device.name), torch.from_numpy(is_token).to(device.name)


def by_length(rows: Sequence[Tokens], at_once: int, of_batch: Callable[[list[Tokens]], torch.Tensor]) -> torch.Tensor:
    """What `of_batch` gives for all rows, in their order; it is given `at_once` of like length at a time."""
    order = sorted(range(len(rows)), key=lambda index: len(rows[index]))
    starts = range(0, len(order), at_once)
    found = torch.cat([of_batch([rows[index] for index in order[start : start + at_once]]) for start in starts])
    back = torch.empty(len(order), dtype=torch.long)
    back[torch.tensor(order)] = torch.arange(len(order))
    return found[back.to(found.device)]
