import anyio

from crawler.extract.page import Outcome
from crawler.fetch.robots import FAILURE_CACHE_SECONDS, Robots, RobotsPolicy, RobotsRules
from crawler.url_rules import check_url
from tests.doubles.fake_network import AGENT, FakeConnector, FakeNetwork, FakeRequest, FakeResolver, response
from tests.every_row import every_row

PAGE = "https://www.example.com/a?b=1"


class RobotsServer:
    def __init__(self, status: int = 200, text: str = "", **headers: str) -> None:
        self.status, self.text, self.headers = status, text, headers

    def __call__(self, request: FakeRequest) -> list[bytes]:
        return response(self.status, self.text.encode(), self.headers)


def robots_over(server: RobotsServer, resolver: FakeResolver | None = None) -> tuple[Robots, FakeNetwork]:
    network = FakeNetwork(FakeConnector(server), resolver or FakeResolver())
    return Robots(network.fetcher, network.clock), network


async def test_one_robots_txt_serves_all_pages_of_an_origin_for_a_day() -> None:
    robots, network = robots_over(RobotsServer(text="User-agent: *\nDisallow: /b"))
    async with anyio.create_task_group() as tasks:
        for _ in range(5):
            tasks.start_soon(robots.refusal, PAGE)
    assert len(network.connector.requests) == 1
    network.clock.now += 25 * 3600
    assert await robots.refusal(PAGE) is None
    assert len(network.connector.requests) == 2


async def test_each_origin_has_its_own() -> None:
    robots, network = robots_over(RobotsServer())
    for url in (PAGE, "http://www.example.com/", "https://www.example.com:8443/"):
        await robots.refusal(url)
    assert len(network.connector.requests) == 3


async def test_a_refusal_names_the_path() -> None:
    robots, _ = robots_over(RobotsServer(text="User-agent: docentbot\nDisallow: /a?"))
    refusal = await robots.refusal(PAGE)
    assert refusal is not None
    assert refusal.outcome is Outcome.BLOCKED_BY_ROBOTS
    assert "/a?b=1" in refusal.reason


async def test_a_copy_stands_in_while_the_site_is_down() -> None:
    server = RobotsServer(text="User-agent: *\nDisallow: /secret")
    robots, network = robots_over(server)
    await robots.refusal(PAGE)
    network.clock.now += 30 * 3600
    server.status = 503
    assert (await robots.site(check_url(PAGE))).policy is RobotsPolicy.USE_CACHE
    assert await robots.refusal(PAGE) is None
    assert await robots.refusal("https://www.example.com/secret")


async def test_what_a_site_said_is_kept_when_its_rules_are_to_be_read_again() -> None:
    server = RobotsServer(text="User-agent: *\nDisallow: /secret")
    robots, network = robots_over(server)
    await robots.refusal(PAGE)
    server.status = 503
    robots.expire(check_url("http://example.com/"))
    assert await robots.refusal("https://www.example.com/secret")
    assert await robots.refusal(PAGE) is None
    limited = RobotsServer(429, **{"Retry-After": "3000"})
    robots, network = robots_over(limited)
    await robots.refusal(PAGE)
    seen = len(network.connector.requests)
    robots.expire(check_url(PAGE))
    assert await robots.refusal(PAGE)
    assert len(network.connector.requests) == seen


async def test_rules_that_are_gone_after_a_day_are_gone() -> None:
    server = RobotsServer(text="User-agent: *\nDisallow: /")
    robots, network = robots_over(server)
    assert await robots.refusal(PAGE)
    network.clock.now += 25 * 3600
    server.status = 404
    assert (await robots.site(check_url(PAGE))).policy is RobotsPolicy.REFETCH
    assert await robots.refusal(PAGE) is None


async def test_a_failure_is_remembered_for_a_while_then_tried_again() -> None:
    server = RobotsServer(status=500)
    robots, network = robots_over(server)
    refusal = await robots.refusal(PAGE)
    assert refusal is not None
    assert refusal.outcome is Outcome.BLOCKED_BY_ROBOTS
    asked = len(network.connector.requests)
    await robots.refusal(PAGE)
    assert len(network.connector.requests) == asked
    server.status = 404
    network.clock.now += FAILURE_CACHE_SECONDS + 1
    assert await robots.refusal(PAGE) is None


