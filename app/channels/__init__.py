"""Ways in beside the widget: what programs speak. Each asks as visitors do, and its turns say where they came from."""
