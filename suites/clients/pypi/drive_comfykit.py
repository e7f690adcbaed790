"""Drives comfykit: a kit that executes a workflow file over HTTP or with a socket, and returns the addresses of media."""

import urllib.request

from comfykit import ComfyKit
from driver import SERVER, check, picture


def execute(name, how="websocket"):
    return ComfyKit(comfyui_url=SERVER, executor_type=how).execute(name + ".json")


results = []


@check("submit")
async def _():
    result = await execute("workflow", "http")
    assert result.status == "completed", result
    return result.images


@check("follow")
async def _():
    results.append(await execute("workflow"))
    assert results[0].status == "completed" and results[0].prompt_id, results[0]
    return results[0].outputs


@check("download")
def _():
    (url,) = results[0].images
    with urllib.request.urlopen(url) as response:
        return url, picture(response.read())


@check("failed-run")
async def _():
    result = await execute("failing")
    assert result.status == "error" and "made to fail" in result.msg, result
    return result.msg


@check("refused-graph")
async def _():
    result = await execute("refused")
    assert result.status == "error" and "no-such-sampler" in result.msg, result
    return result.msg


@check("failed-polling")
async def _():
    result = await execute("failing", "http")
    assert result.status == "error", result
    return result.msg
