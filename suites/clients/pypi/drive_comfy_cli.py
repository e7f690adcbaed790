"""Drives comfy-cli: a command that checks a workflow against the server, runs it, and keeps a list of jobs."""

import json
import os
from pathlib import Path

from driver import SERVER, answer, check, load, picture

os.environ.update(COMFY_LOCAL_URL=SERVER)


def comfy(*args, code=0):
    return answer("comfy", "--skip-prompt", "--json", *args, code=code)


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
    return jobs[0]["executed_node_ids"], jobs[0]["outputs"]


@check("download")
def _():
    (file,) = comfy("download", jobs[0]["prompt_id"], "--out-dir", "saved")["data"]["files"]
    return picture(Path(file["path"]).read_bytes())


@check("failed-run")
def _():
    error = run("three.json", load("failing", 9), "--wait", code=1)["error"]
    assert "made to fail" in error["message"], error
    return error


@check("refused-here")
def _():
    error = run("four.json", load("refused"), "--wait", code=1)["error"]
    assert "no-such-sampler" in error["hint"], error
    return error["code"], error["hint"]


@check("refused-graph")
def _():
    graph = {
        "1": {"class_type": "LoadImage", "inputs": {"image": "missing.png"}},
        "2": {"class_type": "PreviewImage", "inputs": {"images": ["1", 0]}},
    }
    error = run("five.json", graph, "--wait", code=1)["error"]
    assert error["code"] == "prompt_rejected", error
    return error["details"]


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


@check("watch")
def _():
    prompt_id = jobs[0]["prompt_id"]
    return [comfy("jobs", what, prompt_id)["data"]["status"] for what in ("status", "watch")]


@check("models")
def _():
    folders = [one["name"] for one in comfy("model", "list-folders")["data"]["folders"]]
    files = comfy("model", "list-folder", "checkpoints")["data"]["files"]
    found = comfy("model", "search", "--type", "checkpoint")["data"]["rows"]
    assert "checkpoints" in folders and len(found) == len(files), (folders, found)
    return [row["name"] for row in found]


@check("workflow")
def _():
    Path("seven.json").write_text(json.dumps(load("workflow")))
    saved = comfy("workflow", "save", "seven.json", "--name", "mine")["data"]["workflow_id"]
    assert [one["id"] for one in comfy("workflow", "list")["data"]["workflows"]] == [saved]
    comfy("workflow", "get", saved, "--out", "got.json")
    assert json.loads(Path("got.json").read_text()) == load("workflow")
    assert comfy("workflow", "validate", "--workflow", "got.json")["data"]["valid"]
    comfy("workflow", "delete", saved)
    assert comfy("workflow", "list")["data"]["workflows"] == []
    return saved


@check("server")
def _():
    comfy("free")
    return comfy("system-stats")["data"], comfy("nodes", "show", "KSampler")["data"].keys()
