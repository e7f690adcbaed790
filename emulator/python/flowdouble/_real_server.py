"""A real server in place of a world: it answers clients, and skips tests that need a double."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from typing import Any, NoReturn

import pytest

from flowdouble._machine import Machine
from flowdouble._world import World

_WHY: Mapping[str, tuple[str, ...]] = {
    "a real server has no clock to move": ("clock", "advance", "until", "until_message"),
    "a real server does not list what it has received and sent": (
        "requests",
        "verify",
        "assert_requests",
        "received",
        "messages",
        "frames",
        "picture",
        "runs",
        "recording",
        "save_recording",
        "journal",
        "explain",
    ),
    "a real server does not fail on request": ("fault", "unfault", "faults", "load", "drop"),
    "a real server has one state": ("reset", "snapshot", "restore", "fork", "world", "worlds", "list_worlds"),
    "a real server has no control API": ("health", "ready", "metrics", "version", "paths", "openapi", "inspector"),
}
"""Why a real server cannot do it, by the method of a world."""

_HARMLESS = {"clock", "pace", "start_delay_ms", "values", "workflows"}
"""Options without which a test means the same: how fast the server is, and what it has to have."""


class RealServer(World):
    """A server at an address that is not a double, with the address of a world and without its methods."""

    def close(self) -> bool:
        """Does nothing: whoever started the server stops it."""
        return False


def _skipping(name: str, why: str) -> Any:
    def skip(*_: object, **__: object) -> NoReturn:
        pytest.skip(f"{name}: {why}")

    return skip


for _why, _names in _WHY.items():
    for _name in _names:
        setattr(RealServer, _name, _skipping(_name, _why))


def control_methods() -> list[str]:
    """The names of the methods of a world that a real server does not have."""
    own = {**vars(Machine), **vars(World)}
    public = [name for name, one in own.items() if inspect.isfunction(one) and name[0] != "_"]
    return sorted(name for name in public if name != "close")


def require_realistic(options: Mapping[str, Any]) -> None:
    """Skips a test whose world has an option that a real server cannot be given."""
    for name, value in options.items():
        if name not in _HARMLESS:
            pytest.skip(f"{name}: a real server is as it is")
        if (name, value) == ("clock", "manual"):
            pytest.skip("clock: a real server has no clock to move")
