"""A fact stands where the source speaks of the same, not anywhere on the page."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.answers.guard.answer_evidence import Evidence
from app.answers.guard.evidence_places import KnownSections, PlaceIndex, Section
from app.answers.guard.place_words import stems
from tests.every_row import every_row

PAGE = """
## Plans

| | Basic | Plus |
| --- | --- | --- |
| Price a month | €0 | €3.90 |
| Stations | 1 | 3 |

## Shipping

Shipping to Ireland takes 2 days and costs €4.90. Shipping to Norway takes 8 days and costs €14.90.
We do not ship to post-office boxes. Open **Settings** > **Hub** > **Local access**, or Account > Orders.

```sh
docker run -p 80:80 nimbrel
```
"""
EVIDENCE = Evidence([Section.cut("Prices", PAGE)])


@every_row(
    "sentence",
    [
        "The Plus plan costs €3.90 a month.",
        "With Basic you have 1 station.",
        "A parcel to Norway takes 8 days.",
        "Shipping to Ireland is €4.90.",
        "Post-office boxes are not served.",
        "Start it with `docker run -p 80:80 nimbrel`.",
        "Open _Settings_ → Hub → **Local access**.",
        "You are welcome.",
    ],
)
def test_what_the_source_says_is_proven(sentence: str) -> None:
    assert EVIDENCE.verdict(sentence).is_proven


@every_row(
    ("sentence", "missing"),
    [
        pytest.param("The Plus plan costs €4.20 a month.", "4.20", id="a number that is nowhere"),
        pytest.param("Shipping to Norway costs €4.90.", "4.90", id="the number of another country"),
        pytest.param("The Basic plan costs €3.90 a month.", "3.90", id="the price of another plan"),
        pytest.param("Shipping to Sweden takes 8 days.", "Sweden", id="a name that is nowhere"),
        pytest.param("Start it with `docker run nimbrel --rm`.", "docker run nimbrel --rm", id="other code"),
        pytest.param("Open **Settings > Hub > Matter**.", "Hub > Matter", id="an invented step of a menu"),
        pytest.param("Open Account > Plan > Pause.", "Account > Plan", id="an invented menu"),
        pytest.param("Add --restart-all to start it.", "--restart-all", id="an invented option without backticks"),
    ],
)
def test_what_it_does_not_say_is_missing(sentence: str, missing: str) -> None:
    assert missing in [fact.text for fact in EVIDENCE.verdict(sentence).missing]


QUOTED_PAGE = """
The guidelines say that a shop may keep a photocopy provided they do NOT record the PIN in any manner.

Warranty is 3 years, except for battery packs (1 year).

The API has limits by plan: 1,000 requests a day on Plus, 20,000 on Pro and 100,000 on Network.

