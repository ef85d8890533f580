"""Training the trees that tell a page's text from what stands around it."""

import numpy as np

from crawler.extract.rails.rails import score
from crawler.extract.rails.run_features import FEATURES
from training.rails import PageRuns, boosted, labels, runs_of, site_examples

TEXT = "The pump is cleaned once a month with warm water and a soft brush, never with soap."


def test_a_row_says_what_is_of_the_text_and_what_is_not() -> None:
    row = {"wanted": [TEXT], "unwanted": ["Read also: seven pumps"]}
    assert labels(row, [TEXT, "Read also: seven pumps", "Home"]) == [True, False, None]


def test_a_whole_text_labels_everything() -> None:
    assert labels({"body": f"{TEXT} Then it dries."}, [TEXT, "Seven pumps that you will love this summer"]) == [
        True,
        False,
    ]


def test_text_of_a_site_that_stands_on_many_pages_is_no_example() -> None:
    frame = "Write to us at any hour of the day"
    features = [[0.0] * len(FEATURES)] * 2
    pages = [PageRuns(str(number), [f"{TEXT} {number}", frame], features) for number in range(5)]
    assert len(site_examples(pages)) == 5


def test_a_page_is_measured_run_by_run() -> None:
    page = f"<main><h1>Cleaning</h1><p>{TEXT}</p><p>{TEXT * 4}</p></main>"
    found = runs_of("a", page.encode(), "https://www.example.com/")
    assert found.texts == ["", TEXT, TEXT * 4]
    assert all(len(features) == len(FEATURES) for features in found.features)


def test_trees_learn_what_the_labels_follow() -> None:
    rng = np.random.default_rng(1)
    features = rng.random((400, len(FEATURES)))
    is_text = ((features[:, 0] > 0.5) & (features[:, 3] < 0.7)).astype(np.float64)
    learnt = boosted(features, is_text, np.ones(400))
    right = [(score(list(row), learnt) > 0) == bool(wanted) for row, wanted in zip(features, is_text, strict=True)]
    assert sum(right) > 380
