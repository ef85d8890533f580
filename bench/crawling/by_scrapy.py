"""Scrapy on the task of the comparison: same extractor, same concurrency, robots.txt obeyed, links of the same reader.

What it does not do for this, and Docent does: check addresses, read sitemaps, bound decompression by its own limits,
look for the page's canonical address, and tell why a page was left out.
"""

import time
from collections.abc import AsyncIterator
from multiprocessing.connection import Connection
from typing import Any

import scrapy
from scrapy.crawler import AsyncCrawlerProcess
from scrapy.http import HtmlResponse, Response

from bench.crawling.task import MAX_DEPTH, USER_AGENT, CrawlResult, CrawlTask, LinkReader
from crawler.errors import ExtractionFailed
from crawler.extract.extraction_pool import ExtractionPool


class DocumentationSpider(scrapy.Spider):
    name = "documentation"

    def __init__(self, task: CrawlTask) -> None:
        super().__init__()
        self._task = task
        self._extractor = ExtractionPool(task.workers) if task.workers else LinkReader()
        self.pages: set[str] = set()
        self.others: dict[str, str] = {}
        self.chars = 0
        self.began = self.ended = 0.0

    async def start(self) -> AsyncIterator[scrapy.Request]:
        self.began = time.perf_counter()
        yield scrapy.Request(f"{self._task.origin}/", self.parse)

    async def parse(self, response: Response, **_: Any) -> AsyncIterator[scrapy.Request]:
        if not isinstance(response, HtmlResponse) or response.status != 200:
            self.others[response.url] = str(response.status) if response.status != 200 else "not_html"
            return
        try:
            page = await self._extractor.extract(response.body, response.url, None)
        except ExtractionFailed as error:
            self.others[response.url] = error.reason
            return
        self.pages.add(page.url)
        self.chars += len(page.markdown)
        for link in page.links:
            if link.startswith(f"{self._task.origin}/"):
                yield scrapy.Request(link, self.parse)

    async def close_extractor(self) -> None:
        self.ended = time.perf_counter()
        await self._extractor.aclose()


def run(task: CrawlTask, pipe: Connection) -> None:
    """Entry point of the process."""
    process = AsyncCrawlerProcess(
        {
            "USER_AGENT": USER_AGENT,
            "ROBOTSTXT_OBEY": True,
            "CONCURRENT_REQUESTS": task.concurrency,
            "CONCURRENT_REQUESTS_PER_DOMAIN": task.concurrency,
            "DOWNLOAD_DELAY": 0,
            "DEPTH_LIMIT": MAX_DEPTH,
            "COOKIES_ENABLED": False,
            "HTTPERROR_ALLOW_ALL": True,
            "TELNETCONSOLE_ENABLED": False,
            "LOG_ENABLED": False,
        }
    )
    spiders: list[DocumentationSpider] = []

    def opened(spider: DocumentationSpider) -> None:
        spiders.append(spider)

    async def closed(spider: DocumentationSpider) -> None:
        await spider.close_extractor()

    crawler = process.create_crawler(DocumentationSpider)
    crawler.signals.connect(opened, scrapy.signals.spider_opened)
    crawler.signals.connect(closed, scrapy.signals.spider_closed)
    process.crawl(crawler, task=task)
    process.start()
    spider = spiders[0]
    pipe.send(CrawlResult(frozenset(spider.pages), spider.ended - spider.began, spider.chars, spider.others))
