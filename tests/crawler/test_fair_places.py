"""Whose turn it is when several wait for a few places."""

import anyio
from hypothesis import given
from hypothesis import strategies as st

from crawler.worker_processes import FairPlaces


class Crowd:
    """Everybody stays until told to leave; `seated` lists who got a place, in order."""

    def __init__(self, places: FairPlaces, tasks: anyio.abc.TaskGroup) -> None:
        self._places = places
        self._tasks = tasks
        self.seated: list[str] = []
        self._leave: dict[str, anyio.Event] = {}
        self._scopes: dict[str, anyio.CancelScope] = {}

    async def come(self, *names: str) -> None:
        """The owner is the first letter."""
        for name in names:
            self._tasks.start_soon(self._sit, name)
            await anyio.wait_all_tasks_blocked()

    async def leave(self, name: str) -> None:
        self._leave[name].set()
        await anyio.wait_all_tasks_blocked()

    async def give_up(self, name: str) -> None:
        self._scopes[name].cancel()
        await anyio.wait_all_tasks_blocked()

    async def _sit(self, name: str) -> None:
        self._leave[name] = anyio.Event()
        with anyio.CancelScope() as self._scopes[name]:
            async with self._places.held(name[0]):
                self.seated.append(name)
                await self._leave[name].wait()


async def test_owners_take_turns_and_each_of_them_in_order() -> None:
    async with anyio.create_task_group() as tasks:
        crowd = Crowd(FairPlaces(1, 1), tasks)
        await crowd.come("a1", "a2", "a3", "b1", "b2", "c1")
        for name in ("a1", "b1", "c1", "a2", "b2", "a3"):
            assert crowd.seated[-1] == name
            await crowd.leave(name)


async def test_one_owner_leaves_a_place_to_others() -> None:
    async with anyio.create_task_group() as tasks:
        crowd = Crowd(FairPlaces(2, 1), tasks)
        await crowd.come("a1", "a2")
        assert crowd.seated == ["a1"]
        await crowd.come("b1")
        assert crowd.seated == ["a1", "b1"]
        for name in ("b1", "a1", "a2"):
            await crowd.leave(name)
        assert crowd.seated == ["a1", "b1", "a2"]


async def test_who_gives_up_is_passed_over_and_leaves_a_place() -> None:
    async with anyio.create_task_group() as tasks:
        crowd = Crowd(FairPlaces(1, 1), tasks)
        await crowd.come("a1", "b1", "c1")
        await crowd.give_up("b1")
        await crowd.give_up("a1")
        assert crowd.seated == ["a1", "c1"]
        await crowd.leave("c1")


async def test_all_places_are_free_once_nobody_waits() -> None:
    async with anyio.create_task_group() as tasks:
        places = FairPlaces(1, 1)
        await places.all_free()
        crowd, seen = Crowd(places, tasks), []

        async def look() -> None:
            await places.all_free()
            seen.append(list(crowd.seated))

        await crowd.come("a1", "b1")
        tasks.start_soon(look)
        await crowd.leave("a1")
        assert seen == []
        await crowd.leave("b1")
        assert seen == [["a1", "b1"]]


@given(
    st.integers(1, 3),
    st.integers(1, 3),
    st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from(["come", "leave", "give up"])), max_size=30),
)
async def test_no_place_is_lost_or_given_twice(places: int, per_owner: int, steps: list[tuple[str, str]]) -> None:
    async with anyio.create_task_group() as tasks:
        crowd = Crowd(FairPlaces(places, per_owner), tasks)
        there: list[str] = []
        for number, (owner, step) in enumerate(steps):
            if step == "come":
                there.append(f"{owner}{number}")
                await crowd.come(there[-1])
            elif step == "leave" and (sits := [n for n in there if n in crowd.seated]):
                there.remove(sits[0])
                await crowd.leave(sits[0])
            elif step == "give up" and there:
                await crowd.give_up(there.pop(0))
            seated = [name for name in there if name in crowd.seated]
            waiting = [name for name in there if name not in crowd.seated]
            owned = {owner: sum(name[0] == owner for name in seated) for owner in "abc"}
            assert len(seated) <= places
            assert max(owned.values()) <= per_owner
            assert len(seated) == places or all(owned[name[0]] == per_owner for name in waiting)
        tasks.cancel_scope.cancel()
