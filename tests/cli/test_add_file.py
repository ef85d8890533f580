"""`docent source add-file` over one data folder."""

from pathlib import Path

from tests.cli.test_commands import Environment, answer, docent


def test_an_agent_learns_from_a_file_and_from_the_file_that_takes_its_place(tmp_path: Path) -> None:
    environment: Environment = {"DOCENT_DATA": str(tmp_path / "data"), "DOCENT_LOG_LEVEL": "error"}
    file = tmp_path / "warranty.md"
    file.write_text("# Warranty of the station\n\nThe rain gauge is under warranty for 3 years.\n")

    first = answer(environment, "source", "add-file", str(file), "--url", "https://www.example.com/warranty")
    assert (first["state"], first["counts"]) == ("finished", {"indexed": 1})
    asked = answer(environment, "ask", "How long is the rain gauge under warranty?")
    assert "3 years" in asked["answer"]
    [citation] = asked["citations"]
    assert (citation["url"], citation["title"]) == ("https://www.example.com/warranty", "Warranty of the station")

    again = answer(environment, "source", "add-file", str(file))
    assert (again["source_id"], again["counts"]) == (first["source_id"], {"unchanged": 1})

    file.write_text("# Warranty of the station\n\nThe rain gauge is under warranty for 5 years.\n")
    changed = answer(environment, "source", "add-file", str(file))
    assert (changed["source_id"], changed["counts"]) == (first["source_id"], {"indexed": 1})
    assert "5 years" in answer(environment, "ask", "How long is the rain gauge under warranty?")["answer"]


def test_a_file_that_cannot_be_learnt_from_is_refused_by_name(tmp_path: Path) -> None:
    environment: Environment = {"DOCENT_DATA": str(tmp_path / "data"), "DOCENT_LOG_LEVEL": "error"}
    file = tmp_path / "photo.png"
    file.write_bytes(b"\x89PNG....")
    refused = docent(environment, "source", "add-file", str(file), code=2)
    assert "is a picture" in refused.stderr
