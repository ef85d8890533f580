"""The rooms are drawn as they import each other."""

from tests.docs.house_picture import DOCUMENT, imports_of_rooms, picture, renewed


def test_the_page_shows_the_rooms_as_they_are() -> None:
    document = DOCUMENT.read_text("utf-8")
    assert picture(imports_of_rooms()) in document, "run `make reference`"
    assert renewed(document) == document


def test_a_room_rests_on_what_it_imports_and_nothing_else_that_it_imports_does() -> None:
    rooms = {"cli": {"turns", "search", "core"}, "turns": {"search", "core"}, "search": {"core"}, "mail": {"core"}}
    assert picture({**rooms, "core": set()}).splitlines()[1:] == [
        "    3  cli               turns",
        "    2  turns             search",
        "    1  search            core",
        "    1  mail              core",
        "    0  core",
    ]


def test_imports_are_read_from_the_code() -> None:
    found = imports_of_rooms()
    assert "bootstrap" in found["main"]
    assert found["core"] == found["crawler"] == set()
    assert "web" not in found["agents"], "what points upwards is listed in the contract"
