"""Identity providers: signing in with one, and verifying tokens that one has signed."""
