"""Texts as rows of tokens, and rows as batches on the device that trains."""

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import torch
from tokenizers import Tokenizer

Tokens = npt.NDArray[np.int32]
"""A text's tokens by the shipped models' vocabulary, without special ones."""

Row = tuple[Tokens, ...]
"""What a model reads, special tokens included, in parts that stand one after another."""

QUESTION_TOKENS: Final = 40
LONGEST_ROW: Final = 256  # tokens, special ones included
_KEPT_TOKENS: Final = 260
_LENGTH_STEP: Final = 32
SEPARATOR: Final = 102
PAD, TEACHER_PAD = 0, 1
_CLS: Final = np.asarray([101], np.int32)
_SEP: Final = np.asarray([SEPARATOR], np.int32)
_BEGIN, _END = np.asarray([0], np.int32), np.asarray([2], np.int32)  # of MPNet


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

    @property
    def precision(self) -> torch.dtype:
        """Of what is computed."""
        return torch.bfloat16 if self.is_gpu else torch.float32

    def put(self, array: npt.NDArray[Any]) -> torch.Tensor:
        """`array` on the device, without waiting for what it computes now."""
        told = torch.from_numpy(array)
        return told.pin_memory().to(self.name, non_blocking=True) if self.is_gpu else told


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


def embedder_row(text: Tokens, most: int = LONGEST_ROW) -> Row:
    """[CLS] text [SEP], at most `most` tokens."""
    return _CLS, text[: most - 2], _SEP


def reranker_row(question: Tokens, passage: Tokens) -> Row:
    """[CLS] question [SEP] passage [SEP]."""
    asked = question[:QUESTION_TOKENS]
    return _CLS, asked, _SEP, passage[: LONGEST_ROW - len(asked) - 3], _SEP


def teacher_row(question: Tokens, passage: Tokens, vocabulary: Tokens) -> Row:
    """<s> question </s></s> passage </s>, in the teacher's numbers."""
    asked = vocabulary[question[:QUESTION_TOKENS]]
    return _BEGIN, asked, _END, _END, vocabulary[passage[: LONGEST_ROW - len(asked) - 4]], _END


def length(row: Row) -> int:
    return sum(map(len, row))


def padded(rows: Sequence[Row], device: Device, pad: int = PAD) -> tuple[torch.Tensor, torch.Tensor]:
    """Tokens and whether each is one, both (rows, tokens); few lengths, so that kernels are chosen seldom."""
    lengths = np.asarray([length(row) for row in rows])
    longest = min(LONGEST_ROW, math.ceil(lengths.max() / _LENGTH_STEP) * _LENGTH_STEP)
    is_token = np.arange(longest)[None] < lengths[:, None]
    tokens = np.full((len(rows), longest), pad, np.int32)
    tokens[is_token] = np.concatenate([part for row in rows for part in row])
    return device.put(tokens), device.put(is_token)


def by_length(
    rows: Sequence[Row], at_once: int, device: Device, of_batch: Callable[[list[Row]], torch.Tensor]
) -> torch.Tensor:
    """What `of_batch` gives for all rows, in their order; it is given `at_once` of like length at a time."""
    order = np.argsort([length(row) for row in rows], kind="stable")
    starts = range(0, len(order), at_once)
    found = torch.cat([of_batch([rows[index] for index in order[start : start + at_once]]) for start in starts])
    return found[device.put(np.argsort(order))]
