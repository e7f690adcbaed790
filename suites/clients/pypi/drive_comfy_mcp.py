"""Drives comfy-mcp: an MCP server for agents, which runs comfy-cli. An agent calls its tools over standard input."""

import asyncio
import json
import os
from pathlib import Path

from driver import SERVER, check, load, picture
from mcp import Client, StdioServerParameters, stdio_client

server = StdioServerParameters(command="comfy-mcp", env={**os.environ, "COMFYUI_URL": SERVER})


async def call(tool, **arguments):
    async with Client(stdio_client(server), read_timeout_seconds=60) as client:
        result = await client.call_tool(tool, arguments)
    text = "".join(part.text for part in result.content)
    return result.is_error, text, result.structured_content


def run(name, graph, **arguments):
    file = Path(name).resolve()
    file.write_text(json.dumps(graph))
    return asyncio.run(call("run_workflow", workflow_path=str(file), **arguments))


@check("submit")
def _():
    failed, text, _ = run("one.json", load("workflow"), wait=False)
    assert not failed and "prompt_id" in text, text
    return text


done = []


@check("follow")
def _():
    failed, text, _ = run("two.json", load("workflow", 8))
    assert not failed, text
    done.append(json.loads(text))
    return text


@check("download")
def _():
    prompt_id = done[0]["prompt_id"]
    folder = Path("saved").resolve()
    print(asyncio.run(call("fetch_outputs", prompt_id=prompt_id, out_dir=str(folder))))
    (file,) = folder.iterdir()
    return picture(file.read_bytes())


@check("failed-run")
def _():
    failed, text, _ = run("three.json", load("failing", 9))
    assert failed and "made to fail" in text, text
    return text


@check("refused-graph")
def _():
    graph = {
        "1": {"class_type": "LoadImage", "inputs": {"image": "missing.png"}},
        "2": {"class_type": "PreviewImage", "inputs": {"images": ["1", 0]}},
    }
    failed, text, _ = run("five.json", graph)
    assert failed, text
    return text


@check("upload")
def _():
    failed, text, _ = asyncio.run(call("upload_file", paths=[str(Path("input.png").resolve())]))
    assert not failed, text
    return text


@check("jobs")
def _():
    failed, text, _ = asyncio.run(call("job", action="status", prompt_id=done[0]["prompt_id"]))
    assert not failed and "completed" in text, text
    return text
