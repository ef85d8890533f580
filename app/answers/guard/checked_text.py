"""Checks a model's answer against what it cites, sentence by sentence, on its way to the visitor."""

import re
from dataclasses import dataclass, field
from typing import Any, Final

from app.agents.agent import AnswerCheck
from app.answers.guard.sentence_kind import AnswerVerdict, SentenceKind
from app.answers.guard.statement_check import StatementCheck
from app.core.text.answer_words import begins_with, marked_numbers, words_of
from app.core.text.markdown.blocks import FENCE
from app.core.text.markdown.table import is_row
from app.core.text.sentences import statement_ends, undecided_from
from app.core.text.stated_facts import ANSWER_ITEM_SIGN

_MARKS_ON_NEW_LINE: Final = re.compile(rf"\n[ \t]*+{ANSWER_ITEM_SIGN}?[ \t]*+[*_]{{0,2}}(?:\[\d{{0,3}}\]?[ \t]*+)*+\Z")
_STEP: Final = re.compile(r"\s*\d{1,3}[.)]\s")
_BLANK_BEFORE_STOP: Final = re.compile(r"(?<=\w)[ \t]+(?=[.,;](?:\s|$))")
_TAIL: Final = " \t\n|"  # a mark is inserted before it: within the table's row, and before the end of the line
_MOST_TRACED: Final = 20
_MARKS_ALONE: Final = re.compile(rf"\s*(?:{ANSWER_ITEM_SIGN}\s+)?[*_]{{0,2}}\[\d{{0,3}}(?:\]|\Z)")
# An item's sign, before its citation.
_MAY_BE_MARKS: Final = re.compile(r"\s*(?:(?:[-*+]|\d{1,3}[.)]?)\s*)?[*_]{0,2}\Z")
_LONGEST_TITLE: Final = 40  # characters of what stands over a list of sources


class SourceMentions:
    """Finds the sentences that only name sources, such as "See [1].", and the list of sources at the answer's end. Feed
    it the sentences of one answer in order. A list of sources begins with a title, such as "Sources:",
    and ends before the first sentence that cites nothing."""

    def __init__(self, check: StatementCheck) -> None:
        self._check = check
        self.is_listing = False

    def feed(self, sentence: str) -> list[int] | None:
        """The citations of a sentence that does nothing but name sources; None for any other sentence."""
        text = sentence.strip()
        cited = marked_numbers(text)
        if len(text) < _LONGEST_TITLE and begins_with("source_lists").fullmatch(text.rstrip(":：*_ ")):
            self.is_listing = True
            return []
        is_named = bool(_MARKS_ALONE.match(text)) and self._check.is_named(text)
        self.is_listing = self.is_listing and (is_named or bool(cited))
        is_pointing = bool(cited) and self._check.kind(sentence) is SentenceKind.POINTING
        return cited if is_named or self.is_listing or is_pointing else None

    def may_become_one(self, begun: str) -> bool:
        """Whether a sentence that begins like this may be one that only names sources."""
        if self.is_listing or _MARKS_ALONE.match(begun) or _MAY_BE_MARKS.match(begun):
            return True
        small = begun.lstrip(" \t*_#(").casefold()
        return (
            bool(begins_with("pointing").match(begun))
            or any(word.startswith(small) for key in ("pointing", "source_lists") for word in words_of("answers", key))
            or bool(len(begun) < _LONGEST_TITLE and begins_with("source_lists").match(begun))
        )


@dataclass(slots=True)
class _OpenSentence:
    """The sentence that has not ended."""

    text: str = ""
    decided: int = 0  # characters that cannot contain an end any more
    shown: int = 0  # characters that were shown, also of a sentence that has just ended

    def feed(self, text: str) -> list[str]:
        """Add text; return the sentences that have ended."""
        self.text += text
        seen = max(0, self.shown - 1)  # a blank after the last character that was shown may still go
        self.text = self.text[:seen] + _BLANK_BEFORE_STOP.sub("", self.text[seen:])
        ends = statement_ends(self.text, self.decided)
        ended = [self.text[start:end] for start, end in zip([0, *ends], ends, strict=False)]
        self.text = self.text[ends[-1] :] if ends else self.text
        self.decided = undecided_from(self.text)
        return ended


