"""What an operator may write as a curated answer."""

from uuid import uuid4

import pytest

from app.answers.curated.curated_answer import CuratedAnswer, Trigger
from app.answers.curated.curated_answers import check_answer
from app.core.errors import InvalidInput
from app.kit.pattern_matcher import PatternMatcher
from tests.every_row import every_row


@every_row(
    ("trigger", "pattern", "said"),
    [
        pytest.param(Trigger.EXACT, "Opening hours?", "", id="a question"),
        pytest.param(Trigger.PHRASE, "opening\nhours", "one line", id="a phrase is one line"),
        pytest.param(Trigger.PHRASE, "x" * 501, "Use at most 500", id="too long"),
        pytest.param(Trigger.PHRASE, "???", "no word", id="no word"),
        pytest.param(Trigger.ANY_OF, "refund\nmoney back\n", "", id="any of several"),
        pytest.param(Trigger.ANY_OF, "refund\n??", "'??' contains no word", id="one of several without a word"),
        pytest.param(Trigger.ANY_OF, "\n".join(["refund"] * 51), "Use at most 50", id="too many lines"),
        pytest.param(Trigger.SEMANTIC, "How do I get a refund?\nMoney back?", "", id="questions"),
        pytest.param(Trigger.SEMANTIC, "\n \n", "cannot be empty", id="blank lines only"),
        pytest.param(Trigger.REGEX, "refunds?", "", id="a regular expression"),
        pytest.param(Trigger.REGEX, "^\\d+$", "", id="one without a word"),
        pytest.param(Trigger.REGEX, "(?<!x)y", "not a valid regular expression", id="one that RE2 cannot run"),
        pytest.param(Trigger.REGEX, "a\nb", "one line", id="one over two lines"),
    ],
)
def test_patterns(trigger: Trigger, pattern: str, said: str) -> None:
    answer = CuratedAnswer(uuid4(), uuid4(), trigger, pattern, "Yes.")
    if not said:
        check_answer(answer, PatternMatcher())
        return
    with pytest.raises(InvalidInput, match=r"^pattern: ") as refused:
        check_answer(answer, PatternMatcher())
    assert said in str(refused.value)
