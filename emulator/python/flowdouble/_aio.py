"""The same for asyncio: each method is that of the sync class, in a thread, so that the event loop goes on."""

from __future__ import annotations

import asyncio
import functools
from collections.abc import Callable, Coroutine, Sequence
from typing import TYPE_CHECKING, Any, Concatenate, Generic, ParamSpec, TypeVar

from flowdouble._gateway import Gateway
from flowdouble._machine import Machine
from flowdouble._server import Server
from flowdouble._world import World
from flowdouble.types import GatewayOptions, ServerOptions, WorldOptions

if TYPE_CHECKING:
    from pathlib import Path

    from typing_extensions import Self, Unpack

P = ParamSpec("P")
R = TypeVar("R")
M = TypeVar("M", bound=Machine)


def _awaited(
    method: Callable[Concatenate[Any, P], R],
) -> Callable[Concatenate[Any, P], Coroutine[Any, Any, R]]:
    """The method for a class whose instances have the sync one as `sync`."""

    @functools.wraps(method)
    async def call(self: Any, /, *args: P.args, **kwargs: P.kwargs) -> R:
        bound = getattr(self.sync, method.__name__)
        result: R = await asyncio.to_thread(bound, *args, **kwargs)
        return result

    return call


class _AsyncMachine(Generic[M]):
    """What async worlds and gateways have in common."""

    sync: M
    """The one with the sync methods."""

    def __init__(self, sync: M) -> None:
        self.sync = sync

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.url}>"

    @property
    def url(self) -> str:
        """The base address."""
        return self.sync.url

    @property
    def name(self) -> str | None:
        """The name of a world beside others at an address; None for the one at the root."""
        return self.sync.name

    @property
    def inspector_url(self) -> str:
        """The page that shows what happens."""
        return self.sync.inspector_url

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await asyncio.to_thread(self.sync.__exit__)

    advance = _awaited(Machine.advance)
    assert_requests = _awaited(Machine.assert_requests)
    clock = _awaited(Machine.clock)
    close = _awaited(Machine.close)
    explain = _awaited(Machine.explain)
    health = _awaited(Machine.health)
    inspector = _awaited(Machine.inspector)
    journal = _awaited(Machine.journal)
    openapi = _awaited(Machine.openapi)
    paths = _awaited(Machine.paths)
    received = _awaited(Machine.received)
    recording = _awaited(Machine.recording)
    requests = _awaited(Machine.requests)
    reset = _awaited(Machine.reset)
    restore = _awaited(Machine.restore)
    save_recording = _awaited(Machine.save_recording)
    snapshot = _awaited(Machine.snapshot)
    until = _awaited(Machine.until)
    verify = _awaited(Machine.verify)
    list_worlds = _awaited(Machine.list_worlds)
    ready = _awaited(Machine.ready)
    version = _awaited(Machine.version)


class AsyncWorld(_AsyncMachine[World]):
    """A world for asyncio: `AsyncWorld(world)` has the methods of the world to await."""

    @classmethod
    def at(cls, url: str, *, token: str | None = None) -> Self:
        """The one that is running at an address already."""
        return cls(World.at(url, token=token))

    @property
    def ws_url(self) -> str:
        """The address of the socket."""
        return self.sync.ws_url

    @property
    def api_key(self) -> str | None:
        """The key of a hosted account that may submit; None on local."""
        return self.sync.api_key

    @property
    def client_env(self) -> dict[str, str]:
        """The environment variables of the vendor's clients for a hosted server; none on local."""
        return self.sync.client_env

    @property
    def deployment(self) -> str:
        """local or hosted."""
        return self.sync.deployment

    drop = _awaited(World.drop)
    fault = _awaited(World.fault)
    faults = _awaited(World.faults)
    frames = _awaited(World.frames)
    load = _awaited(World.load)
    messages = _awaited(World.messages)
    metrics = _awaited(World.metrics)
    picture = _awaited(World.picture)
    runs = _awaited(World.runs)
    save = _awaited(World.save)
    unfault = _awaited(World.unfault)
    until_message = _awaited(World.until_message)

    async def world(
        self,
        *,
        name: str | None = None,
        port: int | None = None,
        world_token: str | None = None,
        reuse: bool = False,
        saved: bytes | None = None,
        folders: Sequence[Path] = (),
        **options: Unpack[WorldOptions],
    ) -> AsyncWorld:
        """Creates a separate world: see `World.world`."""
        create = functools.partial(
            self.sync.world,
            name=name,
            port=port,
            world_token=world_token,
            reuse=reuse,
            saved=saved,
            folders=folders,
            **options,
        )
        return AsyncWorld(await asyncio.to_thread(create))

    async def fork(self, name: str | None = None) -> AsyncWorld:
        """Creates a world with the state of this one: see `World.fork`."""
        return AsyncWorld(await asyncio.to_thread(self.sync.fork, name))

    async def worlds(self) -> list[AsyncWorld]:
        """The worlds below /w/NAME at this address."""
        return [AsyncWorld(one) for one in await asyncio.to_thread(self.sync.worlds)]


