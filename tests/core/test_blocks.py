import pytest

from app.core.text.markdown.blocks import (
    BlockKind,
    blocks,
    code_lines,
    list_items,
    table_rows,
    term_above,
    term_of,
    units,
)
from tests.every_row import every_row
from tests.linear_time import takes_linear_time

PAGE = """## Returns

Pack it like this:

1. Put it in the box.

   Use the paper that it came in.
2. Close the box.

- **`--all`**: every lamp
- **`--dry-run`**: none

| Country | Days |
|---|---|
| Norway | 5 |

```sh
# Not a heading.

return-lamp --all
```
> Keep the receipt.
"""


def kinds(markdown: str) -> list[BlockKind]:
    return [block.kind for block in blocks(markdown)]


def test_a_page_is_read_as_blocks_in_its_order() -> None:
    assert [(block.kind, block.text.splitlines()[0]) for block in blocks(PAGE)] == [
        (BlockKind.HEADING, "## Returns"),
        (BlockKind.PARAGRAPH, "Pack it like this:"),
        (BlockKind.LIST, "1. Put it in the box."),
        (BlockKind.LIST, "- **`--all`**: every lamp"),
        (BlockKind.TABLE, "| Country | Days |"),
        (BlockKind.CODE, "```sh"),
        (BlockKind.QUOTE, "> Keep the receipt."),
    ]


def test_an_item_keeps_what_is_nested_in_it() -> None:
    steps = blocks(PAGE)[2]

    assert list_items(steps.text) == [
        "1. Put it in the box.\n\n   Use the paper that it came in.",
        "2. Close the box.",
    ]


def test_code_inside_an_item_belongs_to_its_list() -> None:
    assert kinds("1. Run:\n\n   ```\n   make\n\n2. not an item\n   ```\n2. Wait.\n\nDone.") == [
        BlockKind.LIST,
        BlockKind.PARAGRAPH,
    ]


def test_a_list_whose_marks_change_is_two_lists() -> None:
    assert kinds("- a\n- b\n\n1. c\n2. d") == [BlockKind.LIST, BlockKind.LIST]


def test_text_with_bars_is_a_table_only_above_a_delimiter_row() -> None:
    assert kinds("Between | the tables\n\n| a | b |\n|---|---|\n| 1 | 2 |\nAfter") == [
        BlockKind.PARAGRAPH,
        BlockKind.TABLE,
        BlockKind.PARAGRAPH,
    ]


def test_a_fence_that_nobody_closes_runs_to_the_end() -> None:
    assert kinds("Text\n```\ncode\n\nmore") == [BlockKind.PARAGRAPH, BlockKind.CODE]


def test_rows_and_lines_are_told_from_what_holds_them() -> None:
    assert table_rows("| a |\n|---|\n| 1 |\n| 2 |") == ("| a |\n|---|", ["| 1 |", "| 2 |"])
    assert code_lines("```sh\nmake\nmake test\n```") == ["make", "make test"]


def test_what_is_introduced_stays_with_its_introduction() -> None:
    told = [[block.kind for block in unit] for unit in units(blocks(PAGE))]

    assert told == [
        [BlockKind.HEADING, BlockKind.PARAGRAPH, BlockKind.LIST],
        [BlockKind.LIST],
        [BlockKind.TABLE, BlockKind.CODE],
        [BlockKind.QUOTE],
    ]


def test_a_paragraph_that_ends_with_a_colon_leads_to_whatever_follows() -> None:
    [unit] = units(blocks("There are two ways:\n\nBy train or by bus."))

    assert len(unit) == 2


def test_a_definition_stays_with_its_terms() -> None:
    page = (
        "**--depth <n>**\n\nCreate a shallow clone.\n\n**-q**\n\n**--quiet**\n\nSay nothing.\n\n`borg.info`\n\nShow it."
        "\n\n**limit** · Default: 998\n\nIn bytes."
    )

    assert [len(unit) for unit in units(blocks(page))] == [2, 3, 2, 2]


def test_a_sentence_that_code_interrupts_stays_one() -> None:
    page = "While this query:\n\n```\nlist dream\n```\n\nfinds a lot, this one:\n\n```\nlist a:dream\n```\n\nIt is new."

    assert [len(unit) for unit in units(blocks(page))] == [4, 1]


@pytest.mark.parametrize(
    ("between", "is_one"),
    [("```\ncurl a\n```", True), ("It is a file.\n\nKeep it.", True), ("It is a file.\n\n## Then", False)],
    ids=["code", "paragraphs", "a heading"],
)
def test_steps_that_are_counted_on_stay_together(between: str, *, is_one: bool) -> None:
    page = f"To begin:\n\n1. Get the key.\n\n{between}\n\n2. Install it.\n\n```\napt install x\n```"

    last = [block.text for block in units(blocks(page))[-1]]
    assert "2. Install it." in last
    assert ("1. Get the key." in last) is is_one


def test_steps_are_counted_on_in_linear_time() -> None:
    def read(steps: str) -> None:
        units(blocks("\n\n".join(f"{n}. Run it.\n\n```\nmake\n```" for n in range(1, len(steps)))))

    assert takes_linear_time(read, "s", 200)


def test_a_list_that_begins_anew_is_another_one() -> None:
    page = "1. Get it.\n\n```\na\n```\n\n1. Install it.\n\n```\nb\n```\n\n5. Run it.\n\n```\nc\n```"

    assert [len(unit) for unit in units(blocks(page))] == [2, 2, 2]


def test_a_command_is_defined_by_the_item_above_its_usage() -> None:
    ignore, more = "- `ignore`: nobody is heard\n\n```\n/ignore NICK\n```", "Of one server:\n\n```\n/ignore s\n```"
    found = units(blocks(f"{ignore}\n\n{more}\n\n- `invite`: call\n\n```\n/invite\n```"))

    assert [term_of(unit) for unit in found] == ["- `ignore`: nobody is heard", "", "- `invite`: call"]
    assert term_above(found, 1) == "- `ignore`: nobody is heard"
    assert term_of(units(blocks("- Install it\n\n```\nmake\n```"))[0]) == ""


@pytest.mark.parametrize("label", ["**Default:**", "**Type of value:**", "**Examples:**"])
def test_a_label_introduces_and_defines_nothing(label: str) -> None:
    (unit,) = units(blocks(f"{label}\n\nIt is 60."))
    assert unit[0].is_lead_in
    assert term_of(unit) == ""


def test_a_paragraph_that_only_begins_bold_introduces_nothing() -> None:
    assert [len(unit) for unit in units(blocks("**Note** that\n\nit rains.\n\n**a** or **b**\n\nit stays dry."))] == [
        1,
        1,
        1,
        1,
    ]


@every_row("name", ["`-p` port", "--depth", "MaxAuthTries", "blame", "<branch>", "wal_level"])
def test_what_stands_between_two_names_is_of_the_first(name: str) -> None:
    groups = units(blocks(f"**{name}**\n\nOne.\n\nTwo.\n\n**`-q`**\n\nThree.\n\nFour."))
    assert [term_above(groups, at) for at in range(4)] == ["", f"**{name}**", "", ""]


@pytest.mark.parametrize("title", ["**Note**", "**Table 6.5. List of files**", "**WARNING**"])
def test_a_bold_title_is_no_name_of_what_stands_below_it(title: str) -> None:
    groups = units(blocks(f"{title}\n\nOne.\n\nTwo.\n\n{title}\n\nThree."))
    assert term_above(groups, 1) == ""
