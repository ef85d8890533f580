from pathlib import Path

import pytest
from pydantic import ValidationError

from app.settings import BadSettings, Settings, read_settings


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


def test_another_cross_encoder_must_be_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DOCENT_RERANK_FOLDER", str(tmp_path))
    with pytest.raises(BadSettings, match=r"DOCENT_RERANK_FOLDER.* no config\.json and no tokenizer\.json"):
        read_settings()
    for name in ("config.json", "tokenizer.json"):
        (tmp_path / name).write_text("{}")
    assert read_settings().rerank_folder == str(tmp_path)
