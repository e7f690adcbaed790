"""The async classes: they do what the sync ones do, while the event loop goes on."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from typing import Any

import pytest

from flowdouble import AsyncGateway, AsyncServer, AsyncWorld, FlowdoubleError, Server

Submit = Callable[..., Any]


def test_an_async_server_is_used_and_stops(submit: Submit) -> None:
    async def use() -> None:
        async with AsyncServer(clock="manual", gateway=True) as server:
            await asyncio.to_thread(submit, server.url)
            assert (await server.until("success"))["happened"]["run success"] == 1
            assert [run["state"] for run in await server.runs()] == ["success"]
            async with await server.world(port=0) as world:
                assert await world.runs() == []
                assert world.name in [one.name for one in await server.worlds()]
            forked = await server.fork("copy")
            assert (forked.name, len(await forked.runs())) == ("copy", 1)
            assert server.gateway is not None and server.pid is not None
            async with await server.gateway.world(secret="of-all-of-them") as gateway:
                await gateway.subscribe("ci", {"prompt": "hi"})
                assert (await gateway.post("ci", {})).status == 202
        with pytest.raises(FlowdoubleError, match="has ended with 0"):
            await server.clock()

    asyncio.run(use())


def test_a_wait_does_not_stop_the_event_loop(server: Server, submit: Submit) -> None:
    async def use() -> None:
        with server.world() as sync:
            world = AsyncWorld(sync)
            waiting = asyncio.create_task(world.received(path="/prompt"))
            await asyncio.to_thread(submit, world.url)
            assert (await waiting)["method"] == "POST"

    asyncio.run(use())


def test_errors_are_those_of_the_sync_classes(server: Server) -> None:
    async def use() -> None:
        world = AsyncWorld.at(server.url)
        with pytest.raises(FlowdoubleError, match="mean success"):
            await world.until("sucess")
        with pytest.raises(TypeError, match="no option senario"):
            await world.world(senario="x")  # type: ignore[call-arg]

    asyncio.run(use())


def test_async_ones_know_where_they_are(server: Server) -> None:
    assert server.gateway is not None
    world, gateway = AsyncWorld.at(server.url), AsyncGateway.at(server.gateway.url)
    assert repr(world) == f"<AsyncWorld {server.url}>"
    assert (world.ws_url, world.api_key, world.deployment) == (server.ws_url, None, "local")
    assert world.client_env == {}
    assert world.inspector_url == server.inspector_url
    assert gateway.hook_url("ci") == f"{server.gateway.url}/webhooks/ci"
    there = AsyncServer.at(server.url)
    assert (there.pid, there.hosted, there.gateway, there.log()) == (None, None, None, "")
    assert json.loads(json.dumps(asyncio.run(there.paths())))
