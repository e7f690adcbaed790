"""Drives comfyui-python-client: resources of a server as objects, and a wait on a socket."""

from pathlib import Path

from comfy_client import ComfyUI
from driver import ADDRESS, check, load, picture, raised, until

comfy = ComfyUI(ADDRESS)
comfy.client.connect(connect_websocket=True)


def run(graph):
    prompt_id = comfy.prompt.send(graph).prompt_id
    return comfy.prompt.wait(prompt_id)[prompt_id]


@check("submit")
def _():
    return comfy.prompt.send(load("workflow"))


entries = []


@check("follow")
def _():
    entries.append(run(load("workflow", 8)))
    return entries[0]["outputs"]


@check("download")
def _():
    (image,) = entries[0]["outputs"]["9"]["images"]
    data = comfy.client.get_images(image["filename"], image["subfolder"], image["type"])
    return picture(data)


@check("failed-run")
def _():
    entry = run(load("failing", 9))
    assert entry["status"]["status_str"] == "error", entry["status"]
    return entry["status"]["messages"][-1]


@check("refused-graph")
def _():
    error = raised(run, load("refused"))
    assert error.response.status_code == 400, error
    return error


@check("upload")
def _():
    name = comfy.client.upload_image(Path("input.png").read_bytes(), "mine.png")["name"]
    return picture(comfy.client.get_images(name, "", "input"), (256, 256))


@check("interrupt")
def _():
    prompt_id = comfy.prompt.send(load("slow")).prompt_id
    # An interrupt before the run has started is lost.
    until(lambda: comfy.client.interrupt() or prompt_id in comfy.client.get_history(prompt_id))
    return comfy.prompt.wait(prompt_id)[prompt_id]["status"]


@check("server")
def _():
    one = comfy.client
    return one.get_system_stats(), one.get_features(), one.get_models("vae"), one.get_embeddings()
