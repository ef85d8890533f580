"""Checks a model's answer against what it cites, sentence by sentence, on its way to the visitor."""

import re
from dataclasses import dataclass, field
from typing import Any, Final

from app.agents.agent import AnswerCheck
from app.answers.guard.answer_verdict import AnswerVerdict
from app.answers.guard.sentence_kind import SentenceKind
from app.answers.guard.statement_check import Finding, StatementCheck
from app.core.text.answer_words import begins_with, words_of
from app.core.text.sentences import statement_ends, undecided_from

_FENCE: Final = re.compile(r"\s*(?:`{3,}|~{3,})")
_CITED: Final = re.compile(r"\[(\d{1,3})\](?!\()")
_MARKS_ALONE: Final = re.compile(r"\s*(?:(?:[-*+]|\d{1,3}[.)])\s+)?[*_]{0,2}\[\d{0,3}(?:\]|\Z)")
_MARKS_ON_NEW_LINE: Final = re.compile(r"\n[ \t]*+(?:[-*+]|\d{1,3}[.)])?[ \t]*+[*_]{0,2}(?:\[\d{0,3}\]?[ \t]*+)*+\Z")
_ROW: Final = re.compile(r"\s*\|")
_STEP: Final = re.compile(r"\s*\d{1,3}[.)]\s")
_BLANK_BEFORE_STOP: Final = re.compile(r"(?<=\w)[ \t]+(?=[.,;](?:\s|$))")
_TAIL: Final = " \t\n|"  # a mark is inserted before it: within the table's row, and before the end of the line
_MOST_TRACED: Final = 20
_LONGEST_HEAD: Final = 40  # characters of what stands over a list of sources


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
    _open: str = ""  # the sentence that has not ended
    _decided: int = 0  # characters of it that cannot contain an end any more
    _shown: int = 0  # characters of it that were shown
    _gap: str = ""  # blanks after the last sentence, which are shown before the next one
    _last: frozenset[int] = frozenset()  # the marks of the last sentence
    _is_listing: bool = False  # sources, at the end
    _is_in_table: bool = False
    _code: list[str] | None = None  # the lines of a block that is open

    async def take(self, text: str) -> str:
        self._open += text
        self._open = self._open[: self._shown] + _BLANK_BEFORE_STOP.sub("", self._open[self._shown :])
        out = ""
        start = 0
        for end in statement_ends(self._open, self._decided):
            out += await self._ended(self._open[start:end])
            start = end
        self._open = self._open[start:]
        self._decided = undecided_from(self._open)
        return out + self._shown_early()

    async def close(self) -> str:
        rest, self._open = self._open, ""
        out = await self._ended(rest) if rest else ""
        if self._code:
            out += await self._end_code("")
        return out + self._gap

    @property
    def trace(self) -> dict[str, Any]:
        unproven = [
            {"sentence": found.sentence, "missing": list(found.missing), "why": found.why}
            for found in self.check.findings[:_MOST_TRACED]
        ]
        return {"sentences": self.check.checked, "not_confirmed": len(self.check.findings), "which": unproven}

    def _shown_early(self) -> str:
        if self.policy is AnswerCheck.WITHHOLD or self._may_go(self._open):
            return ""
        listed = _MARKS_ON_NEW_LINE.search(self._open)
        visible = max(self._shown, len(self._open[: listed.start() if listed else None].rstrip(_TAIL)))
        out, self._shown = self._open[self._shown : visible], visible
        return self._after_gap(out)

    def _may_go(self, begun: str) -> bool:
        """Whether the sentence begun so far may only point to a source, or belong to a list of sources."""
        if self._shown or self._code is not None or not self.verdict.kinds:
            return False
        if self._is_listing or _MARKS_ALONE.match(begun):
            return True
        small = begun.lstrip(" \t*_#(").casefold()
        return (
            bool(begins_with("pointing").match(begun))
            or any(word.startswith(small) for key in ("pointing", "source_lists") for word in words_of("answers", key))
            or bool(len(begun) < _LONGEST_HEAD and begins_with("source_lists").match(begun))
        )

    def _after_gap(self, text: str) -> str:
        if not text:
            return ""
        gap, self._gap = self._gap, ""
        return gap + text

    async def _ended(self, statement: str) -> str:
        shown, self._shown = self._shown, 0
        if self._code is not None or _FENCE.match(statement):
            return self._after_gap(await self._of_code(statement, shown))
        body = len(statement.rstrip(_TAIL))
        if not body:
            return self._with_gap(statement[shown:])
        if not shown and self.verdict.kinds and (folded := self._folded(statement)) is not None:
            return folded
        kind = self._kind(statement)
        self.verdict.kinds.append(kind)
        self._is_in_table = bool(_ROW.match(statement))
        numbers = {int(number) for number in _CITED.findall(statement)} & {*range(1, len(self.cited) + 1)}
        added = await self._judged(statement, kind, numbers)
        self._last = frozenset({*numbers, *map(int, _CITED.findall(added or ""))})
        if added is None:
            return ""
        end = len(statement.rstrip())
        out = self._after_gap(f"{statement[shown:body]}{added}{statement[max(shown, body) : end]}")
        return out + self._with_gap(statement[max(shown, end) :])

    def _with_gap(self, blanks: str) -> str:
        self._gap += blanks
        return ""

    def _kind(self, statement: str) -> SentenceKind:
        """A table's first row is a heading, and a question that repeats the visitor's is a statement."""
        if _ROW.match(statement) and not self._is_in_table:
            return SentenceKind.HEADING
        kind = self.check.kind(statement)
        is_repeated = kind is SentenceKind.QUESTION and self.check.is_echo(statement)
        return SentenceKind.STATEMENT if is_repeated else kind

    async def _judged(self, statement: str, kind: SentenceKind, numbers: set[int]) -> str | None:
        """The text to append to the sentence: a citation, the mark or nothing. None if the sentence is withheld."""
        if kind is not SentenceKind.STATEMENT:
            return ""
        cited = [self.cited[number - 1] for number in numbers]
        judged = await self.check.judged(statement, cited)
        if isinstance(judged, Finding):
            self.verdict.failed += 1
            if self.policy is AnswerCheck.WITHHOLD:
                return None
            is_within = bool(_ROW.match(statement) or _STEP.match(statement))
            return "" if is_within else f" *({self.mark})*"
        if judged is None or self.check.is_echo(statement):
            return ""
        self.verdict.confirm()
        number = self._number(judged)
        return "" if number in (numbers or self._last) else f" [{number}]"

    def _number(self, source: int) -> int:
        if source not in self.cited:
            self.cited.append(source)
        return self.cited.index(source) + 1

    def _folded(self, statement: str) -> str | None:
        """The citations of a sentence that does nothing but name sources; None for any other sentence."""
        text = statement.strip()
        if len(text) < _LONGEST_HEAD and begins_with("source_lists").fullmatch(text.rstrip(":：*_ ")):
            self._is_listing = True
            return ""
        is_listed = bool(_MARKS_ALONE.match(text)) and self.check.is_named(text)
        if not (is_listed or (self._is_listing and _CITED.search(text))):
            self._is_listing = False
            if not (_CITED.search(text) and self.check.kind(statement) is SentenceKind.POINTING):
                return None
        numbers = [int(number) for number in _CITED.findall(text)]
        new = [number for number in dict.fromkeys(numbers) if number not in self._last]
        if self._is_listing and self._last:
            return ""
        self._last |= frozenset(new)
        return "".join(f" [{number}]" for number in new)

    async def _of_code(self, line: str, shown: int) -> str:
        """What may be shown of a line of code, or of the fence around it."""
        if self._code is None:
            self._code = [line]
            return "" if self.policy is AnswerCheck.WITHHOLD else line[shown:]
        if not _FENCE.match(line):
            self._code.append(line)
            return "" if self.policy is AnswerCheck.WITHHOLD else line[shown:]
        return await self._end_code(line, shown)

    async def _end_code(self, fence: str, shown: int = 0) -> str:
        lines, self._code = [*(self._code or ()), fence], None
        failed = await self.check.code_finding("".join(lines[1:-1]))
        self.verdict.failed += failed is not None
        if self.policy is not AnswerCheck.WITHHOLD:
            return fence[shown:]
        return "" if failed else "".join(lines)
