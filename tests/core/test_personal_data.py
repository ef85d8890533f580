"""What is masked in a question before it is kept as a gap, and what is not."""

import pytest

from app.core.personal_data import masked
from tests.every_row import every_row
from tests.linear_time import takes_linear_time

MASKED = [
    # e-mail addresses
    ("write to ada@example.com please", "write to [email] please"),
    ("Is Ada.Lovelace+shop@mail.example.co.uk subscribed?", "Is [email] subscribed?"),
    ("(bob_1@example.org)", "([email])"),
    ("My mail is ada@example.com.", "My mail is [email]."),
    ("jürgen@müller.de bekommt nichts", "[email] bekommt nichts"),
    ("почта иван@пример.рф не работает", "почта [email] не работает"),
    ("mailto:ada@example.com", "mailto:[email]"),
    ("from a@example.com to b@example.com", "from [email] to [email]"),
    # telephone numbers
    ("call me at +49 30 1234567", "call me at [phone]"),
    ("+1 (415) 555-2671 is my number", "[phone] is my number"),
    ("ring +442079460958", "ring [phone]"),
    ("mein Telefon: 0049 30 1234567", "mein Telefon: [phone]"),
    ("mon numéro 06 12 34 56 78", "mon numéro [phone]"),
    ("mon numéro 06.12.34.56.78", "mon numéro [phone]"),
    ("Tel. 030/12345678", "Tel. [phone]"),
    ("(020) 7946 0958, after six", "[phone], after six"),
    ("415-555-2671 does not get the SMS", "[phone] does not get the SMS"),
    ("(415) 555-2671?", "[phone]?"),
    # card numbers
    ("my card 4111 1111 1111 1111 was declined", "my card [card] was declined"),
    ("4111111111111111", "[card]"),
    ("5500-0000-0000-0004 expired", "[card] expired"),
    ("amex 378282246310005", "amex [card]"),
    ("card 4111 1111 1111 1112", "card [number]"),
    # account numbers
    ("pay to DE89 3704 0044 0532 0130 00 today", "pay to [iban] today"),
    ("DE89370400440532013000", "[iban]"),
    ("gb29 nwbk 6016 1331 9268 19", "[iban]"),
    ("FR14 2004 1010 0505 0001 3M02 606 is mine", "[iban] is mine"),
    ("NO93 8601 1117 947", "[iban]"),
    ("RO49AAAA1B31007593840000.", "[iban]."),
    ("BI42 10000 10001 00003320451 81", "[iban]"),
    ("HN88 CABF 0000 0000 0002 5000 5469", "[iban]"),
    # IP addresses
    ("blocked from 81.2.69.142", "blocked from [ip]"),
    ("ssh to 192.168.1.20:22 fails", "ssh to [ip]:22 fails"),
    ("my address is 2001:db8::8a2e:370:7334.", "my address is [ip]."),
    ("fe80::1ff:fe23:4567:890a again", "[ip] again"),
    ("http://81.2.69.142/status says no", "http://[ip]/status says no"),
    # secrets in URLs
    ("https://example.com/reset?token=abc123&lang=de", "https://example.com/reset?token=[secret]&lang=de"),
    ("https://a.example/cb#access_token=xyz&state=9", "https://a.example/cb#access_token=[secret]&state=[secret]"),
    ("https://a.example/?api_key=k1 fails", "https://a.example/?api_key=[secret] fails"),
    ("https://a.example/?X-Amz-Signature=ff00", "https://a.example/?X-Amz-Signature=[secret]"),
    ("postgres://ada:hunter2@db.example/shop", "postgres://[secret]@db.example/shop"),
    ("https://a.example/?user=ada@example.com", "https://a.example/?user=[email]"),
    # long runs of digits
    ("my order 123456789 is late", "my order [number] is late"),
    ("customer CU1234567890", "customer CU[number]"),
    ("my number is 1234 5678 9012", "my number is [number]"),
    ("ssn 123-45-6789", "ssn [number]"),
    ("0123456789012345678901234567890", "[number]"),
    ("订单 123456789012 在哪里", "订单 [number] 在哪里"),
    ("订单123456789012在哪里", "订单[number]在哪里"),
    ("طلبي ١٢٣٤٥٦٧٨٩٠", "طلبي [number]"),
]

KEPT = [
    # versions
    "Does 3.11.4 work on macOS 14.2.1?",
    "after the update to 10.0.19045.3803",
    "is version 1.2.3.4 supported",
    "firmware 2.10.0.7 fails, v1.0.0.1 does not",
    "npm i lodash@4.17.21 @angular/core@17.0.1",
    "Python 3.12.0rc1 and numpy>=1.26,<3",
    # prices and quantities
    "does it cost $1,299.00 or 1.299,00 €?",
    "1 299 000 RUB a year",
    "is 1,000,000,000 rows too many",
    "$1000000000 a year",
    "pi is 3.141592653589793",
    "+20% or -15%",
    "1500 mAh, 220-240 V, 50/60 Hz, 1920x1080",
    # dates and times
    "since 2024-01-15 10:30:00",
    "on 15.01.2024 10:30 it stopped",
    "on 01/02/2024 or 1-2-24",
    "2024-01-15T10:30:00Z",
    "the years 2021 2022 2023",
    "from 1998-2004 and 2010-2014",
    "UTC+05:30, GMT+0200",
    "open 09:00-17:30",
    "build 20240115",
    # error codes and identifiers
    "error 0x80070057",
    "error 0x8007000e1234",
    "HTTP 500, then ORA-00942 and KB5034441",
    "CVE-2024-12345 and RFC 9110",
    "exit code -2147024891",
    "SQLSTATE 42P01, E-1001, ERR_4040",
    "trace 123e4567-e89b-12d3-a456-426614174000",
    "commit 9fceb02d0ae598e95dc970b74767f19372d61af8",
    "model DE12 4000 is a lawnmower",
    # addresses that are nobody's
    "cannot reach 127.0.0.1:8080 or 0.0.0.0",
    "netmask 255.255.255.0",
    "::1 refuses, std::vector<int>, abc::def",
    "MAC 00:1A:2B:3C:4D:5E",
    "at 10:30:00:15",
    "git@github.com:example/repo.git",
    "icon@2x.png is blurred",
    "@ada on the forum",
    # URLs without secrets
    "https://example.com/articles/360012345678?page=2&sort=asc",
    "https://example.com/a?keyboard=us&monkey=1#section-2",
    # plain words
    "How do I reset my password?",
    "What is your phone number and e-mail?",
    "如何重置密码？",
    "",
]


@every_row(("written", "kept"), MASKED)
def test_what_would_tell_who_asks_is_masked(written: str, kept: str) -> None:
    assert masked(written) == kept


@every_row("written", KEPT)
def test_what_a_question_is_about_stays(written: str) -> None:
    assert masked(written) == written


@every_row("written", [case[0] for case in MASKED])
def test_masking_twice_is_masking_once(written: str) -> None:
    assert masked(masked(written)) == masked(written)


@pytest.mark.parametrize(
    "piece", ["1", "1 ", "a@", "a.", "1:", "(0", "+1-", "DE12", "://", "?a=", "@a.", "0 (", "f:"], ids=repr
)
def test_a_long_hostile_text_is_masked_at_once(piece: str) -> None:
    assert takes_linear_time(lambda text: masked(text + "!"), piece, 2000)


@pytest.mark.parametrize("unit", ["_", "a.", ":", "1", "a@", "0:", "+1 ", "GB00 "])
def test_what_was_made_to_take_long_does_not(unit: str) -> None:
    assert takes_linear_time(masked, unit, 2000)
