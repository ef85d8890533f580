"""A cache in a dictionary, which can be broken."""


class DictCache:
    """While `is_down`, it remembers nothing, as the port demands of a failing cache. Time-outs are not modelled."""

    def __init__(self) -> None:
        self.values: dict[str, bytes] = {}
        self.is_down = False

    async def get(self, key: str) -> bytes | None:
        return None if self.is_down else self.values.get(key)

    async def set(self, key: str, value: bytes, *, ttl_seconds: int) -> None:
        if not self.is_down:
            self.values[key] = value

    async def delete(self, key: str) -> None:
        self.values.pop(key, None)
