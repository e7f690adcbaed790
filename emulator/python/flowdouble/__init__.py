"""A test double for servers that speak the ComfyUI HTTP and WebSocket API: start one, script it, see what it received.

With pytest, the fixture `comfyui` does all of that: see `flowdouble.pytest_plugin`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from flowdouble._errors import FlowdoubleError
from flowdouble._gateway import Gateway, PostReply
from flowdouble._server import Server
from flowdouble._world import World

__all__ = [
    "AsyncGateway",
    "AsyncServer",
    "AsyncWorld",
    "FlowdoubleError",
    "Gateway",
    "PostReply",
    "Server",
    "World",
    "__version__",
]

if TYPE_CHECKING:
    from flowdouble._aio import AsyncGateway, AsyncServer, AsyncWorld

__version__: str


def __getattr__(name: str) -> Any:
    # Each run of pytest imports this package, and few need these.
    if name == "__version__":
        from flowdouble._command import version

        return version()
    if name.startswith("Async") and name in __all__:
        from flowdouble import _aio

        return getattr(_aio, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
