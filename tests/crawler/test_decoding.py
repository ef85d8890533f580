"""Bytes to text as a browser would read them."""

import pytest

from crawler.decoding import CODECS, decode_html
from tests.every_row import every_row

TEXT = "<p>Grüße — naïve €5</p>"


@every_row(
    ("body", "charset"),
    [
        pytest.param(TEXT.encode(), "utf-8", id="as HTTP says"),
        pytest.param(TEXT.encode(), '"UTF-8"', id="a quoted parameter"),
        pytest.param(TEXT.encode("cp1252"), "windows-1252", id="another charset of HTTP"),
        pytest.param(TEXT.encode("cp1252"), "iso-8859-1", id="latin-1 is read as browsers do"),
        pytest.param(b"\xef\xbb\xbf" + TEXT.encode(), "iso-8859-1", id="a byte order mark beats HTTP"),
        pytest.param(b"\xff\xfe" + TEXT.encode("utf-16-le"), None, id="UTF-16"),
        pytest.param(TEXT.encode(), None, id="UTF-8 unsaid"),
        pytest.param(TEXT.encode(), "no-such-charset", id="an unknown name"),
        pytest.param(TEXT.encode(), "hex", id="a codec that is no charset"),
        pytest.param(TEXT.encode(), "ascii", id="a default of the server that the page contradicts"),
    ],
)
def test_text_is_read(body: bytes, charset: str | None) -> None:
    assert decode_html(body, charset) == TEXT


SCRIPTS = {
    "utf-8": "Grüße", "cp1252": "Grüße – €5", "iso8859-2": "żółw", "iso8859-3": "ĝardeno", "iso8859-4": "ģimene",
    "iso8859-5": "Привет", "iso8859-6": "مرحبا", "iso8859-7": "γεια", "iso8859-8": "שלום", "iso8859-10": "þór",
    "iso8859-13": "ąžuolas", "iso8859-14": "ŵy", "iso8859-15": "cœur €", "iso8859-16": "șapte", "koi8-r": "Привет",
    "koi8-u": "привіт", "mac-roman": "Grüße", "mac-cyrillic": "Привет", "cp866": "Привет", "cp874": "สวัสดี",
    "cp1250": "żółw", "cp1251": "Привет", "cp1253": "γεια", "cp1254": "ığdır", "cp1255": "שלום", "cp1256": "مرحبا",
    "cp1257": "ąžuolas", "cp1258": "đo", "gb18030": "你好€", "big5hkscs": "你好咗", "euc_jp": "日本語",
    "cp932": "日本語①", "iso2022_jp": "日本語", "cp949": "안녕뷁", "iso2022_kr": "안녕", "hz": "你好",
    "utf-16le": "Grüße", "utf-16be": "Grüße",
}  # fmt: skip


def test_every_label_of_the_standard_is_read_as_browsers_do() -> None:
    assert len(CODECS) == 224  # all of its 228 but for those that no codec of Python reads
    for label, codec in CODECS.items():
        text = SCRIPTS[codec]
        assert decode_html(text.encode(codec), f" {label.upper()} ") == text, label


@every_row(
    ("label", "text"),
    [("x-sjis", "日本語①"), ("windows-874", "สวัสดี"), ("x-gbk", "你好"), ("iso-8859-8-i", "שלום"), ("big5-hkscs", "咗")],
)
def test_a_page_s_own_label_is_one_of_the_standard(label: str, text: str) -> None:
    body = f"<meta charset={label}><p>".encode() + text.encode(CODECS[label])
    assert decode_html(body, None).endswith(text)


LETTERS = {
    "cp1252": [
        "It's £3 – or €4 for a café latte", "Spørgsmål og svar. Hvornår har I åbent? På hverdage fra 9.",
        "Fråga; När är det öppet? Alla dagar utom måndag", "À quelle heure ouvrez-vous l’été ? Dès 9 h, même à Noël",
        "¿Cuándo abre el museo? Mañana, según el año", "Quando abre? Amanhã às nove, à exceção de feriados",
        "Perché è già chiuso? Perciò più tardi", "Über uns: Größe wählen", "Milloin ylätyö päättyy? Hyvää päivää",
    ],
    "cp1250": [
        "Gdzie można złożyć zamówienie? Również ważne są zwroty w ciągu czternastu dni",
        "Příliš žluťoučký kůň: kdy máte otevřeno? Každý den kromě pondělí",
        "Mikor van nyitva? Hétfőn és szerdán, ünnepnapokon sűrűn",
        "Când este deschis? În fiecare zi, după şase şi până la nouă, cu excepţia",
    ],
    "cp1254": ["Mağaza ne zaman açık? Pazartesi hariç her gün, iyi günler dileğiyle"],
    "cp1257": ["Kada dirbate? Kiekvieną dieną, išskyrus pirmadienį, nuo ryto iki vakarų; ačiū"],
}  # fmt: skip


@every_row(("codec", "text"), [(codec, text) for codec, texts in LETTERS.items() for text in texts])
def test_a_text_in_a_latin_script_that_declares_nothing_has_the_letters_of_a_language(codec: str, text: str) -> None:
    assert decode_html(text.encode(codec), None) == text


@pytest.mark.parametrize(
    ("codec", "text"),
    [
        ("cp1251", "Добрый день, это русский текст без указания кодировки. "),
        ("cp1253", "Καλημέρα, αυτό είναι ένα ελληνικό κείμενο χωρίς δήλωση. "),
        ("cp932", "こんにちは、これは文字コードの宣言がない日本語の文章です。"),
    ],
)
def test_another_script_is_left_to_the_detector(codec: str, text: str) -> None:
    assert decode_html((text * 8).encode(codec), None) == text * 8


@pytest.mark.parametrize("charset", [None, "iso-8859-1"])
def test_a_few_stray_bytes_do_not_spoil_utf_8(charset: str | None) -> None:
    good = "# Fragen\n\nFür alle Kunden gilt: Größe wählen.\n"
    assert decode_html(good.encode() + b"\xe9nd", charset) == f"{good}énd"
    assert decode_html("Größe".encode("cp1252"), charset) == "Größe"


def test_the_page_names_its_own_charset() -> None:
    body = '<meta charset="shift_jis"><p>日本語</p>'.encode("shift_jis")
    assert "日本語" in decode_html(body, None)


def test_a_commented_charset_does_not_count() -> None:
    body = '<!-- <meta charset="shift_jis"> --><meta http-equiv="Content-Type" content="text/html; charset=utf-8">é'
    assert decode_html(body.encode(), None).endswith("é")


def test_an_unnamed_charset_is_detected() -> None:
    body = ("Добрый день, это русский текст без указания кодировки. " * 8).encode("cp1251")
    assert "русский текст" in decode_html(body, None)


def test_nothing_raises() -> None:
    assert isinstance(decode_html(bytes(range(256)) * 4, "utf-8"), str)
    assert decode_html(b"", None) == ""


def test_line_ends_are_one_sign() -> None:
    assert decode_html(b"a\r\nb\rc", "utf-8") == "a\nb\nc"
