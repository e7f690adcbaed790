"""Drives comfy-api-simplified: one call that submits a graph, follows its run, and downloads its pictures."""

from comfy_api_simplified import ComfyApiWrapper, ComfyWorkflowWrapper
from driver import SERVER, check, load, picture, raised

api = ComfyApiWrapper(SERVER)


def workflow(name, seed=7):
    graph = ComfyWorkflowWrapper(name + ".json")
    graph.set_node_param("Sampler", "seed", seed)
    return graph


@check("submit")
def _():
    return api.queue_prompt(load("workflow"))["prompt_id"]


images = {}


@check("follow")
def _():
    images.update(api.queue_and_wait_images(workflow("workflow", 8), "Save Image"))
    assert len(images) == 1, images.keys()
    return list(images)


@check("download")
def _():
    return picture(*images.values())


@check("failed-run")
def _():
    error = raised(api.queue_and_wait_images, workflow("failing", 9), "Save Image")
    assert "Execution error" in str(error), error
    return error


@check("refused-graph")
def _():
    error = raised(api.queue_and_wait_images, workflow("refused"), "Save Image")
    assert "400" in str(error), error
    return error


@check("upload")
def _():
    info = api.upload_image("input.png", subfolder="mine")
    return picture(api.get_image(info["name"], info["subfolder"], info["type"]), (256, 256))


@check("node-types")
def _():
    return api.get_object_info("KSampler")["KSampler"]["display_name"]
