"""Drives comfyui-skill-cli: a command that imports workflow files, and runs them with named parameters."""

import json
from pathlib import Path

from driver import SERVER, answer, check, load, picture, until

server = {"id": "local", "name": "Local", "url": SERVER, "enabled": True, "output_dir": "outputs"}
Path("config.json").write_text(json.dumps({"servers": [server], "default_server": "local"}))


def skill(*args, code=0):
    return answer("comfyui-skill", "--json", *args, code=code)


for seed, name in enumerate(("workflow", "failing", "refused")):
    Path(f"my-{name}.json").write_text(json.dumps(load(name, 20 + seed)))
    skill("workflow", "import", f"my-{name}.json")
skill("workflow", "import", "workflow.json")


@check("server")
def _():
    return skill("server", "status"), skill("models", "list", "checkpoints")


@check("submit")
def _():
    prompt_id = skill("submit", "local/workflow")["prompt_id"]
    until(lambda: skill("status", prompt_id)["status"] in ("success", "completed"))
    return prompt_id


results = []


@check("follow")
def _():
    results.append(skill("run", "local/my-workflow"))
    assert results[0]["status"] == "success", results[0]
    return results[0]


@check("download")
def _():
    (output,) = results[0]["outputs"]
    return picture(Path(output["local_path"]).read_bytes())


@check("failed-run")
def _():
    result = skill("run", "local/my-failing", code=1)
    assert "made to fail" in str(result), result
    return result


@check("refused-graph")
def _():
    result = skill("run", "local/my-refused", code=1)
    assert "400" in str(result), result
    return result


@check("upload")
def _():
    return skill("upload", "input.png")