- Form 12-302, Hotel Tax Exemption Certificate
"""
QUOTED_EVIDENCE = Evidence([Section.cut("Terms", QUOTED_PAGE)])


@every_row(
    "sentence",
    [
        "The guidelines say that a shop may keep a photocopy provided they do NOT record the PIN in any manner.",
        "Battery packs have a warranty of 1 year.",
        "The warranty is 3 years.",
        "On Pro you may make 20,000 requests a day.",
        "You need Form 12-302 for the Hotel Tax Exemption Certificate.",
    ],
)
def test_what_the_source_says_word_for_word_or_of_each_part_is_proven(sentence: str) -> None:
    assert QUOTED_EVIDENCE.verdict(sentence).is_stated


@pytest.mark.parametrize(
    ("sentence", "missing"),
    [
        ("Battery packs have a warranty of 3 years.", "3"),
        ("On Plus you may make 20,000 requests a day.", "20,000"),
    ],
)
def test_a_number_of_another_part_of_the_sentence_is_missing(sentence: str, missing: str) -> None:
    assert [fact.text for fact in QUOTED_EVIDENCE.verdict(sentence).missing] == [missing]


@every_row(
    ("page", "withdrawn", "stands"),
    [
        ("Room 12 costs ~~€99~~ until May, and €79 from May.", "Room 12 costs €99.", "Room 12 costs €79 from May."),
        ("~~Room 12 costs €99 a night.~~\n\nRoom 14 costs €79 a night.", "Room 12 costs €99.", "Room 14 costs €79."),
        ("| Room | Price |\n| --- | --- |\n| 12 | ~~€99~~ €79 |", "Room 12 costs €99.", "Room 12 costs €79."),
        ("- ~~Room 12: €99~~\n- Room 14: €79", "Room 12 costs €99.", "Room 14 costs €79."),
        ("## ~~Room 12, €99~~\n\nFull.\n\n## Room 14, €79\n\nFree.", "Room 12 costs €99.", "Room 14 costs €79."),
    ],
)
def test_what_is_withdrawn_proves_nothing(page: str, withdrawn: str, stands: str) -> None:
    evidence = Evidence([Section.cut("Hotel", page)])
    assert "99" in [fact.text for fact in evidence.verdict(withdrawn).missing]
    assert not evidence.verdict(withdrawn).is_stated
    assert evidence.verdict(stands).is_proven


def test_a_fence_and_code_are_not_withdrawn() -> None:
    evidence = Evidence([Section.cut("Rooms", "~~~\nrooms --max 12\n~~~\nWrite `~~old~~` for it. It costs €79.")])
    assert evidence.verdict("Run `rooms --max 12` and write `~~old~~`; it costs €79.").is_proven


def test_the_contrary_of_what_stands_there_is_no_proof() -> None:
    assert EVIDENCE.verdict("We ship to post-office boxes.").is_contradicted


CABIN = """
## Plans

| Plan | Stations | Price a month |
| --- | --- | --- |
| Basic | 1 | €0 |
| Plus | 3 | €3.90 |

## Delivery

We ship to the United Kingdom for €9.90. Norway costs €14.90. The courier in the European Union comes within 14 days.
Ages 8 to 11 learn in our three-hour class. It ends at 17:00.

## Networks

WEP and open networks are refused. WPA-Enterprise is a network with user name and password.
Cod M and L carry double data. The Harbour club and the Northgate club have a sauna.

## What is not covered

- lightning strikes and floods
- a battery below its first capacity

## Prices

