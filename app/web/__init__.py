"""The kit of the edge, without a feature: routes, tokens, origins, limits, bodies, errors, OpenAPI."""
