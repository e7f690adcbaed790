"""Drives the comfy-ui-client of PyPI: one call that submits, follows, and downloads every picture."""

from comfy_ui_client import ComfyUIClient
from comfy_ui_client.type import ImageRef
from driver import ADDRESS, check, load, picture, raised, until


def client():
    return ComfyUIClient(ADDRESS)


@check("submit")
def _():
    prompt_id = client().queue_prompt(load("workflow"))["prompt_id"]
    return until(lambda: client().get_history(prompt_id).get(prompt_id))["status"]


images = []
seen = []


@check("follow")
def _():
    progress = lambda *step: seen.append(step)
    found = client().get_outputs(load("workflow", 8), handle_progress_event=progress)
    images.extend(found["images"]["9"]["output"][""].items())
    assert (3, 20, 20) in seen, seen
    return seen


@check("download")
def _():
    ((name, data),) = images
    return name, picture(data)


@check("failed-run")
def _():
    assert client().get_outputs(load("failing", 9)) == {"images": {}}
    last = list(client().get_history(None).values())[-1]
    assert last["status"]["status_str"] == "error", last["status"]
    return last["status"]["messages"][-1]


@check("refused-graph")
def _():
    error = raised(client().get_outputs, load("refused"))
    assert error.code == 400, error
    return error


@check("upload")
def _():
    client().upload_image(ImageRef("mine.png"), "input.png", overwrite=True)
    return picture(client().get_image("mine.png", "", "input"), (256, 256))


@check("upload-mask")
def _():
    return client().upload_mask(ImageRef("mine.png", type="input"), "input.png")


@check("history")
def _():
    one = client()
    one.delete_history(list(one.get_history(None))[:1])
    one.clear_history()
    assert one.get_history(None) == {}
    return one.get_prompt(), one.get_embeddings(), len(one.get_object_info())
