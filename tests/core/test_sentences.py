import pytest

from app.core.text.sentences import points_back, quotables

PAGE = """## Returns

You may return a lamp within 30 days, e.g. unopened. Shipping is free! Is it?

Pack it like this:

1. Put it in the box.

2. Close the box.

| Country | Days |
|---|---|
| Norway | 5 |

```sh
# Not a heading. Not two sentences.
return-lamp --all
```
"""


def test_prose_is_cut_into_sentences_and_blocks_stay_whole() -> None:
    parts = quotables(PAGE)
    assert [part.text.splitlines()[0] for part in parts] == [
        "You may return a lamp within 30 days, e.g. unopened.",
        "Shipping is free!",
        "Is it?",
        "Pack it like this:",
        "| Country | Days |",
        "```sh",
    ]
    assert [part.position for part in parts] == [0, 1, 2, 3, 4, 5]


def test_a_list_keeps_the_line_that_introduces_it_and_all_its_items() -> None:
    steps = quotables(PAGE)[3]
    assert steps.is_block
    assert "Put it in the box." in steps.text
    assert "Close the box." in steps.text


def test_headings_are_not_quoted() -> None:
    assert quotables("# Title\n\n## Part") == []


def test_a_long_table_is_quoted_row_by_row_under_its_header() -> None:
    rows = [f"| E{number} | cause {number} |" for number in range(9)]
    parts = quotables("| Code | Cause |\n|---|---|\n" + "\n".join(rows))
    assert [part.text for part in parts] == [f"| Code | Cause |\n|---|---|\n{row}" for row in rows]
    assert all(part.is_block for part in parts)


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        ("Then it is a matter of warranty.", True),
        ("They arrive within a week.", True),
        ("If not, write to us.", True),
        ("No, we do not.", True),
        ("Theirs is the risk.", False),
        ("Nothing is lost.", False),
        ("Returns are free for 30 days.", False),
        ("Thenard shipped it.", False),
        ("IT departments get a discount.", True),  # a little too careful: one sentence more is quoted
    ],
)
def test_a_sentence_that_leans_on_the_one_before_is_known_by_its_opening(sentence: str, expected: bool) -> None:
    assert points_back(sentence) is expected
