import pytest

from crawler.fetch.fetcher import Fetcher
from tests.crawler.crawl.small_site import Run
from tests.doubles.loopback_site import LoopbackSite


@pytest.fixture
def crawl(site: LoopbackSite, fetcher: Fetcher) -> Run:
    return Run(site, fetcher)
