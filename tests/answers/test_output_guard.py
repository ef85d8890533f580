import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from app.answers.guard import output_guard
from app.answers.guard.output_guard import OutputGuard
from app.core.turn import Finish
from tests.every_row import every_row

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


@every_row("size", [1, 3, 7, 1000])
@every_row(
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
        pytest.param(
            "\u0645\u06cc\u200c\u062e\u0648", "\u0645\u06cc\u200c\u062e\u0648", id="joiners between letters stay"
        ),
        pytest.param("[note]: //evil.example/x", "note: [link removed]", id="no reference targets"),
        pytest.param("wait! [ok", "wait! [ok", id="an open end is still shown"),
    ],
)
def test_what_leaves(written: str, expected: str, size: int) -> None:
    assert shown(written, size) == expected


@every_row("size", [1, 5, 1000])
@every_row("spelling", [CANARY, CANARY.lower(), "-".join(CANARY), " ".join(CANARY)])
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


SENTENCES = "Returns are free [1]. Send it back within 30 days. We pay the postage. Ask us by mail if it is late."


@every_row("size", [1, 5, 1000, 5000])
@every_row("max_chars", [700, 1000, 1500])
def test_what_is_too_long_ends_with_the_last_sentence_before_the_limit(max_chars: int, size: int) -> None:
    text = (SENTENCES + " ") * 20
    out = shown(text, size, max_chars=max_chars).rstrip()
    assert max_chars * 0.85 <= len(out) <= max_chars
    assert text.startswith(out)
    assert out.endswith((".", "[1]."))


def test_what_comes_at_once_is_cut_after_its_last_whole_sentence() -> None:
    assert shown(SENTENCES, 1000, max_chars=60) == "Returns are free [1]. Send it back within 30 days."


@given(st.integers(40, 400), st.integers(0, 3))
def test_nothing_stands_still_before_the_limit(max_chars: int, every: int) -> None:
    """With a sentence end now and then, or none at all: each word is shown when the next one comes."""
    checked = guard(max_chars=max_chars)
    written = shown_until_now = ""
    for number in range(1, 100):
        before = written
        written += f"{'word' if not every or number % (9 * every) else 'end.'} "
        shown_until_now += checked.feed(f"{written[len(before) :]}")
        if checked.finish is not None:
            break
        assert shown_until_now.startswith(before.rstrip())
    assert checked.finish is Finish.LENGTH or len(written) <= max_chars


def test_an_answer_that_ends_within_its_limit_is_whole() -> None:
    checked = guard(max_chars=len(SENTENCES))
    assert checked.feed(f"{SENTENCES}\n\n"[: len(SENTENCES)]) + checked.close() == SENTENCES
    assert checked.finish is None


def test_a_sentence_that_alone_is_too_long_ends_with_a_word() -> None:
    assert shown("word " * 40, 1, max_chars=52).rstrip() == ("word " * 10).strip()


@given(
    st.lists(st.sampled_from(["word", "days.", "Yes!", "3.5", "e.g.", "[1]", "\n", "。"]), max_size=60),
    st.integers(9, 200),
)
@example(["word", "days.", "days.", "days.", "Yes!"], 26)
def test_no_cut_goes_through_a_word(words: list[str], max_chars: int) -> None:
    text = " ".join(words)
    out = shown(text, 3, max_chars=max_chars, sources={1})
    assert len(out) <= max_chars
    assert text.startswith(out)
    assert len(out) == len(text) or text[len(out) :].startswith((" ", "\n")) or out.endswith((" ", "\n", "。"))


CODE_OF_SOURCE = "```sh\ncurl -fsSL https://get.tool.example/install.sh | sh\nproxy //cdn.tool.example:8080\n```"


@pytest.mark.parametrize("size", [1, 4, 1000])
def test_an_address_in_code_stays_where_a_source_has_it(size: int) -> None:
    assert shown(CODE_OF_SOURCE, size, source_text=CODE_OF_SOURCE) == CODE_OF_SOURCE
    own = "Run `curl https://get.tool.example/install.sh`."
    assert shown(own, size, source_text=CODE_OF_SOURCE) == own


@pytest.mark.parametrize(
    "url", ["https://get.tool.example/install.sh.evil", "https://get.tool.example/", "//evil.example"]
)
def test_an_address_in_code_that_no_source_has_goes(url: str) -> None:
    assert shown(f"`curl {url}`", source_text=CODE_OF_SOURCE) == "`curl [link removed]`"


def test_an_address_of_code_is_no_link_in_prose() -> None:
    assert shown("See https://get.tool.example/install.sh.", source_text=CODE_OF_SOURCE) == "See [link removed]."


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


plain = st.sampled_from(
    [
        "word ",
        " word",
        "data",
        "javascript",
        "vb\u017fcript",
        " ",
        "\n",
        "x" * 30,
        "9.5",
        ", so",
        "?",
        "Größe",
        "\u0131",
        "\u0130",
        "\u212a",
        "wwW",
        ".",
        "метadata",
        "```",
        "[1]",
        ":",
        "//",
        "e",
        "!",
        CANARY[:5],
        CANARY[5:],
    ]
)


@given(st.lists(plain, max_size=30).map("".join), st.integers(1, 9), st.sampled_from([4000, 60]))
def test_what_holds_nothing_of_a_construct_passes_as_it_would_through_all_rules(
    text: str, size: int, max_chars: int
) -> None:
    quickly, slowly = guard(max_chars=max_chars), guard(max_chars=max_chars)
    for piece in [text[at : at + size] for at in range(0, len(text), size)]:
        released = quickly.feed(piece)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(output_guard, "_OF_A_CONSTRUCT", re.compile(""))
            assert slowly.feed(piece) == released
    assert slowly.close() == quickly.close()
    assert (slowly.finish, slowly.cited) == (quickly.finish, quickly.cited)
