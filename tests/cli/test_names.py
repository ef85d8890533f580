"""Things by name, by id, or by how one of them begins."""

from dataclasses import dataclass
from uuid import UUID

import pytest

from app.cli.local_operator import meant
from app.core.errors import InvalidInput
from tests.every_row import every_row


@dataclass(frozen=True)
class Pet:
    id: UUID
    name: str


CAT = Pet(UUID("01a20335-0000-7000-8000-000000000001"), "Cat")
CATTLE = Pet(UUID("01a20335-0000-7000-8000-000000000002"), "Cattle dog")
OWL = Pet(UUID("02b20335-0000-7000-8000-000000000003"), "Owl")
PETS = (CAT, CATTLE, OWL)


def called(named: str) -> Pet:
    return meant("pet", named, PETS, lambda pet: (pet.name,))


@every_row(
    ("named", "pet"),
    [
        pytest.param(str(OWL.id), OWL, id="the id"),
        pytest.param(str(OWL.id).upper(), OWL, id="the id in capitals"),
        pytest.param("02b", OWL, id="how the id begins"),
        pytest.param("owl", OWL, id="the name"),
        pytest.param("O", OWL, id="how the name begins"),
        pytest.param("cat", CAT, id="a whole name that another begins with"),
        pytest.param("catt", CATTLE, id="the other"),
    ],
)
def test_one_is_found(named: str, pet: Pet) -> None:
    assert called(named) is pet


@pytest.mark.parametrize("named", ["ca", "01a20335"])
def test_where_several_fit_they_are_listed(named: str) -> None:
    with pytest.raises(InvalidInput, match="Several pets match") as error:
        called(named)
    assert ("Cattle dog" in str(error.value), "Owl" in str(error.value)) == (True, False)


@pytest.mark.parametrize("named", ["dog", "", " "])
def test_where_none_fits_all_are_listed(named: str) -> None:
    with pytest.raises(InvalidInput, match="There is no pet") as error:
        called(named)
    assert all(pet.name in str(error.value) for pet in PETS)


def test_the_nearest_name_is_suggested() -> None:
    with pytest.raises(InvalidInput, match=r"Did you mean Cattle dog\?"):
        called("Catle dog")


def test_where_there_is_none_at_all_it_says_so() -> None:
    with pytest.raises(InvalidInput, match="nor any other yet"):
        meant("pet", "owl", (), lambda pet: ())
