"""A page's own words as they are quoted: nothing to click, and nothing for the output guard to take out."""

from app.answers.guard.output_guard import OutputGuard
from app.answers.writing.quotation import word_for_word
from tests.every_row import every_row


@every_row(
    ("said", "quoted"),
    [
        ("See https://other.example/a, and ask.", "See `https://other.example/a`, and ask."),
        ("Fetch it from <ftp://ftp.example.org/pub/lamp/>.", "Fetch it from `ftp://ftp.example.org/pub/lamp/`."),
        ("Clone git+ssh://git@hub.example/lamp.git.", "Clone `git+ssh://git@hub.example/lamp.git`."),
        ("Set it to postgres://lamp:secret@db/lamps!", "Set it to `postgres://lamp:secret@db/lamps`!"),
        ("Look at www.example.org/lamps (in English).", "Look at `www.example.org/lamps` (in English)."),
        ("Open //files.example.org/lamps on Windows.", "Open `//files.example.org/lamps` on Windows."),
        ("**WWW.EXAMPLE.ORG** has more.", "**`WWW.EXAMPLE.ORG`** has more."),
        ("`ftp://a.example` and ftp://b.example", "`ftp://a.example` and `ftp://b.example`"),
        ("Port 143 for imap:// and 993 for imaps:// hosts.", "Port 143 for `imap://` and 993 for `imaps://` hosts."),
        ("QEMU with TLS (qemu+tls://), or test:///default.", "QEMU with TLS (`qemu+tls://`), or `test:///default`."),
        ("Write and/or, 1//2, a: b.", "Write and/or, 1//2, a: b."),
    ],
)
def test_an_address_is_code_and_leaves_as_it_stands(said: str, quoted: str) -> None:
    assert word_for_word(said) == quoted
    guard = OutputGuard({1}, link_hosts=(), max_chars=1_000, source_text=said)
    assert guard.feed(word_for_word(said)) + guard.close() == quoted
