"""Tenants, and who may do what in them: operators, sessions, tokens, signing keys, audit."""
