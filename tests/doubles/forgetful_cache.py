"""A cache that forgets at once, as every cache may."""


class ForgetfulCache:
    async def get(self, key: str) -> bytes | None:
        return None

    async def set(self, key: str, value: bytes, *, ttl_seconds: int) -> None:
        return None

    async def delete(self, key: str) -> None:
        return None
