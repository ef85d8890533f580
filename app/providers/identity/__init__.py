"""Identity providers: signing in at one, and tokens that one has signed."""
