"""What is kept of a visitor, for how long: export, erasure, retention."""
