from crawler.fetch.fetch_result import Fetched
from crawler.fetch.polite_fetcher import polite_fetcher
from tests.doubles.loopback_site import LoopbackSite


async def test_a_ready_fetcher_reads_a_page_under_its_product_token(site: LoopbackSite) -> None:
    site.page("/", "hello")
    async with polite_fetcher("DocentBot/1.0 (+https://docent.example)", site.policy) as fetcher:
        assert isinstance(await fetcher.fetch(f"{site.origin}/"), Fetched)
        assert fetcher.agent == "DocentBot"
    assert site.asked[0][1]["user-agent"] == "DocentBot/1.0 (+https://docent.example)"
