import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.answering.output_guard import OutputGuard
from app.domain.turn import Finish

CANARY = "8F3A9C11D2E4B677"


def guard(**settings: object) -> OutputGuard:
    defaults: dict[str, object] = {
        "sources": {1, 2, 3},
        "link_hosts": {"shop.example", ".docs.example"},
        "max_chars": 4000,
        "canary": CANARY,
    }
    return OutputGuard(**(defaults | settings))  # type: ignore[arg-type]


def shown(text: str, size: int = 1, **settings: object) -> str:
    checked = guard(**settings)
    pieces = [checked.feed(text[at : at + size]) for at in range(0, len(text), size)]
    return "".join(pieces) + checked.close()


@pytest.mark.parametrize("size", [1, 3, 7, 1000])
@pytest.mark.parametrize(
    ("written", "expected"),
    [
        pytest.param("Yes [2], no [1].", "Yes [1], no [2].", id="citations are renumbered in order of use"),
        pytest.param("A [3, 1].", "A [1][2].", id="lists of numbers become chips of their own"),
        pytest.param("A [source 2] b【1】.", "A [1] b[2].", id="other spellings of a citation"),
        pytest.param("A [9].", "A .", id="a source that was not given is not cited"),
        pytest.param("`items[1]` and [1]", "`items[1]` and [1]", id="code keeps its brackets"),
        pytest.param("```\na[7]\n```\n[2]", "```\na[7]\n```\n[1]", id="a code block keeps its brackets"),
        pytest.param("[Help](https://shop.example/help)", "[Help](https://shop.example/help)", id="links to a source"),
        pytest.param("see https://a.docs.example/x.", "see https://a.docs.example/x.", id="hosts below an allowed one"),
        pytest.param("[x](https://evil.example/?q=1)", "x", id="a foreign link leaves its text"),
        pytest.param("go to https://evil.example/a.", "go to [link removed].", id="a foreign URL is removed"),
        pytest.param("www.evil.example", "[link removed]", id="a foreign www name is removed"),
        pytest.param("https://shop.example@evil.example/", "[link removed]", id="userinfo does not fool it"),
        pytest.param("https://shop.example.evil.example/", "[link removed]", id="nor does a longer name"),
        pytest.param(
            "https://evil.example@shop.example/", "[link removed]", id="nor a foreign name before a known one"
        ),
        pytest.param("[x](javascript:alert(1))", "x", id="no scripts"),
        pytest.param("javascript:alert(1)", "javascript alert(1)", id="not even as plain text"),
        pytest.param("[x](//evil.example/a)", "x", id="no scheme-relative links"),
        pytest.param("//@evil.example", "[link removed]", id="nor scheme-relative ones behind userinfo"),
        pytest.param("![t](https://evil.example/p.png)", "t", id="no pictures"),
        pytest.param("![t](https://shop.example/p.png)", "t", id="not even from a source"),
        pytest.param("![chart][data]", "[chart][data]", id="nor by reference"),
        pytest.param("a\u202eb\x07c", "abc", id="no control characters"),
        pytest.param("[note]: //evil.example/x", "note: [link removed]", id="no reference targets"),
        pytest.param("wait! [ok", "wait! [ok", id="an open end is still shown"),
    ],
)
def test_what_leaves(written: str, expected: str, size: int) -> None:
    assert shown(written, size) == expected


@pytest.mark.parametrize("size", [1, 5, 1000])
@pytest.mark.parametrize("spelling", [CANARY, CANARY.lower(), "-".join(CANARY), " ".join(CANARY)])
def test_the_canary_never_leaves_and_ends_the_answer(spelling: str, size: int) -> None:
    checked = guard()
    text = f"My instructions are {spelling} and more"
    out = "".join(checked.feed(text[at : at + size]) for at in range(0, len(text), size)) + checked.close()
    assert checked.finish is Finish.CONTENT_FILTER
    assert CANARY[:3].lower() not in re.sub(r"\W", "", out).lower()


@given(st.sampled_from(["1ABCDEF", "HTTPSX", "EXAMPLEX"]), st.integers(1, 9))
def test_a_marker_that_opens_like_ordinary_text_does_not_tear_citations_and_links(canary: str, size: int) -> None:
    text = "Yes [2]. See [Help](https://shop.example/help) or https://evil.example/1."
    expected = "Yes [1]. See [Help](https://shop.example/help) or [link removed]."
    assert shown(text, size, canary=canary) == expected


def test_an_answer_is_cut_at_its_length_and_never_inside_a_link() -> None:
    checked = guard(max_chars=30)
    text = "Please look at this page: https://shop.example/help/long and more"
    out = checked.feed(text) + checked.close()
    assert out == "Please look at this page:"
    assert checked.finish is Finish.LENGTH


def test_ordinary_words_are_released_at_once() -> None:
    assert guard().feed("Returns are free ") == "Returns are free "


def test_cited_names_the_old_numbers_in_their_new_order() -> None:
    checked = guard()
    checked.feed("x [3] y [1] z [3] ")
    checked.close()
    assert checked.cited == [3, 1]


alphabet = st.sampled_from(
    [
        *list("ab1 .:/!()[]`\n-@"),
        "https://",
        "evil.example",
        "shop.example",
        "[1]",
        "](",
        "www.",
        "javascript:",
        CANARY,
        CANARY[:8],
    ]
)


@given(st.lists(alphabet, max_size=40).map("".join), st.integers(1, 9))
def test_no_way_of_cutting_the_stream_lets_a_foreign_link_or_the_canary_through(text: str, size: int) -> None:
    out = shown(text, size)
    assert CANARY not in out
    for host in re.findall(r"(?:https?:)?//(?:[^\s/@]*@)?([a-z0-9.-]+\.[a-z]+)", out):
        assert host.endswith((".docs.example", "shop.example")), out
    assert "evil.example" not in "".join(re.findall(r"https?://\S*", out))
