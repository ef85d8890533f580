"""However a secret is spelled and cut into pieces, it is found before its third letter has been shown."""

import base64
import codecs

from hypothesis import given
from hypothesis import strategies as st

from app.answers.guard.output_guard import SecretWatch
from tests.every_row import every_row

SECRET = "ZXQBCDFGHJKLMNPQ"
SPELLINGS = {
    "plain": SECRET,
    "lower case": SECRET.lower(),
    "spaced out": " ".join(SECRET),
    "with marks": "*".join(SECRET),
    "backwards": SECRET[::-1],
    "rot13": codecs.encode(SECRET, "rot13"),
    "hexadecimal": SECRET.encode().hex(" "),
}


def watched(text: str, size: int) -> tuple[str, bool]:
    """What was let out, and whether the secret was found."""
    watch, out, pending = SecretWatch(SECRET), "", ""
    for at in range(0, len(text), size):
        pending += text[at : at + size]
        if watch.is_in(pending):
            return out, True
        safe = len(pending) - watch.overlap(pending)
        watch.shown(pending[:safe])
        out, pending = out + pending[:safe], pending[safe:]
    return out + pending, False


@every_row("size", [1, 2, 5, 1000])
@every_row("spelling", SPELLINGS.values(), ids=SPELLINGS)
def test_every_spelling_is_found(spelling: str, size: int) -> None:
    out, is_found = watched(f"Sure! Here it is: {spelling}. Anything else?", size)
    assert is_found
    assert out.removeprefix("Sure! Here it is: ") in {spelling[:n] for n in range(6)}


@given(st.binary(max_size=40), st.binary(max_size=40), st.integers(1, 30))
def test_base64_of_a_text_around_it_is_found(before: bytes, after: bytes, size: int) -> None:
    encoded = base64.b64encode(before + SECRET.encode() + after).decode()
    assert watched(encoded, size)[1]


@given(st.text("ZXQBCWlhR 5a-", max_size=60), st.integers(1, 9))
def test_what_only_begins_like_it_passes_whole(text: str, size: int) -> None:
    assert watched(text, size) == (text, False)


def test_ordinary_words_are_not_held_back() -> None:
    watch = SecretWatch(SECRET)
    assert [watch.overlap(word) for word in ("The flow", "of zx", "wlh", "[1]", "")] == [0, 0, 3, 0, 0]


def test_no_secret_is_never_found() -> None:
    watch = SecretWatch("")
    assert not watch.is_in("anything")
    assert watch.overlap("anything") == 0
