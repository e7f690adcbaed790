"""Drives comfy-script: node types of the server as functions, whose results are waited for while a socket is watched."""

import threading

from comfy_script.runtime import Workflow, load, queue
from driver import SERVER, check, raised, until

load(SERVER)
from comfy_script.runtime import nodes  # noqa: E402  has the node types only now


def built(seed=7, steps=20, sampler="euler", fails=False):
    """A graph that is queued when its context ends, and its output node."""
    with Workflow() as flow:
        model, clip, vae = nodes.CheckpointLoaderSimple("sd_xl_base_1.0.safetensors")
        text = nodes.CLIPTextEncode("a lighthouse", clip)
        latent = nodes.EmptyLatentImage(512, 512, 1)
        settings = dict(cfg=8, sampler_name=sampler, scheduler="normal", denoise=1)
        latent = nodes.KSampler(
            model, seed, steps, positive=text, negative=text, latent_image=latent, **settings
        )
        image = nodes.VAEDecode(latent, vae)
        if fails:
            image = nodes.FlowdoubleFail("ValueError", "made to fail", image)
        saved = nodes.SaveImage(image, "script")
    return flow.task, saved


@check("submit")
def _():
    task, _ = built()
    return task.prompt_id


results = []


@check("follow")
def _():
    seen = []
    task, saved = built(seed=8)
    task.add_progress_callback(lambda step: seen.append((step.node_id, step.value, step.max)))
    results.append(task.wait_result(saved))
    assert seen[-1][1:] == (20, 20), seen
    return seen


@check("download")
def _():
    (image,) = results[0].wait()
    image.load()
    assert image.size == (512, 512) and image.format == "PNG", image
    return image.size


@check("failed-run")
def _():
    task, saved = built(seed=9, fails=True)
    assert task.wait_result(saved) is None
    return "no result"


@check("refused-graph")
def _():
    task, _ = built(sampler="no-such-sampler")
    assert task is None, task
    return "no task"


@check("interrupt")
def _():
    task, saved = built(seed=10, steps=400)
    started = threading.Event()
    task.add_progress_callback(lambda step: started.set())
    assert started.wait(30)
    queue.cancel_current()
    assert task.wait_result(saved) is None
    return "no result"


@check("node-types")
def _():
    until(lambda: queue.queue_remaining == 0)
    return raised(getattr, nodes, "NoSuchNode"), list(nodes.Samplers)[:3]
