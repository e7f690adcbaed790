"""Drives comfyui-workflow-client: a client that polls, and one with a socket, each for one workflow file."""

import asyncio

from comfyuiclient import ComfyUIClient, ComfyUIClientAsync
from driver import ADDRESS, check, load, picture, raised
from PIL import Image


def client(name):
    one = ComfyUIClient(ADDRESS, name + ".json")
    one.connect()
    return one


@check("submit")
def _():
    return client("workflow").queue_prompt(load("workflow"))["prompt_id"]


@check("polling")
def _():
    image = client("workflow").generate(["Save Image"])["Save Image"]
    assert image.size == (512, 512), image
    return image


@check("follow")
async def _():
    one = ComfyUIClientAsync(ADDRESS, "workflow.json")
    await one.connect()
    await one.set_data(key="KSampler", seed=8)
    images = await asyncio.wait_for(one.generate(["Save Image"]), 30)
    await one.close()
    return images["Save Image"]


@check("download")
def _():
    images, _ = client("workflow").get_images(load("workflow"))
    return picture(*images["9"])


@check("failed-run")
def _():
    assert client("failing").generate(["Save Image"]) == {}
    return "no pictures"


@check("refused-graph")
def _():
    error = raised(client("refused").generate, ["Save Image"])
    assert "400" in str(error), error
    return error


@check("upload")
def _():
    one = client("workflow")
    one.comfyui_prompt["12"] = {"class_type": "LoadImage", "inputs": {"image": "none"}}
    one.set_data(key="LoadImage", image=Image.open("input.png"))
    return one.comfyui_prompt["12"]["inputs"]["image"]
