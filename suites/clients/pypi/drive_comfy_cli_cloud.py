"""Drives comfy-cli with --where cloud: the same commands against a hosted server."""

import json
import os
from pathlib import Path

from driver import API_KEY, SERVER, answer, check, load, picture

os.environ.update(COMFY_CLOUD_BASE_URL=SERVER, COMFY_CLOUD_API_KEY=API_KEY)


def comfy(*args, code=0):
    return answer("comfy", "--skip-prompt", "--json", "--where", "cloud", *args, code=code)


def run(name, graph, *args, code=0):
    Path(name).write_text(json.dumps(graph))
    return comfy("run", "--workflow", name, *args, code=code)


@check("submit")
def _():
    return run("one.json", load("workflow"), "--no-watch")["data"]["prompt_id"]


jobs = []


@check("follow")
def _():
    jobs.append(run("two.json", load("workflow", 8), "--wait")["data"])
    assert jobs[0]["status"] == "completed", jobs[0]
    return jobs[0]["outputs_by_node"]


@check("download")
def _():
    (file,) = comfy("download", jobs[0]["prompt_id"], "--out-dir", "saved")["data"]["files"]
    return picture(Path(file["path"]).read_bytes())


@check("failed-run")
def _():
    error = run("three.json", load("failing", 9), "--wait", code=1)["error"]
    assert error["code"] == "execution_error", error
    status = comfy("jobs", "status", error["details"]["prompt_id"])
    assert "made to fail" in str(status), status
    return error


@check("refused-graph")
def _():
    graph = {
        "1": {"class_type": "LoadImage", "inputs": {"image": "missing.png"}},
        "2": {"class_type": "PreviewImage", "inputs": {"images": ["1", 0]}},
    }
    error = run("five.json", graph, "--wait", code=1)["error"]
    assert "missing.png" in str(error["details"]), error
    return error


@check("interrupt")
def _():
    prompt_id = run("six.json", load("slow"), "--no-watch")["data"]["prompt_id"]
    return comfy("jobs", "cancel", prompt_id)["data"], comfy("jobs", "wait", prompt_id, code=130)


@check("jobs")
def _():
    return [(job["prompt_id"], job["status"]) for job in comfy("jobs", "ls")["data"]["jobs"]]


@check("upload")
def _():
    return comfy("upload", "input.png")["data"]
