"""What a run of failures may cost: how much of a text a killed process may not have stored."""

from tests.nemesis.verdict import had_stored_until


def test_a_killed_process_owes_what_it_said_some_seconds_before() -> None:
    assert had_stored_until(100.0, []) == 97.5
    assert had_stored_until(100.0, [(50.0, 53.0), (101.0, 104.0)]) == 97.5, "the record was there all the time"


def test_what_it_said_while_the_record_was_away_could_not_be_stored() -> None:
    assert had_stored_until(100.0, [(96.0, 99.0)]) == 93.5, "back for a second"
    assert had_stored_until(100.0, [(99.0, 102.0)]) == 96.5, "killed meanwhile"
    assert had_stored_until(100.0, [(92.0, 95.0), (96.0, 99.0)]) == 89.5, "away twice"


def test_a_process_that_was_killed_as_it_went_on_after_a_pause_owes_nothing_of_the_pause() -> None:
    assert had_stored_until(52.0, [(25.0, 52.0)]) == 22.5
