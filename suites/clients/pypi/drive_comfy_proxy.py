"""Drives comfy-proxy: workflows as objects, whose pictures arrive on the socket and whose videos are downloaded."""

import asyncio
from pathlib import Path

from comfy_proxy import Comfy, ComfyWorkflow
from comfy_proxy.comfy import SingleComfy
from driver import ADDRESS, check, load, picture, raised


def flow(name, seed=7, to_socket=True):
    """A workflow whose picture is sent on the socket, which this client looks for in a node of this name."""
    one = ComfyWorkflow()
    for node_id, node in load(name, seed).items():
        kind, inputs = node["class_type"], node["inputs"]
        if kind == "SaveImage" and to_socket:
            one.add_node(
                "SaveImageWebsocket",
                {"images": inputs["images"]},
                node_id="save_image_websocket_node",
            )
        else:
            one.add_node(kind, inputs, node_id=node_id)
    return one


async def generate(workflow, **how):
    return [data async for data in SingleComfy(ADDRESS).generate(workflow, **how)]


@check("submit")
async def _():
    return (await SingleComfy(ADDRESS).queue_prompt(load("workflow")))["prompt_id"]


@check("follow")
async def _():
    (data,) = await generate(flow("workflow", 8))
    return picture(data)


@check("several servers")
async def _():
    comfy = Comfy([ADDRESS, ADDRESS])
    await comfy.start()
    try:
        runs = [comfy.generate(flow("workflow", seed)) for seed in (20, 21)]
        found = [[data async for data in run] for run in runs]
    finally:
        await comfy.stop()
    return [picture(data) for (data,) in found]


@check("download")
async def _():
    video = flow("workflow", 10, to_socket=False)
    del video.nodes["9"]
    video.add_node("CreateVideo", {"images": ["8", 0], "fps": 8.0}, node_id="11")
    saved = {"video": ["11", 0], "filename_prefix": "clip", "format": "auto", "codec": "auto"}
    video.add_node("SaveVideo", saved, node_id="12")
    (data,) = await generate(video)
    assert data[4:8] == b"ftyp", data[:12]
    return len(data)


@check("failed-run")
async def _():
    one = SingleComfy(ADDRESS)
    assert await asyncio.wait_for(generate(flow("failing", 9)), 30) == []
    prompt_id = (await one.queue_prompt(flow("failing", 9).to_dict()))["prompt_id"]
    while prompt_id not in (history := await one.get_history(prompt_id)):
        await asyncio.sleep(0.1)
    assert history[prompt_id]["status"]["status_str"] == "error", history
    return history[prompt_id]["status"]["messages"][-1]


@check("refused-graph")
def _():
    error = raised(generate, flow("refused"))
    assert "no-such-sampler" in str(error), error
    return error


@check("upload")
async def _():
    return await SingleComfy(ADDRESS).upload_image(str(Path("input.png").resolve()))
