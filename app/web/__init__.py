"""The HTTP layer, without features: routes, tokens, origins, limits, bodies, errors, OpenAPI."""
