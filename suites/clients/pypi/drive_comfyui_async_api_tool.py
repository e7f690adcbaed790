"""Drives comfyui-async-api-tool: a generator of events over one or more servers."""

import asyncio

import aiohttp
from comfyui_async_api_tool import ComfyClient, WorkflowJson
from driver import SERVER, check, load, picture


async def events(graph, **how):
    async with aiohttp.ClientSession() as session:
        client = ComfyClient(session, servers=[SERVER], fetch_image_timeout=3)
        return [one async for one in client.run(graph, **how)]


found = asyncio.run(events(load("workflow"), values={"3": {"seed": 42}}))
kinds = [one["type"] for one in found]


@check("submit")
def _():
    assert kinds[0] == "start", found
    return found[0]["data"]["prompt_id"]


@check("follow")
def _():
    steps = [one["data"] for one in found if one["type"] == "progress"]
    assert steps[-1] == 100, steps
    return steps


@check("download")
def _():
    return picture(found[-1]["data"])


@check("failed-run")
def _():
    last = asyncio.run(events(load("failing", 9)))[-1]
    assert last["type"] == "error", last
    return last["msg"]


@check("refused-graph")
def _():
    (only,) = asyncio.run(events(load("refused")))
    assert only["type"] == "error" and "no-such-sampler" in only["msg"], only
    return only["msg"]


@check("upload")
async def _():
    async with aiohttp.ClientSession() as session:
        return await ComfyClient(session, servers=[SERVER]).upload_image(SERVER, "input.png")


@check("workflow")
def _():
    fields = WorkflowJson().extract_scalar_inputs(load("workflow"))
    return [field["field_key"] for field in fields]