class AsyncGateway(_AsyncMachine[Gateway]):
    """A gateway for asyncio: `AsyncGateway(gateway)` has the methods of the gateway to await."""

    @classmethod
    def at(cls, url: str, *, token: str | None = None) -> Self:
        """The one that is running at an address already."""
        return cls(Gateway.at(url, token=token))

    @property
    def secret(self) -> str | None:
        """The secret for routes without a secret, as far as it is known here."""
        return self.sync.secret

    def hook_url(self, route: str) -> str:
        """The address to which a sender posts the events of a route."""
        return self.sync.hook_url(route)

    cancel_run = _awaited(Gateway.cancel_run)
    drop_run = _awaited(Gateway.drop_run)
    fail_deliveries = _awaited(Gateway.fail_deliveries)
    outbox = _awaited(Gateway.outbox)
    post = _awaited(Gateway.post)
    retry_run = _awaited(Gateway.retry_run)
    runs = _awaited(Gateway.runs)
    stored_run = _awaited(Gateway.stored_run)
    stored_runs = _awaited(Gateway.stored_runs)
    subscribe = _awaited(Gateway.subscribe)
    unsubscribe = _awaited(Gateway.unsubscribe)

    async def world(
        self,
        *,
        name: str | None = None,
        folders: Sequence[Path] = (),
        **options: Unpack[GatewayOptions],
    ) -> AsyncGateway:
        """Creates a separate gateway: see `Gateway.world`."""
        create = functools.partial(self.sync.world, name=name, folders=folders, **options)
        return AsyncGateway(await asyncio.to_thread(create))

    async def fork(self, name: str | None = None) -> AsyncGateway:
        """Creates a gateway with the state of this one: see `Gateway.fork`."""
        return AsyncGateway(await asyncio.to_thread(self.sync.fork, name))

    async def worlds(self) -> list[AsyncGateway]:
        """The gateways below /w/NAME at this address."""
        return [AsyncGateway(one) for one in await asyncio.to_thread(self.sync.worlds)]


class AsyncServer(AsyncWorld):
    """A server for asyncio: `async with AsyncServer(clock="manual") as server`. See `Server`."""

    sync: Server  # pyright: ignore[reportIncompatibleVariableOverride]

    def __init__(self, *, gateway: bool = False, **options: Unpack[ServerOptions]) -> None:
        super().__init__(Server(gateway=gateway, **options))

    @classmethod
    def at(cls, url: str, *, token: str | None = None) -> Self:
        """The server that is running at an address already, which nobody stops here."""
        server = cls()
        server.sync = Server.at(url, token=token)
        return server

    @property
    def hosted(self) -> AsyncWorld | None:
        """The hosted server of `deployment="both"`."""
        return None if self.sync.hosted is None else AsyncWorld(self.sync.hosted)

    @property
    def gateway(self) -> AsyncGateway | None:
        """The gateway of `gateway=True`."""
        return None if self.sync.gateway is None else AsyncGateway(self.sync.gateway)

    @property
    def pid(self) -> int | None:
        """The id of the process; None for one that this process has not started."""
        return self.sync.pid

    @property
    def ca(self) -> str | None:
        """The file with the certificate authority that clients must trust, with `tls="auto"`."""
        return self.sync.ca

    def log(self) -> str:
        """What the server has written to standard error."""
        return self.sync.log()

    async def start(self) -> Self:
        """Starts it, and returns it when it listens: some 0.2 seconds."""
        await asyncio.to_thread(self.sync.start)
        return self

    async def stop(self) -> None:
        """Stops it, and returns when it has ended."""
        await asyncio.to_thread(self.sync.stop)

    async def __aenter__(self) -> Self:
        return self if self.url else await self.start()
