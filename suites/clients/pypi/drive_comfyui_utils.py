"""Drives comfyui_utils: one call that submits a graph and calls back while it runs."""

import asyncio

from comfyui_utils import comfy
from driver import ADDRESS, check, load, picture, raised

api = comfy.ComfyAPI(ADDRESS)


class Callbacks(comfy.Callbacks):
    def __init__(self):
        self.events = []
        self.outputs = None

    async def queue_position(self, position):
        self.events.append(f"#{position}")

    async def in_progress(self, node_id, progress, total):
        self.events.append(f"{node_id}: {progress}/{total}")

    async def completed(self, outputs, cached):
        self.outputs = outputs


seen = Callbacks()


@check("submit")
def _():
    asyncio.run(asyncio.wait_for(api.submit(load("workflow"), seen), 30))
    return seen.outputs


@check("follow")
def _():
    assert "3: 20/20" in seen.events, seen.events
    return " ".join(seen.events)


@check("download")
def _():
    found = []

    async def keep(file):
        found.append(file.read())

    asyncio.run(api.fetch(seen.outputs["images"][0], keep))
    return picture(*found)


@check("failed-run")
def _():
    return repr(raised(lambda: asyncio.wait_for(api.submit(load("failing", 9), Callbacks()), 30)))


@check("refused-graph")
def _():
    error = raised(api.submit, load("refused"), Callbacks())
    assert "no-such-sampler" in str(error), error
    return error
