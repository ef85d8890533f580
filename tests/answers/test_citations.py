"""Each citation is proven by words of its source: those that are quoted, else those that say most nearly the same."""

import pytest

from app.answers.writing.citations import found_quotes
from tests.every_row import every_row
from tests.linear_time import takes_linear_time

PRICES = """\
# Prices

Basic is free for ever. The **Plus** plan costs €3.90 a month, or €39 a year. Both can be [cancelled](/cancel) any day.

| Plan | Price | Stations |
| --- | --- | --- |
| Basic | free | 1 |
| Plus | €3.90 a month | 3 |

To change the plan:

1. Open *Account* > `plan_settings`.
2. Choose a plan and confirm.

```
nimbrel plan set plus
nimbrel plan show
```
"""


@every_row(
    ("answer", "quote"),
    [
        pytest.param("The **Plus** plan costs €3.90 a month, or €39 a year. [1]",
                     "The Plus plan costs €3.90 a month, or €39 a year.", id="a sentence"),
        pytest.param("**Prices**\n\nBasic is free for ever. The Plus plan costs €3.90 a month, or €39 a year. [1]",
                     "Basic is free for ever. The Plus plan costs €3.90 a month, or €39 a year.",
                     id="two in a row, under their heading"),
        pytest.param("To change the plan:\n\n1. Open *Account* > `plan_settings`.\n2. Choose a plan and confirm. [1]",
                     "To change the plan:\nOpen Account > plan_settings.\nChoose a plan and confirm.",
                     id="steps with their lead-in"),
        pytest.param("| Plan | Price | Stations |\n| --- | --- | --- |\n| Plus | €3.90 a month | 3 |\n\n[1]",
                     "Plus\t€3.90 a month\t3", id="a row of a table"),
        pytest.param("```\nnimbrel plan set plus\nnimbrel plan show\n```\n\n[1]",
                     "nimbrel plan set plus\nnimbrel plan show", id="code"),
        pytest.param("Basic is free for ever. Both can be cancelled any day. [1]", "Both can be cancelled any day.",
                     id="the longer of two that stand apart"),
    ],
)  # fmt: skip
def test_what_is_quoted_is_found_word_for_word(answer: str, quote: str) -> None:
    assert found_quotes(answer, {1: PRICES}) == {1: quote}


@pytest.mark.parametrize(
    ("answer", "quote"),
    [
        pytest.param("You pay €39 if you take Plus for a year [1].",
                     "The Plus plan costs €3.90 a month, or €39 a year.", id="other words, the same number"),
        pytest.param("Basic costs nothing. Any plan may be cancelled on any day [1].",
                     "Both can be cancelled any day.", id="the statement before the mark"),
        pytest.param("Choose the plan you want, then confirm it: `a[1]` [1]", "Choose a plan and confirm.",
                     id="a bracket in code is no mark"),
    ],
)  # fmt: skip
def test_a_models_statement_rests_on_the_sentence_most_like_it(answer: str, quote: str) -> None:
    assert found_quotes(answer, {1: PRICES}) == {1: quote}


def test_sources_do_not_share_their_words() -> None:
    answer = "Returns are free within 30 days [1]. The battery lasts two winters [2]."
    sources = {1: "Sending it back is free within 30 days.", 2: "One battery lasts for two winters."}
    assert found_quotes(answer, sources) == sources


def test_marks_side_by_side_rest_on_one_statement() -> None:
    sources = {1: "The warranty is 3 years.", 2: "Stations have a warranty of 3 years."}
    assert found_quotes("The warranty is 3 years [1][2].", sources) == sources
    assert found_quotes("The warranty is 3 years [1] [2].", sources) == sources


def test_what_has_nothing_in_common_proves_nothing() -> None:
    assert found_quotes("Bats are mammals [1]. So it is [2].", {1: PRICES, 2: ""}) == {}


def test_words_of_scripts_without_blanks_are_found() -> None:
    source = "本体の色は白です。保証期間は三年です。"
    assert found_quotes("保証期間は三年です。[1]", {1: source}) == {1: "保証期間は三年です。"}
    assert found_quotes("保証は三年間です [1]", {1: source}) == {1: "保証期間は三年です。"}


def test_a_quote_ends_at_a_whole_sentence() -> None:
    source = "\n\n".join(f"This is the sentence with the number {n}." for n in range(60))
    quote = found_quotes(f"{source} [1]", {1: source})[1]
    assert 900 < len(quote) <= 1000
    assert source.replace("\n\n", "\n").startswith(quote)
    assert quote.endswith(".")


def test_time_grows_with_the_text_and_not_faster() -> None:
    def find(source: str) -> None:
        found_quotes(f"{source} [1]", {1: source})

    assert takes_linear_time(find, "The same words stand here again and again. ", 10_000)
