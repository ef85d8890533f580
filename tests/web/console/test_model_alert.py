"""A chat model that does not answer is said on every page that operators see."""

from app.core.errors import ModelUnavailable
from app.providers.chat.model_health import ModelHealth
from tests.web.console.browser import text_of
from tests.web.console.page_examples import OpenConsole


async def test_every_page_says_that_the_model_fails_and_why_until_it_answers(console: OpenConsole) -> None:
    health = console.house.parts.get(ModelHealth)
    assert health is not None
    assert "model-alert" not in await console.viewer.page("/console/account")

    health.failed(ModelUnavailable("The model m at <b>models.example</b> refused the API key (401)."))
    shown = await console.viewer.page("/console/account")
    assert "The chat model does not answer. The last 1 call failed" in text_of(shown)
    assert "at &lt;b&gt;models.example&lt;/b&gt; refused the API key (401)." in shown

    health.answered()
    assert "model-alert" not in await console.viewer.page("/console/account")


async def test_who_is_not_signed_in_is_told_nothing(console: OpenConsole) -> None:
    health = console.house.parts.get(ModelHealth)
    assert health is not None
    health.failed(ModelUnavailable("The model refused the API key (401)."))
    assert "API key" not in (await console.house.http.get("/console/sign-in")).text