@dataclass(slots=True)
class CheckedText:
    """Takes a model's text and returns what may be shown. Under the marking policy, sentences are shown as they are
    written, and `mark` follows those that are not proven; under the withholding policy, only those that have ended and
    are proven, and code only if a source has it. Statements that cite nothing get the citation of the source that
    proves them. The citations of a sentence that only points to a source, and of a list of sources at the end, move to
    the sentence before.

    `cited` are the source numbers behind the answer's [1], [2] ..., as the guard numbers them; sources that are cited
    here are added.
    """

    check: StatementCheck
    policy: AnswerCheck
    mark: str
    cited: list[int]
    verdict: AnswerVerdict = field(default_factory=AnswerVerdict)
    _open: _OpenSentence = field(default_factory=_OpenSentence)
    _mentions: SourceMentions = field(init=False)
    _gap: str = ""  # blanks after the last sentence, which are shown before the next one
    _last: frozenset[int] = frozenset()  # the marks of the last sentence
    _is_in_table: bool = False
    _code: list[str] = field(default_factory=list)  # the lines of a block that is open, from its fence on

    def __post_init__(self) -> None:
        self._mentions = SourceMentions(self.check)

    async def take(self, text: str) -> str:
        out = ""
        for sentence in self._open.feed(text):
            out += await self._ended(sentence)
        return out + self._shown_early()

    async def close(self) -> str:
        rest, self._open.text = self._open.text, ""
        out = await self._ended(rest) if rest else ""
        if self._code:
            out += await self._end_code("", 0)
        return out + self._gap

    @property
    def trace(self) -> dict[str, Any]:
        unproven = [
            {"sentence": found.sentence, "missing": list(found.missing), "why": found.fault.value}
            for found in self.check.findings[:_MOST_TRACED]
        ]
        return {"sentences": self.check.checked, "not_confirmed": len(self.check.findings), "which": unproven}

    @property
    def _withholds(self) -> bool:
        return self.policy is AnswerCheck.WITHHOLD

    def _shown_early(self) -> str:
        """What may be shown of the open sentence: not its end, and nothing if it may be left out as a whole."""
        begun = self._open
        is_begun = begun.shown or self._code or not self.verdict.kinds
        if self._withholds or (not is_begun and self._mentions.may_become_one(begun.text)):
            return ""
        listed = _MARKS_ON_NEW_LINE.search(begun.text)
        visible = max(begun.shown, len(begun.text[: listed.start() if listed else None].rstrip(_TAIL)))
        out, begun.shown = begun.text[begun.shown : visible], visible
        return self._after_gap(out)

    def _after_gap(self, text: str) -> str:
        if not text:
            return ""
        gap, self._gap = self._gap, ""
        return gap + text

    async def _ended(self, sentence: str) -> str:
        """What is to be shown of a sentence that has ended, or of a line of code."""
        shown, self._open.shown = self._open.shown, 0
        if self._code or FENCE.match(sentence):
            return self._after_gap(await self._line_of_code(sentence, shown))
        if not sentence.rstrip(_TAIL):
            self._gap += sentence[shown:]
            return ""
        if not shown and self.verdict.kinds and (mentioned := self._mentions.feed(sentence)) is not None:
            return self._moved(mentioned)
        return await self._judged(sentence, shown)

    def _moved(self, mentioned: list[int]) -> str:
        """The citations of a sentence that only names sources, which the sentence before gets. A list of sources is
        left out if that sentence has citations of its own."""
        if self._mentions.is_listing and self._last:
            return ""
        new = [number for number in dict.fromkeys(mentioned) if number not in self._last]
        self._last |= frozenset(new)
        return "".join(f" [{number}]" for number in new)

    async def _judged(self, sentence: str, shown: int) -> str:
        """The rest of the sentence after the `shown` characters, with what the check adds; "" if it is withheld."""
        kind = self._kind(sentence)
        self.verdict.kinds.append(kind)
        self._is_in_table = is_row(sentence)
        numbers = {number for number in marked_numbers(sentence) if 0 < number <= len(self.cited)}
        added = await self._addition(sentence, numbers) if kind is SentenceKind.STATEMENT else ""
        self._last = frozenset({*numbers, *marked_numbers(added or "")})
        if added is None:
            return ""
        body, end = len(sentence.rstrip(_TAIL)), len(sentence.rstrip())
        out = self._after_gap(f"{sentence[shown:body]}{added}{sentence[max(shown, body) : end]}")
        self._gap += sentence[max(shown, end) :]
        return out

    def _kind(self, sentence: str) -> SentenceKind:
        """A table's first row is a heading, and a question that repeats the visitor's is a statement."""
        if is_row(sentence) and not self._is_in_table:
            return SentenceKind.HEADING
        kind = self.check.kind(sentence)
        is_repeated = kind is SentenceKind.QUESTION and self.check.is_echo(sentence)
        return SentenceKind.STATEMENT if is_repeated else kind

    async def _addition(self, statement: str, numbers: set[int]) -> str | None:
        """The text to append to a statement: a citation, the mark or nothing. None if the statement is withheld."""
        judgement = await self.check.judged(statement, [self.cited[number - 1] for number in numbers])
        if judgement.finding:
            self.verdict.failed += 1
            if self._withholds:
                return None
            return "" if is_row(statement) or _STEP.match(statement) else f" *({self.mark})*"
        source = judgement.source
        if source is None or self.check.is_echo(statement):
            return ""
        self.verdict.confirm()
        if source not in self.cited:
            self.cited.append(source)
        number = self.cited.index(source) + 1
        return "" if number in (numbers or self._last) else f" [{number}]"

    async def _line_of_code(self, line: str, shown: int) -> str:
        """What is to be shown of a line of code, or of the fence around it."""
        if self._code and FENCE.match(line):
            return await self._end_code(line, shown)
        self._code.append(line)
        return "" if self._withholds else line[shown:]

    async def _end_code(self, fence: str, shown: int) -> str:
        lines, self._code = [*self._code, fence], []
        failed = await self.check.code_finding("".join(lines[1:-1]))
        self.verdict.failed += failed is not None
        if not self._withholds:
            return fence[shown:]
        return "" if failed else "".join(lines)