async def test_a_site_that_limits_us_is_left_for_the_time_it_named() -> None:
    server = RobotsServer(429, **{"Retry-After": "3000"})
    robots, network = robots_over(server)
    refusal = await robots.refusal(PAGE)
    assert refusal is not None
    assert refusal.outcome is Outcome.RATE_LIMITED
    server.status = 200
    network.clock.now += 2900
    assert await robots.refusal(PAGE)
    network.clock.now += 200
    assert await robots.refusal(PAGE) is None


async def test_a_forbidden_address_is_called_so_and_not_a_robots_matter() -> None:
    robots, network = robots_over(RobotsServer(), FakeResolver(default=[["10.0.0.1"]]))
    refusal = await robots.refusal(PAGE)
    assert refusal is not None
    assert refusal.outcome is Outcome.FORBIDDEN_ADDRESS
    assert network.connector.dialled == []


async def test_an_unreachable_site_is_called_so() -> None:
    robots, network = robots_over(RobotsServer())
    network.connector.fail_first = 99
    refusal = await robots.refusal(PAGE)
    assert refusal is not None
    assert refusal.outcome is Outcome.UNREACHABLE


async def test_a_crawl_delay_slows_the_host_down() -> None:
    robots, network = robots_over(RobotsServer(text="User-agent: *\nCrawl-delay: 4\nDisallow: /x"))
    await robots.refusal(PAGE)
    for _ in range(2):
        await network.fetcher.fetch(PAGE)
    assert network.clock.slept == [4.0]


async def test_robots_txt_itself_is_never_refused() -> None:
    robots, _ = robots_over(RobotsServer(text="User-agent: *\nDisallow: /"))
    assert await robots.refusal("https://www.example.com/robots.txt") is None


def test_sitemaps_belong_to_everybody() -> None:
    rules = RobotsRules("Sitemap: https://e.com/1.xml\nUser-agent: x\nsitemap: https://e.com/2.xml\n", AGENT)
    assert rules.sitemaps == ("https://e.com/1.xml", "https://e.com/2.xml")


@every_row(
    ("text", "delay"),
    [
        ("User-agent: *\nCrawl-delay: 1\nUser-agent: DocentBot\nDisallow:\nCrawl-delay: 2.5", 2.5),
        ("User-agent: *\nCrawl-delay: 1\nDisallow: /\nUser-agent: DocentBot\nDisallow:", None),
        ("User-agent: *\nCrawl-delay: nan", None),
        ("User-agent: *\nCrawl-delay: -1", None),
        ("User-agent: *\nCrawl-delay: 3", 3.0),
    ],
)
def test_a_crawl_delay_counts_only_in_the_group_that_is_ours(text: str, delay: float | None) -> None:
    assert RobotsRules(text, AGENT).crawl_delay_seconds == delay


def test_a_version_after_the_name_does_not_matter() -> None:
    assert not RobotsRules("User-agent: DocentBot/2.1\nDisallow: /", AGENT).allows("/a")


def test_a_rule_cut_at_the_size_limit_is_dropped() -> None:
    padding = b"#" * (500 * 1024 - 40)
    body = padding + b"\nUser-agent: *\nDisallow: /private/only/this\n"
    assert RobotsRules.from_bytes(body, AGENT).allows("/pr")


def test_a_rule_cannot_be_split_by_odd_line_ends() -> None:
    rules = RobotsRules("User-agent: *\nAllow: /x\u2028Disallow: /\x0cDisallow: /", AGENT)
    assert rules.allows("/y")


def test_a_file_with_endless_user_agents_is_read_in_linear_time() -> None:
    agents = "".join(f"User-agent: b{number}\n" for number in range(15_000))
    rules = "".join(f"Disallow: /{number}\n" for number in range(15_000))
    assert not RobotsRules(f"{agents}User-agent: *\n{rules}", AGENT).allows("/77")
