"""Checks a model's answer against what it cites, sentence by sentence, on its way to the visitor."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from app.agents.agent import AnswerCheck
from app.answers.guard.statement_check import Finding, StatementCheck
from app.core.text.statements import statement_ends, undecided_from

_FENCE: Final = re.compile(r"\s*(?:`{3,}|~{3,})")
_CITED: Final = re.compile(r"\[(\d{1,3})\](?!\()")
_TAIL: Final = " \t\n|"  # a mark is inserted before it: within the table's row, and before the end of the line
_MOST_TRACED: Final = 20


@dataclass(slots=True)
class CheckedText:
    """Text in, text out. Under the marking policy, sentences are shown as they are written, with `mark` after unproven
    ones; under the withholding policy, only after they have ended and if they are proven. Code is checked as a block
    and never changed.

    `cited` are the source numbers behind the answer's [1], [2] ..., as the guard numbers them.
    """

    check: StatementCheck
    policy: AnswerCheck
    mark: str
    cited: Sequence[int]
    _open: str = ""  # the sentence that has not ended
    _decided: int = 0  # characters of it that cannot contain an end any more
    _shown: int = 0  # characters of it that were shown
    _code: list[str] | None = None  # the lines of a block that is open

    async def take(self, text: str) -> str:
        self._open += text
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
        return await self._ended(rest) if rest else ""

    @property
    def trace(self) -> dict[str, Any]:
        unproven = [
            {"sentence": found.sentence, "missing": list(found.missing), "why": found.why}
            for found in self.check.findings[:_MOST_TRACED]
        ]
        return {"sentences": self.check.checked, "not_confirmed": len(self.check.findings), "which": unproven}

    def _shown_early(self) -> str:
        if self.policy is AnswerCheck.WITHHOLD:
            return ""
        visible = max(self._shown, len(self._open.rstrip(_TAIL)))
        out, self._shown = self._open[self._shown : visible], visible
        return out

    async def _ended(self, statement: str) -> str:
        shown, self._shown = self._shown, 0
        body = len(statement.rstrip(_TAIL))
        finding = await self._finding(statement)
        if finding is None:
            return statement[shown:]
        if self.policy is AnswerCheck.WITHHOLD:
            return ""
        return f"{statement[shown:body]} *({self.mark})*{statement[max(shown, body) :]}"

    async def _finding(self, statement: str) -> Finding | None:
        is_fence = bool(_FENCE.match(statement))
        if self._code is not None and not is_fence:
            self._code.append(statement)
            return None
        if is_fence and self._code is None:
            self._code = []
            return None
        if is_fence:
            await self.check.code_finding("".join(self._code or ()))
            self._code = None
            return None
        numbers = {int(number) for number in _CITED.findall(statement)}
        return await self.check.finding(
            statement, [self.cited[number - 1] for number in numbers if 0 < number <= len(self.cited)]
        )
