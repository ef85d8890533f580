"""`docent demo`: the main job from nothing, over the same HTTP that everybody else speaks."""
