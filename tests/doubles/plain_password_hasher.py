"""PasswordHasher that takes no time. `outdated` are hashes that it would make differently today."""

from dataclasses import dataclass, field


@dataclass
class PlainPasswordHasher:
    checked: list[str] = field(default_factory=list)
    outdated: set[str] = field(default_factory=set)
    made: int = 0

    async def hash(self, password: str) -> str:
        self.made += 1
        return f"{self.made}:{password}"

    async def is_right(self, password: str, hashed: str) -> bool:
        self.checked.append(password)
        return hashed.partition(":")[2] == password

    def is_outdated(self, hashed: str) -> bool:
        return hashed in self.outdated
