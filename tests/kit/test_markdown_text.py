from app.kit.markdown_text import markdown_text
from tests.every_row import every_row


@every_row(
    ("markdown", "text"),
    [
        ("It costs **12 euros** [1], *not* `13` or ~~14~~.", "It costs 12 euros [1], not 13 or 14."),
        ("2*3 is six, a_b_c a name, 5 * 4 twenty", "2*3 is six, a_b_c a name, 5 * 4 twenty"),
        (r"\*not\* emphasis &amp; <b>no tag</b>", "*not* emphasis & <b>no tag</b>"),
        ("## Bulbs\nAn LED.\n\nOr two.", "Bulbs\nAn LED.\n\nOr two."),
        ("See [our prices](https://a.example/p?b=1&c=2).", "See our prices (https://a.example/p?b=1&c=2)."),
        ("<https://a.example> [ann@a.example](mailto:ann@a.example)", "https://a.example ann@a.example"),
        (
            "First:\n\n- one\n- **two**\n  more\n  - three\n\nLast.",
            "First:\n\n- one\n- two\n  more\n  - three\n\nLast.",
        ),
        ("3. Switch it off.\n\n   Wait.\n4. On.", "3. Switch it off.\n   Wait.\n4. On."),
        ("```sh\npip install *\n\n  run `it`\n```", "pip install *\n\n  run `it`"),
        ("> quoted\n>\n> twice", "> quoted\n>\n> twice"),
        ("| | Plus |\n|---|---:|\n| Price | **3** |", "| Plus\nPrice | 3"),
        ("one\ntwo  \nthree\n\n---\n\nfour", "one\ntwo\nthree\n\n---\n\nfour"),
        ("", ""),
    ],
)
def test_markdown_reads_as_plain_text(markdown: str, text: str) -> None:
    assert markdown_text(markdown) == text


def test_the_numbers_of_sources_can_be_left_out() -> None:
    text = markdown_text("**12 euros** [1] [2]. See [7], [1](https://a.example) and `a[1]`.\n\n[1]", {1, 2})
    assert text == "12 euros. See [7], 1 (https://a.example) and a[1]."
