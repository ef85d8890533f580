import anyio

from crawler.fetch.pacing import MAX_CRAWL_DELAY_SECONDS, HostPacing
from tests.doubles.fake_network import FakeClock


def paced(clock: FakeClock, min_delay_seconds: float = 2.0, max_per_host: int = 2) -> HostPacing:
    return HostPacing(min_delay_seconds, max_per_host, clock, clock.sleep)


async def starts(pacing: HostPacing, clock: FakeClock, *hosts: str) -> list[float]:
    moments = []
    for host in hosts:
        async with pacing.turn(host):
            moments.append(clock.now - 1000.0)
    return moments


async def test_requests_to_one_host_keep_their_distance(clock: FakeClock) -> None:
    assert await starts(paced(clock), clock, "a", "a", "a") == [0.0, 2.0, 4.0]


async def test_hosts_do_not_wait_for_each_other(clock: FakeClock) -> None:
    assert await starts(paced(clock), clock, "a", "b", "c") == [0.0, 0.0, 0.0]


async def test_a_crawl_delay_stretches_the_distance_within_reason(clock: FakeClock) -> None:
    pacing = paced(clock)
    pacing.slow_down("a", 5.0)
    pacing.slow_down("b", 86_400.0)
    pacing.slow_down("c", 0.1)
    assert await starts(pacing, clock, "a", "a") == [0.0, 5.0]
    assert await starts(pacing, clock, "b", "b") == [5.0, 5.0 + MAX_CRAWL_DELAY_SECONDS]
    assert await starts(pacing, clock, "c", "c") == [35.0, 37.0]


async def test_a_host_that_was_pushed_back_rests(clock: FakeClock) -> None:
    pacing = paced(clock)
    pacing.push_back("a", 60.0)
    pacing.push_back("a", 1.0)
    assert await starts(pacing, clock, "b", "a") == [0.0, 60.0]


async def test_only_so_many_requests_to_a_host_are_under_way(clock: FakeClock) -> None:
    pacing = paced(clock, 0.0, max_per_host=2)
    under_way = most = 0

    async def request() -> None:
        nonlocal under_way, most
        async with pacing.turn("a"):
            under_way += 1
            most = max(most, under_way)
            await anyio.lowlevel.checkpoint()
            under_way -= 1

    async with anyio.create_task_group() as tasks:
        for _ in range(6):
            tasks.start_soon(request)
    assert most == 2
