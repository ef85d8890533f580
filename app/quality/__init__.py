"""How well an agent answers: golden questions, runs of them, the publish gate, figures by day."""
