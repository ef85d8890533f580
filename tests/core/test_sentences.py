from app.core.text.sentences import points_back
from tests.every_row import every_row


@every_row(
    ("sentence", "expected"),
    [
        ("Then it is a matter of warranty.", True),
        ("They arrive within a week.", True),
        ("If not, write to us.", True),
        ("No, we do not.", True),
        ("Theirs is the risk.", False),
        ("Nothing is lost.", False),
        ("Returns are free for 30 days.", False),
        ("Thenard shipped it.", False),
        ("IT departments get a discount.", True),  # a little too careful: one sentence more is quoted
    ],
)
def test_a_sentence_that_leans_on_the_one_before_is_known_by_its_opening(sentence: str, expected: bool) -> None:
    assert points_back(sentence) is expected
