"""Drives comfyui-autograph: graphs as objects, whose submit follows a socket and fetches outputs."""

from pathlib import Path

from autograph import ApiFlow, NodeInfo, upload_file
from driver import SERVER, check, load, picture, raised


def submit(graph, **how):
    return ApiFlow(graph).submit(server_url=SERVER, poll_interval=0.1, **how)


@check("submit")
def _():
    return submit(load("workflow"), wait=True)["submit"]["prompt_id"]


seen = []
results = []


@check("follow")
def _():
    results.append(submit(load("workflow", 8), wait=True, on_event=seen.append))
    kinds = [(event["type"], event.get("detected_by")) for event in seen]
    assert "progress" in [kind for kind, _ in kinds], kinds
    return kinds


@check("download")
def _():
    saved = results[0].fetch_images().save("saved/frame.###.png")
    (file,) = saved if isinstance(saved, list) else [saved]
    return file, picture(Path(file).read_bytes())


@check("failed-run")
def _():
    result = submit(load("failing", 9), wait=True)
    (entry,) = result["history"].values()
    assert entry["status"]["status_str"] == "error", entry
    return entry["status"]["messages"][-1]


@check("refused-graph")
def _():
    error = raised(submit, load("refused"))
    assert "no-such-sampler" in str(error), error
    return error


@check("upload")
def _():
    return upload_file("input.png", server_url=SERVER, accept="image").path


@check("node-types")
def _():
    return len(NodeInfo("fetch", server_url=SERVER))
