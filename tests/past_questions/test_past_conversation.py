"""What a conversation was about: its first question for the website, in few words, and the team's reply."""

from app.past_questions.past_conversation import PastConversation, PastMessage, PastQuestion, first_question
from tests.every_row import every_row


def asked(*messages: str) -> PastQuestion | None:
    """Messages of the team begin with "> "."""
    told = [PastMessage(not each.startswith("> "), each.removeprefix("> ")) for each in messages]
    return first_question(PastConversation("1", tuple(told)))


@every_row("messages", [["Hi"], ["thanks!", "> You're welcome"], ["I want to talk to a person"], ["?"], []])
def test_greetings_and_wishes_for_a_person_are_no_questions(messages: list[str]) -> None:
    assert asked(*messages) is None


def test_of_a_long_mail_the_sentences_that_ask_are_taken() -> None:
    story = "We bought two stations in spring and put them on the roof of the school. " * 5
    found = asked(f"Good morning! {story}Can they share one base? {story}\n-- \nAnna")
    assert found is not None
    assert found.text == "Can they share one base?"


def test_a_long_message_that_asks_nothing_is_cut() -> None:
    found = asked("The station on our roof shows no wind since Monday and blinks " * 20)
    assert found is not None
    assert 200 < len(found.text) <= 300


def test_the_reply_is_all_that_the_team_wrote_until_the_visitor_wrote_again() -> None:
    found = asked(
        "> Welcome!", "Do you ship to Malta?", "And when?", "> Hi!", "> We do.", "> Within 5 days.", "Great", "> Bye"
    )
    assert found == PastQuestion("1", "Do you ship to Malta?", "We do.\n\nWithin 5 days.")


def test_personal_data_is_masked_in_both() -> None:
    found = asked("Why was my card 4111 1111 1111 1111 refused?", "> Write to me@example.org.")
    assert found == PastQuestion("1", "Why was my card [card] refused?", "Write to [email].")
