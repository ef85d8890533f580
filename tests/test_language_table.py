"""The table of figures by language."""

from tests.language_table import half_of_the_articles, of_answers, of_report, over_english, table


def article(identity: str) -> tuple[dict[str, object], dict[str, object], dict[str, object]]:
    language = identity.partition("-")[0]
    return (
        {"doc_id": identity, "lang": language},
        {"chunk_id": f"{identity}#0", "doc_id": identity},
        {
            "qid": identity,
            "lang": language,
            "kind": "answerable",
            "answerable": True,
            "relevant": [f"{identity}#0"],
            "relevant_docs": [identity],
        },
    )


ARTICLES = [list(rows) for rows in zip(*map(article, ("en-0", "en-1", "zh-0", "zh-1")), strict=True)]


def test_every_second_article_is_taken_out_of_each_language() -> None:
    documents, chunks, queries = half_of_the_articles(*ARTICLES)
    assert [row["doc_id"] for row in documents] == [row["doc_id"] for row in chunks] == ["en-0", "zh-0"]
    assert [row["answerable"] for row in queries] == [True, False, True, False]


def test_questions_in_other_languages_are_asked_over_the_same_english_paragraphs() -> None:
    documents, _, queries = over_english(*ARTICLES)
    assert [row["doc_id"] for row in documents] == ["en-0", "en-1"]
    assert [(row["lang"], row["relevant"]) for row in queries] == [("zh", ["en-0#0"]), ("zh", ["en-1#0"])]


def test_a_cell_has_both_figures_where_they_differ() -> None:
    report = {
        "languages": {"zh": {"fused": {"hit@5": 0.97}}},
        "abstention": {"zh": {"held_back": {"answerable": 0.125, "out_of_corpus": 0.9}}},
    }
    now = of_report("xquad", report)
    now["de"] = of_answers({"de": {"right": 3, "wrong": 1, "honest": 1}})["de"]
    before = {"zh": {"xquad: hit@5": 0.97, "xquad: withheld": 0.5}}
    assert table(now, before).splitlines()[2:] == [
        "| de |  |  |  | .75 | 1.00 |",
        "| zh | .97 | .50, **.12** | .90 |  |  |",
    ]