The call-out costs nothing. Gift vouchers can be used at any time. Parcels are free from €99.
You may send 300 messages an hour. Batteries must never be posted. The vault locks after 15 minutes.
Storage is free for four weeks, after that €8 a week, no matter how large.
"""
OF_CABIN = Evidence([Section.cut("Cabin", CABIN)])


@every_row(
    ("sentence", "missing"),
    [
        pytest.param("Basic is €3 a month.", "3", id="a number of other things"),
        pytest.param("Delivery to Norway costs 14 %.", "14", id="a number in another unit"),
        pytest.param("WPA-Enterprise and open networks are refused.", "WPA-Enterprise", id="another name fits better"),
        pytest.param("Shipping to the United Kingdom costs €14.90.", "14.90", id="the number beside another name"),
        pytest.param("The One plan has 3 stations.", "One", id="a name where only its common word is"),
    ],
)
def test_the_place_must_fit_better_than_those_with_another_such_fact(sentence: str, missing: str) -> None:
    assert missing in [fact.text for fact in OF_CABIN.verdict(sentence).missing]


@every_row(
    "sentence",
    [
        pytest.param("The courier in the EU comes within two weeks.", id="an acronym, and days told as weeks"),
        pytest.param("The class takes three hours and ends at 5 pm.", id="a hyphen, and the hour told in two ways"),
        pytest.param("Children from 8 to 11 years learn there.", id="the source does not say what it counts"),
        pytest.param("You get twice the data with Cod M and Cod L.", id="a name told in pieces, and a number word"),
        pytest.param("Harbour and Northgate have a sauna.", id="two names beside each other"),
    ],
)
def test_what_is_said_in_another_way_is_proven(sentence: str) -> None:
    assert OF_CABIN.verdict(sentence).missing == ()


@every_row(
    "sentence",
    [
        pytest.param("Plus does not cost €3.90 a month.", id="the number is said without a denial"),
        pytest.param("The vault does not lock after 15 minutes.", id="denied"),
        pytest.param("Batteries can be posted.", id="said of what is denied"),
        pytest.param("Lightning strikes are covered.", id="an item of what is not so"),
    ],
)
def test_a_clause_is_contradicted_by_the_places_like_it(sentence: str) -> None:
    assert OF_CABIN.verdict(sentence).is_contradicted


@every_row(
    "sentence",
    [
        pytest.param("You do not pay for the call-out.", id="it costs nothing"),
        pytest.param("You don't pay for parcels from €99.", id="it is free"),
        pytest.param("You can't send more than 300 messages an hour.", id="a limit, told as a denial"),
        pytest.param("If the vault does not lock after 15 minutes, write to us.", id="a condition"),
        pytest.param("Storage costs €8 a week after four weeks.", id="the denial is about something else"),
    ],
)
def test_what_the_source_says_without_not_is_no_contradiction(sentence: str) -> None:
    assert not OF_CABIN.verdict(sentence).is_contradicted


def test_in_other_languages_only_nearly_the_same_words_contradict() -> None:
    german = Evidence(
        [Section.cut("Versand", "Wir liefern nicht an Postfächer. Der Versand nach Norwegen kostet 14 €.")]
    )
    assert german.verdict("Wir liefern an Postfächer.", "de").is_contradicted
    assert german.verdict("Der Versand nach Norwegen kostet 14 Euro.", "de").is_proven
    assert not german.verdict("Der Versand kostet nie mehr als 14 €.", "de").is_contradicted


def test_a_section_that_was_cut_is_not_cut_again() -> None:
    known = KnownSections()
    assert known.section("Prices", PAGE) is known.section("Prices", PAGE)
    assert known.section("Prices of 2025", PAGE) is not known.section("Prices", PAGE)


GUIDE = """
## Shipping

| To | Price |
| --- | --- |
| European Union | 7.90 |
| United Kingdom | 9.90 |
| United States and Canada | 19.90 |

We do not ship to other countries.

## Sharing

The owner counts as one. Basic allows 2 people, Plus 5, Pro 10 and Network 50.

## Broker

The hub has a broker. It is switched off when the hub leaves our workshop. Data is kept in Ireland.

## Money back

A yearly payment is refunded in full within 14 days. You get the error 429 with a header.
"""
OWN = Evidence([Section.cut("Nimbrel", GUIDE)], {"nimbrel"})


@every_row(
    "sentence",
    [
        pytest.param("Shipping to Germany costs 7.90.", id="a member of the union"),
        pytest.param("Shipping to the US costs 19.90.", id="a short name"),
        pytest.param("Nimbrel doesn't ship to Japan.", id="a place that is nowhere, denied"),
        pytest.param("Nimbrel ships to the European Union.", id="the company's own name"),
        pytest.param("You get HTTP 429 with a header.", id="what labels a number"),
        pytest.param("On Plus, 5 people are allowed.", id="the number of its name in a list"),
    ],
)
def test_a_source_may_say_it_by_another_name(sentence: str) -> None:
    assert OWN.verdict(sentence).is_proven


@every_row(
    "sentence",
    [
        pytest.param("Shipping to Germany costs 9.90.", id="the other row"),
        pytest.param("Data is kept in Ireland and the Netherlands.", id="a member without a number"),
        pytest.param("On Plus, 10 people are allowed.", id="the number of another name in the list"),
        pytest.param("The broker is switched on when the hub leaves the workshop.", id="the contrary in other words"),
        pytest.param("A monthly payment is refunded in full.", id="the other period"),
    ],
)
def test_the_other_row_name_or_word_is_no_proof(sentence: str) -> None:
    assert not OWN.verdict(sentence).is_proven


@every_row(
    ("language", "sentence"),
    [
        ("de", "Der Versand nach Deutschland kostet 7,90 € in der Tarifzone Mitteleuropa."),
        ("fa", "هزینهٔ ارسال ۷٫۹۰ یورو است."),
        ("ja", "送料は7.90ユーロです。"),
        ("zh", "运费为7.90欧元。"),
        ("hi", "शिपिंग की लागत ७.९० यूरो है।"),
    ],
)
def test_across_languages_numbers_count_by_value_and_names_do_not(language: str, sentence: str) -> None:
    verdict = OWN.verdict(sentence, language)
    assert verdict.is_across
    assert verdict.is_proven
    changed = sentence.translate(str.maketrans("97۹۷९७", "31۳۱३१"))
    assert not OWN.verdict(changed, language).is_proven


STATION = Evidence(
    [
        Section.cut(
            "Station",
            """
