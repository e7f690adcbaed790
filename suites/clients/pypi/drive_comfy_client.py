"""Drives comfy-client: a client whose socket is open while it is used as a context."""

from comfy_client import ComfyUIAPIError, ComfyUIClient, Settings
from driver import ADDRESS, check, load, picture, raised

host, port = ADDRESS.split(":")
settings = Settings(host=host, port=int(port))


def run(graph):
    """The history entry of a run, and what was shown while it lasted."""
    with ComfyUIClient(settings) as client:
        prompt_id = client.queue_prompt(graph)
        return list(client.track_progress()), client.get_history(prompt_id)[prompt_id]


@check("submit")
def _():
    return ComfyUIClient(settings).queue_prompt(load("workflow"))


images = []


@check("follow")
def _():
    seen, entry = run(load("workflow", 8))
    images.extend(entry["outputs"]["9"]["images"])
    assert {"type": "progress", "value": 20, "max": 20} in seen, seen
    return seen


@check("download")
def _():
    (image,) = images
    client = ComfyUIClient(settings)
    return picture(client.get_image(image["filename"], image["subfolder"], image["type"]))


@check("failed-run")
def _():
    seen, entry = run(load("failing", 9))
    assert seen[-1] == {"type": "completed"} and entry["status"]["status_str"] == "error", entry
    return entry["status"]["messages"][-1]


@check("refused-graph")
def _():
    error = raised(run, load("refused"))
    assert isinstance(error, ComfyUIAPIError) and "no-such-sampler" in str(error), error
    return error


@check("models")
def _():
    return ComfyUIClient(settings).get_models()
