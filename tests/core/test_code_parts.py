"""Code is cut where it parts: between blank lines, statements, and what is indented."""

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from app.core.text.markdown.code_parts import code_parts


def test_code_consists_of_runs_between_blank_lines() -> None:
    runs = ["# The lamp\nlamp:\n  hall: on\n\n  garden: off\n", "# The bell\nbell: on"]
    assert code_parts("\n".join(runs)) == runs


def test_a_run_consists_of_lines_with_what_is_indented_below_them_and_what_closes_them() -> None:
    statements = ["git stash push [-p]\n          [-q]", "git stash list", "options {\n    a;\n}", "c"]
    assert code_parts("\n".join(statements)) == statements
    assert code_parts("# The lamp\n# of the hall\nlamp = on\nbell = on") == [
        "# The lamp\n# of the hall\nlamp = on",
        "bell = on",
    ]
    assert code_parts("    a:\n      b\n    c") == ["    a:\n      b", "    c"]


def test_a_statement_consists_of_its_first_line_and_what_is_indented_below() -> None:
    assert code_parts("usage:\n  -a\n      all\n  -b\n      both") == ["usage:", "  -a\n      all", "  -b\n      both"]
    assert code_parts("options {\n    a;\n    b;\n}") == ["options {", "    a;", "    b;\n}"]
    assert code_parts("one line") == ["one line"]


@given(st.lists(st.tuples(st.integers(0, 50), st.sampled_from(["", "a", "# a", "}", "a {"])), min_size=2))
def test_code_of_more_than_a_line_consists_of_shorter_parts(lines: list[tuple[int, str]]) -> None:
    code = "\n".join(" " * indentation + text for indentation, text in lines)
    assume(code.strip())

    parts = code_parts(code)

    assert "\n".join(parts) == code
    assert len(parts) > 1


def test_what_closes_a_statement_is_no_measure_of_what_stands_in_it() -> None:
    assert code_parts("{\n  a();\n  b();\n}") == ["{", "  a();", "  b();\n}"]
    assert code_parts("if {\n  a();\n} else {\n  b();\n}") == ["if {", "  a();\n} else {", "  b();\n}"]


def test_a_comment_at_the_end_of_a_statement_is_not_on_the_next_one() -> None:
    assert code_parts("a {\n  b\n  # more to come\nc") == ["a {\n  b\n  # more to come", "c"]


def test_a_bracket_that_stands_alone_goes_with_the_line_above() -> None:
    functions = ["int main()\n{\n  a();\n}", "void b()\n{\n}"]
    assert code_parts("\n".join(functions)) == functions
    assert code_parts(functions[0]) == ["int main()\n{", "  a();\n}"]
    assert code_parts("  {\n    1\n  },\n  {\n    2\n  }") == ["  {\n    1\n  },", "  {\n    2\n  }"]


def test_comments_are_parts_of_a_statement_that_is_too_long() -> None:
    assert code_parts("# a\n# b\nlamp:\n  on") == ["# a", "# b\nlamp:\n  on"]


def _depth(code: str) -> int:
    """How often it is cut until lines are left."""
    parts = code_parts(code)
    assert "\n".join(parts) == code
    return 1 + max(map(_depth, parts)) if len(parts) > 1 else 0


@pytest.mark.parametrize(
    "code",
    [
        pytest.param("\n".join(["{", *["  'lamp': 1,"] * 2000, "}"]), id="members of an object"),
        pytest.param("\n".join(["# lamp = on"] * 2000), id="comments"),
        pytest.param("\n".join(["  # off", "{"] * 1000), id="comments within"),
        pytest.param("\n".join(["}"] * 2000), id="ends"),
        pytest.param("\n".join(["  }"] * 2000), id="ends that are indented"),
        pytest.param("lamp" + "\n" * 2000, id="blank lines"),
    ],
)
def test_long_code_is_cut_in_few_steps(code: str) -> None:
    """A line of it at each step would be a chunk a line, and more steps than there may be."""
    assert _depth(code) <= 3
