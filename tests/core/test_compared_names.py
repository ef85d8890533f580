"""What a question asks the difference of."""

from app.core.text.question_parts import compared_names
from tests.every_row import every_row


@every_row(
    ("question", "names"),
    [
        ("What's the difference between Canvas Size and Scale Image?", ["Canvas Size", "Scale Image"]),
        ("What are the differences between prefork, worker and event?", ["prefork", "worker", "event"]),
        ("difference between the Plus plan and Pro when I pay yearly", ["Plus plan", "Pro"]),
        ("Was ist der Unterschied zwischen dem Plus-Tarif und Pro?", ["Plus-Tarif", "Pro"]),
        ("¿Cuál es la diferencia entre Plus y Pro?", ["Plus", "Pro"]),
        ("Quelle est la différence entre la carte Plus et la carte Pro ?", ["carte Plus", "carte Pro"]),
        ("Qual è la differenza tra il piano Plus e il piano Pro?", ["piano Plus", "piano Pro"]),
        ("Qual é a diferença entre o Plus e o Pro?", ["Plus", "Pro"]),
        ("Wat is het verschil tussen de Plus en de Pro?", ["Plus", "Pro"]),
        ("Jaka jest różnica między Plus a Pro?", ["Plus", "Pro"]),
        ("Care este diferența dintre Plus și Pro?", ["Plus", "Pro"]),
        ("В чём разница между Plus и Pro?", ["Plus", "Pro"]),
        ("Ποια είναι η διαφορά μεταξύ Plus και Pro;", ["Plus", "Pro"]),
        ("Plus ile Pro arasındaki fark nedir?", ["Plus", "Pro"]),
        ("Sự khác nhau giữa Plus và Pro là gì?", ["Plus", "Pro"]),
        ("ما الفرق بين Plus و Pro؟", ["Plus", "Pro"]),
        ("מה ההבדל בין Plus ל-Pro?", ["Plus", "Pro"]),
        ("PlusとProの違いは何ですか", ["Plus", "Pro"]),
        ("Plus和Pro的区别是什么", ["Plus", "Pro"]),
        ("recommends versus suggests", ["recommends", "suggests"]),
        ("timegenerated vs. timereported", ["timegenerated", "timereported"]),
        ("How do the Edges and the Silhouette effects differ?", ["Edges", "Silhouette effects"]),
        ("How does Plus differ from Pro?", ["Plus", "Pro"]),
        ("How is a rebase different from a merge?", ["rebase", "merge"]),
        ("Compare Plus with Pro", ["Plus", "Pro"]),
    ],
)
def test_a_question_for_a_difference_names_what_differs(question: str, names: list[str]) -> None:
    assert compared_names(question) == names


@every_row(
    "question",
    ["How do I compare two files?", "What is the difference in price?", "Which plans differ?", "Plus and Pro", ""],
)
def test_other_questions_name_nothing(question: str) -> None:
    assert compared_names(question) == []
