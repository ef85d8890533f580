"""A turn is one question and its answer: runs, streams and stores turns, and lets readers rejoin them."""
