"""Drives sd-backend-client: generation by parameters, for which it builds the graphs of whichever server it finds."""

from driver import SERVER, check, raised
from PIL import Image
from sd_backend_client import DiffusionParams, GenerationError, connect_to_backend
from sd_backend_client.errors import WorkflowValidationError

backend = connect_to_backend(SERVER)


def params(**more):
    names = [option.name for option in backend.list_checkpoints()]
    size = dict(width=512, height=512)
    return DiffusionParams(**{"sd_model_name": names[0], "prompt": "a fox", "seed": 5, **size, **more})


@check("failed-run")
def _():
    error = raised(backend.submit_txt2img(params()).wait, timeout=60)
    assert isinstance(error, GenerationError) and "Allocation on device" in str(error), error
    return error


results = []


@check("submit")
def _():
    seen = []
    handle = backend.submit_txt2img(params())
    results.append(handle.wait(on_progress=seen.append, timeout=60))
    return seen[-1]


@check("follow")
def _():
    seen = []
    result = backend.submit_txt2img(params(seed=6, batch_size=2)).wait(on_progress=seen.append, timeout=60)
    assert len(result.images) == 2 and len(seen) > 1, (result, seen)
    return [step.status.value for step in seen]


@check("download")
def _():
    (image,) = results[0].images
    image.load()
    assert image.size == (512, 512), image
    return image.size, results[0].seeds


@check("upload")
def _():
    source = Image.open("input.png").convert("RGB")
    mask = Image.new("L", source.size, 255)
    size = dict(width=source.width, height=source.height)
    one = params(init_images=[source], mask=mask, denoising_strength=0.8, **size)
    (image,) = backend.submit_inpaint(one).wait(timeout=60).images
    assert image.size == source.size, image
    return image.size


@check("interrupt")
def _():
    handle = backend.submit_txt2img(params(seed=7, steps=400))
    error = raised(handle.wait, on_progress=lambda step: handle.cancel(), timeout=60)
    assert isinstance(error, GenerationError), error
    return error.status


@check("refused-graph")
def _():
    error = raised(backend.submit_txt2img, params(sd_model_name="none.safetensors"))
    assert isinstance(error, WorkflowValidationError), error
    return error


@check("server")
def _():
    samplers = [option.name for option in backend.list_samplers()]
    return samplers[:3], backend.get_capabilities(), backend.get_queue_info()