## Notices

Unused SMS do not carry over to the next month. Contracts signed in a shop can't be withdrawn from.

The funnel is not heated. There is no car park of our own; the nearest one is in Mill Street.

## Set-up

The hub cannot see networks that are 5 GHz only. Switch on 2.4 GHz in the router.

Plus and Pro can be paused for 1 to 6 months, once in 12 months. Network cannot be paused.

Sixty-nine of 1,200 stations switched off.

The REST API has daily limits by plan: 1,000 on Plus, 20,000 on Pro and 100,000 on Network.

No light at all: check the adapter. The light is on the front.

| Product | Warranty |
| --- | --- |
| Stations | 3 years |
| Battery packs (NB-B2) | 1 year |

| Why it ran out | Stations |
| --- | --- |
| Panel in the shade | 38 |
| Old battery | 11 |
""",
        )
    ]
)


@every_row(
    "sentence",
    [
        pytest.param("Unused SMS are carried over to the next month.", id="the word after not"),
        pytest.param("Yes, contracts signed in a shop can also be withdrawn from within 14 days.", id="after yes"),
        pytest.param("The hub works with 5 GHz networks.", id="a denied number"),
        pytest.param("Plus and Pro can be paused for 1 to 12 months.", id="the end of another range"),
        pytest.param("The Plus plan allows 20,000 requests a day.", id="the number of another name in a list"),
        pytest.param("Battery packs have a warranty of 3 years.", id="a row whose own number is 1"),
        pytest.param("The most common reason was an old battery, with 38 stations.", id="the row of a fragment"),
        pytest.param("You need the pack NB-F1.", id="an identifier that begins like another"),
    ],
)
def test_what_a_source_denies_or_says_of_something_else_is_found(sentence: str) -> None:
    assert not STATION.verdict(sentence).is_proven


@every_row(
    "sentence",
    [
        pytest.param("Unused SMS aren't carried over.", id="a denial in another form"),
        pytest.param("The nearest car park is in Mill Street.", id="asserted of something else"),
        pytest.param("Of 1,200 stations, 69 switched off.", id="a number in words"),
        pytest.param("First check the hub's light.", id="what to do if something lacks"),
        pytest.param("You can pause Plus and Pro for 1 to 6 months.", id="the same range"),
        pytest.param("Yes, Plus and Pro can be paused, but not Network.", id="a denial of which the verb is left out"),
        pytest.param("Plus and Pro can be paused; Network cannot be paused.", id="a denial beside what is allowed"),
    ],
)
def test_the_same_in_other_words_stands(sentence: str) -> None:
    assert STATION.verdict(sentence).is_proven


@pytest.mark.parametrize(
    "sentence",
    [
        "The funnel isn't heated, and unused SMS don't carry over to the next month.",  # from two places
        "There's no car park.",
        "Unfortunately, contracts signed in a shop currently can't be withdrawn from.",
    ],
)
def test_what_the_places_of_a_source_say_together_is_proven(sentence: str) -> None:
    assert STATION.verdict(sentence).is_stated


@given(st.permutations(sorted(stems(PAGE))))
def test_the_order_of_words_changes_nothing(words: list[str]) -> None:
    index = PlaceIndex([Section.cut("Prices", PAGE)])
    assert index.covers(words) == index.covers(sorted(words))
    assert index.weight(words) == index.weight(sorted(words))
