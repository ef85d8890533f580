"""Parts are put together by the types that their constructors name."""

from dataclasses import dataclass
from typing import Protocol

import pytest

from app.kit.wiring import Parts, Wiring


class Voice(Protocol):
    def say(self) -> str: ...


class Quiet:
    def say(self) -> str:
        return "psst"


class Greeter:
    def __init__(self, voice: Voice, times: int = 1) -> None:
        self.voice = voice
        self.times = times


@dataclass
class Party:
    greeter: Greeter
    second: Voice | None


class Sign:
    def __init__(self, text: str) -> None:
        self.text = text


def bound(voice: Voice | None) -> Wiring:
    parts = Parts()
    parts.bind(Voice).to_optional(voice)
    return Wiring(parts)


def test_a_part_is_made_with_what_its_constructor_names() -> None:
    voice = Quiet()
    party = bound(voice).get(Party)
    assert party.greeter.voice is voice
    assert party.second is voice


def test_a_part_is_made_once() -> None:
    wiring = bound(Quiet())
    assert wiring.get(Party).greeter is wiring.get(Greeter)
    assert wiring.made == {Party, Greeter}


def test_what_was_given_is_taken_instead_of_a_new_one() -> None:
    parts, greeter = Parts(), Greeter(Quiet())
    parts.bind(Greeter).to(greeter)
    parts.bind(Voice).to(Quiet())
    wiring = Wiring(parts)
    assert wiring.get(Party).greeter is greeter
    assert wiring.made == {Party}


def test_a_default_stays() -> None:
    assert bound(Quiet()).get(Greeter).times == 1
    assert Wiring({Voice: Quiet(), int: 3}).get(Greeter).times == 1


def test_what_may_be_none_is_none_where_that_was_said() -> None:
    assert Wiring({Greeter: Greeter(Quiet()), Voice: None}).get(Party).second is None


def test_a_part_that_was_forgotten_is_an_error_even_where_it_may_be_none() -> None:
    with pytest.raises(LookupError, match=r"Party wants second: .*Voice.*, or None\."):
        Wiring({Greeter: Greeter(Quiet())}).get(Party)


def test_none_is_refused_by_whoever_needs_the_part() -> None:
    with pytest.raises(LookupError, match="Greeter wants voice: "):
        bound(None).get(Greeter)


def test_parameters_of_its_own_are_handed_in() -> None:
    assert Wiring({}).make(Sign, text="Open").text == "Open"


@pytest.mark.parametrize(("kind", "wanted"), [(Greeter, "voice"), (Sign, "text")])
def test_what_cannot_be_made_is_named_with_who_wants_it(kind: type[object], wanted: str) -> None:
    with pytest.raises(LookupError, match=rf"{kind.__name__} wants {wanted}: "):
        Wiring({}).get(kind)
