"""`docent source discover` over the demonstration site."""

from pathlib import Path

from app.cli.demo.site_server import serve_demo_site
from tests.cli.test_commands import answer, docent


def test_a_website_is_shown_before_anything_is_stored(tmp_path: Path) -> None:
    environment = {
        "DOCENT_DATA": str(tmp_path / "data"),
        "DOCENT_CRAWL_DELAY_SECONDS": "0",
        "DOCENT_LOG_LEVEL": "error",
    }
    with serve_demo_site() as site:
        allowed = site.base.removeprefix("http://")
        found = answer(environment, "source", "discover", f"{site.base}/", "--allow", allowed)
    pages = {offer["kind"]: offer["pages"] for offer in found["offers"]}
    assert pages["sitemap"] >= 28
    assert pages["site"] >= 5
    assert not (tmp_path / "data").exists()


def test_a_private_address_is_refused(tmp_path: Path) -> None:
    refused = docent({"DOCENT_DATA": str(tmp_path)}, "source", "discover", "http://127.0.0.1:9/", code=2)
    assert "url: " in refused.stderr


def test_what_was_offered_can_be_read(tmp_path: Path) -> None:
    environment = {"DOCENT_DATA": str(tmp_path), "DOCENT_CRAWL_DELAY_SECONDS": "0", "DOCENT_LOG_LEVEL": "error"}
    with serve_demo_site() as site:
        allowed = site.base.removeprefix("http://")
        options = ("--sitemap", "--max-pages", "3", "--allow", allowed)
        read = answer(environment, "crawl", f"{site.base}/sitemap.xml", *options)
    assert (read["state"], read["counts"]) == ("finished", {"indexed": 3})


def test_an_address_is_one_thing(tmp_path: Path) -> None:
    docent({"DOCENT_DATA": str(tmp_path)}, "crawl", "https://www.example.com/", "--sitemap", "--feed", code=2)
