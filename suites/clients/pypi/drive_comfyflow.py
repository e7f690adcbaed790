"""Drives comfyflow: graphs built from the node types of the server, whose pictures arrive while they run."""

from comfyflow import ComfyClient, Workflow
from driver import ADDRESS, check, raised

client = ComfyClient(ADDRESS)


def built(fails=False, seed=7, saved=True):
    flow = Workflow(client)
    model = flow.CheckpointLoaderSimple(ckpt_name=client.checkpoints[0])
    text = flow.CLIPTextEncode(text="a lighthouse", clip=model.CLIP)
    latent = flow.EmptyLatentImage(width=512, height=512, batch_size=1)
    sample = flow.KSampler(
        model=model.MODEL,
        positive=text.CONDITIONING,
        negative=text.CONDITIONING,
        latent_image=latent.LATENT,
        sampler_name="euler",
        scheduler="normal",
        seed=seed,
        steps=20,
        cfg=7.5,
        denoise=1.0,
    )
    pixels = flow.VAEDecode(samples=sample.LATENT, vae=model.VAE).IMAGE
    if fails:
        pixels = flow.FlowdoubleFail(
            exception_type="ValueError", message="made to fail", value=pixels
        )[0]
    if saved:
        flow.SaveImage(images=pixels, filename_prefix="flow")
    return flow


seen = []
images = []


@check("submit")
def _():
    images.extend(client.run(built(), on_progress=lambda *step: seen.append(step)))
    return images


@check("follow")
def _():
    assert ("4", "KSampler", 20, 20, True) in seen, seen
    return len(seen)


@check("download")
def _():
    ((node_id, image),) = images
    image.load()
    assert image.size == (512, 512) and image.format == "PNG", image
    return node_id, image.size


@check("failed-run")
def _():
    error = raised(lambda: list(client.run(built(fails=True, seed=9))))
    assert "made to fail" in str(error), error
    return error


@check("refused-graph")
def _():
    error = raised(lambda: list(client.run(built(saved=False))))
    assert "prompt_no_outputs" in str(error), error
    return error


@check("refused-here")
def _():
    return raised(Workflow(client).EmptyLatentImage, width=-1)


@check("upload")
def _():
    flow = Workflow(client)
    picture = flow.LoadImage(image="input.png")
    flow.SaveImage(images=picture.IMAGE, filename_prefix="again")
    ((_, image),) = client.run(flow)
    assert image.size == (256, 256), image
    return flow.nodes[0].inputs["image"]
