from pathlib import Path

import pytest
from pydantic import ValidationError

from app.core.turn import TokenUsage
from app.settings import BadSettings, Settings, read_settings
from tests.every_row import every_row


def test_a_browser_for_rendering_must_be_there(tmp_path: Path) -> None:
    with pytest.raises(ValidationError, match="there is no program at /nowhere/chromium"):
        Settings.model_validate({"render_browser": "/nowhere/chromium"})
    program = tmp_path / "chromium"
    program.touch()
    assert Settings.model_validate({"render_browser": str(program)}).render_browser == str(program)


def test_rendering_needs_playwright(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = tmp_path / "chromium"
    program.touch()
    monkeypatch.setattr("app.settings.find_spec", lambda _: None)
    with pytest.raises(ValidationError, match=r"pip install 'docent\[render\]'"):
        Settings.model_validate({"render_browser": str(program)})


def test_options_of_the_object_store_are_named_values_and_never_printed() -> None:
    settings = read_settings(vectors_options="region=eu-north-1, aws_secret_access_key=zq=xy")
    assert settings.vector_options == {"region": "eu-north-1", "aws_secret_access_key": "zq=xy"}
    assert "zq=xy" not in repr(settings)
    with pytest.raises(BadSettings, match=r"DOCENT_VECTORS_OPTIONS: .*NAME=VALUE"):
        read_settings(vectors_options="eu-north-1")


@every_row("given", ["", "/1.0", "Bot\r\nX: y", "Böt/1.0"])
def test_a_user_agent_begins_with_its_name(given: str) -> None:
    with pytest.raises(BadSettings, match="DOCENT_CRAWL_USER_AGENT"):
        read_settings(crawl_user_agent=given)


def test_a_user_agent_may_have_an_address() -> None:
    own = "ShopBot/2.0 (+https://shop.example/bot)"
    assert read_settings(crawl_user_agent=own).crawl_user_agent == own


def test_another_cross_encoder_must_be_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DOCENT_RERANK_FOLDER", str(tmp_path))
    with pytest.raises(BadSettings, match=r"DOCENT_RERANK_FOLDER.* no config\.json and no tokenizer\.json"):
        read_settings()
    for name in ("config.json", "tokenizer.json"):
        (tmp_path / name).write_text("{}")
    assert read_settings().rerank_folder == str(tmp_path)


def test_a_fallback_and_a_helper_may_have_prices_of_their_own() -> None:
    named = {f"{part}_{field}": f"http://{part}" for part in ("model", "helper_model") for field in ("url", "name")}
    prices = read_settings(
        **named, model_price_prompt=2, model_price_cached=1, model_price_answer=10, helper_model_price_prompt=0.1
    ).prices
    assert prices.cost(TokenUsage(1_000_000, 0, "http://model")) == 2
    assert prices.cost(TokenUsage(1_000_000, 0, "http://helper_model", cached_tokens=500_000)) == pytest.approx(0.1)


def test_further_chat_models_are_named_and_checked(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("MODEL_URL", "MODEL_NAME"):
        monkeypatch.setenv(f"DOCENT_{name}", "http://model")
    told = '{"large": {"url": "https://x.example/v1", "name": "l", "key": "hunter2", "price_prompt": 3}}'
    monkeypatch.setenv("DOCENT_MODELS", told)
    settings = read_settings()
    assert settings.models["large"].key.get_secret_value() == "hunter2"
    assert "hunter2" not in repr(settings) + str(settings.shown())
    assert settings.prices.cost(TokenUsage(1_000_000, 0, "l")) == 3
    monkeypatch.setenv("DOCENT_MODELS", told.replace("https", "ftp"))
    with pytest.raises(BadSettings, match="DOCENT_MODELS: begin the address with http"):
        read_settings()


def test_further_chat_models_stand_beside_a_usual_one() -> None:
    with pytest.raises(BadSettings, match="DOCENT_MODEL_URL: set it beside DOCENT_MODELS"):
        read_settings(models={"large": {"url": "https://x.example", "name": "l"}})


MAIL = {
    "smtp_url": "smtps://me:hunter2@mail.example.com",
    "mail_from": "d@example.com",
    "public_url": "https://d.example.com/",
}


def test_a_mail_server_goes_with_a_sender_and_an_address_for_links() -> None:
    assert read_settings(**MAIL).public_url == "https://d.example.com"
    for missing in ("mail_from", "public_url"):
        with pytest.raises(BadSettings, match=f"DOCENT_{missing.upper()}: set it beside DOCENT_SMTP_URL"):
            read_settings(**{**MAIL, missing: ""})


OAUTH = "https://login.example.com/token?client_id=c&refresh_token=hunter3"


@every_row("smtp_url", ["", MAIL["smtp_url"], "smtps://mail.example.com", "smtp://me@mail.example.com?tls=off"])
def test_oauth_goes_with_a_user_and_tls_and_without_a_password(smtp_url: str) -> None:
    settings = {**MAIL, "smtp_url": "smtp://me@mail.example.com", "smtp_oauth": OAUTH}
    assert "hunter3" not in repr(read_settings(**settings))
    with pytest.raises(BadSettings, match="DOCENT_SMTP_OAUTH: needs TLS and a user without a password"):
        read_settings(**{**settings, "smtp_url": smtp_url})


@every_row("name", ["smtp_url", "smtp_oauth", "mail_from", "public_url"])
def test_what_mail_cannot_be_sent_with_is_refused_by_its_name(name: str) -> None:
    with pytest.raises(BadSettings, match=f"DOCENT_{name.upper()}"):
        read_settings(**{**MAIL, name: "nonsense"})


def test_the_password_of_a_mail_server_is_never_printed() -> None:
    assert "hunter2" not in repr(read_settings(**MAIL))
