from app.kit.cache import RecentValues


def test_the_least_recently_used_is_forgotten() -> None:
    recent = RecentValues[str, int](max_values=2)
    recent.keep("one", 1)
    recent.keep("two", 2)
    assert recent.get("one") == 1
    recent.keep("three", 3)
    assert [recent.get(key) for key in ("one", "two", "three")] == [1, None, 3]
    assert len(recent) == 2


def test_what_is_kept_again_or_forgotten_is_not_what_it_was() -> None:
    recent = RecentValues[str, int](max_values=2)
    recent.keep("one", 1)
    recent.keep("one", 10)
    recent.forget("two")
    assert recent.get("one") == 10
    recent.forget("one")
    assert recent.get("one") is None


def test_those_asked_for_together_come_in_that_order_and_are_forgotten_last() -> None:
    recent = RecentValues[str, int](max_values=3)
    for number, key in enumerate(("one", "two", "three"), 1):
        recent.keep(key, number)
    assert list(recent.get_all(["two", "none", "one"]).items()) == [("two", 2), ("one", 1)]
    recent.keep("four", 4)
    assert recent.get_all(["one", "two", "three", "four"]).keys() == {"one", "two", "four"}
