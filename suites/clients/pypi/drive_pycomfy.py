"""Drives pycomfy: a workflow object that submits, listens on a socket, and returns pictures."""

from driver import SERVER, check, raised
from pycomfy import ComfyAPI, ComfyAPIError


def run(name, seed=7):
    with ComfyAPI(SERVER) as api:
        return api.load_workflow(name + ".json").execute(seed=seed)


images = []


@check("submit")
def _():
    with ComfyAPI(SERVER) as api:
        flow = api.load_workflow("workflow.json")
        (sampler,) = flow.get_nodes_by_class("KSampler")
        flow.set_node(sampler, {"steps": 5})
        return flow.execute(positive_prompt="a harbour")


@check("follow")
def _():
    images.extend(run("workflow", 8))
    return images


@check("download")
def _():
    (image,) = images
    image.load()
    assert image.size == (512, 512) and image.format == "PNG", image
    return image.info["prompt"]


@check("failed-run")
def _():
    error = raised(run, "failing", 9)
    assert isinstance(error, ComfyAPIError) and "made to fail" in str(error), error
    return error


@check("refused-graph")
def _():
    error = raised(run, "refused")
    assert error.response.status_code == 400, error
    return error


@check("text-to-image")
def _():
    with ComfyAPI(SERVER) as api:
        (image,) = api.text_to_image_sd15("a lighthouse")
    return image
