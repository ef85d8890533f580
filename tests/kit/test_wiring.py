"""Parts are put together by the types that their constructors name."""

from dataclasses import dataclass
from typing import Protocol

import pytest

from app.kit.wiring import Wiring


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


def test_a_part_is_made_with_what_its_constructor_names() -> None:
    voice = Quiet()
    party = Wiring({Voice: voice}).get(Party)
    assert party.greeter.voice is voice
    assert party.second is voice


def test_a_part_is_made_once() -> None:
    wiring = Wiring({Voice: Quiet()})
    assert wiring.get(Party).greeter is wiring.get(Greeter)


def test_what_was_given_is_taken_instead_of_a_new_one() -> None:
    greeter = Greeter(Quiet())
    assert Wiring({Greeter: greeter}).get(Party).greeter is greeter


def test_a_default_stays_and_what_may_be_none_is_none_unless_it_was_given() -> None:
    wiring = Wiring({Greeter: Greeter(Quiet())})
    assert wiring.get(Party).second is None
    assert Wiring({Voice: Quiet()}).get(Greeter).times == 1


def test_parameters_of_its_own_are_handed_in() -> None:
    assert Wiring({}).make(Sign, text="Open").text == "Open"


@pytest.mark.parametrize(("kind", "wanted"), [(Greeter, "voice"), (Sign, "text")])
def test_what_cannot_be_made_is_named_with_who_wants_it(kind: type[object], wanted: str) -> None:
    with pytest.raises(LookupError, match=rf"{kind.__name__} wants {wanted}: "):
        Wiring({}).get(kind)
