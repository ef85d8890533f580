import pytest

from crawler.fetch.robots import RobotsDirectives, parse_x_robots_tag
from tests.every_row import every_row


@every_row(
    ("value", "is_noindex", "is_nofollow"),
    [
        pytest.param("", False, False, id="no header"),
        pytest.param("noindex", True, False, id="noindex"),
        pytest.param("NoIndex, NoFollow", True, True, id="case"),
        pytest.param("none", True, True, id="none"),
        pytest.param("otherbot: noindex", False, False, id="for another robot"),
        pytest.param("DocentBot: noindex", True, False, id="for us"),
        pytest.param("otherbot: noindex\nnofollow", False, True, id="a line each"),
        pytest.param("unavailable_after: 25 Jun 2030 15:00:00 PST", False, False, id="a directive with a value"),
        pytest.param("max-snippet: 20, noindex", True, False, id="after a directive with a value"),
        pytest.param("noindexed, indexnofollow", False, False, id="not these words"),
    ],
)
def test_the_header_says_what_it_says_to_us(value: str, is_noindex: bool, is_nofollow: bool) -> None:
    assert parse_x_robots_tag(value, "DocentBot") == RobotsDirectives(is_noindex, is_nofollow)
