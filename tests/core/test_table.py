from app.core.text.markdown.table import Table, tables_in


def test_a_table_is_its_header_and_rows() -> None:
    text = "## Prices\n\n| Plan | Price |\n| --- | --- |\n| Basic | free |\n| Plus | €3 |\n\nPer month.\n"
    assert tables_in(text) == (Table(("Plan", "Price"), (("Basic", "free"), ("Plus", "€3"))),)


def test_a_table_without_a_header_says_so() -> None:
    assert tables_in("|  |  |\n| --- | --- |\n| a | b |") == (Table((), (("a", "b"),)),)


def test_a_pipe_in_a_cell_is_no_border() -> None:
    assert tables_in("| Shell | Does |\n| --- | --- |\n| `a \\| b` | pipes \\|") == (
        Table(("Shell", "Does"), (("`a | b`", "pipes |"),)),
    )


def test_rows_are_as_wide_as_the_widest() -> None:
    assert tables_in("| a | b |\n| --- | --- |\n| 1 |\n| 1 | 2 | 3 |") == (
        Table(("a", "b", ""), (("1", "", ""), ("1", "2", "3"))),
    )


def test_a_table_in_code_is_code() -> None:
    assert tables_in("```\n| a | b |\n| --- | --- |\n```\n\ntext | text\n\n--- | no\n") == ()


def test_tables_in_lists_and_after_each_other_are_all_found() -> None:
    table = "| a | b |\n| --- | --- |\n| 1 | 2 |"
    found = tables_in(f"- one\n\n  {table.replace(chr(10), chr(10) + '  ')}\n\n{table}")
    assert found == (Table(("a", "b"), (("1", "2"),)),) * 2
