"""Drives comfyui-cli: a command that runs workflow files, and shows queue, history, models and nodes."""

from pathlib import Path

from driver import ADDRESS, answer, check, picture

HOST, PORT = ADDRESS.split(":")


def cli(*args, code=0):
    return answer("comfyui-cli", "--json", "--host", HOST, "--port", PORT, *args, code=code)


@check("submit")
def _():
    return cli("queue", "submit", "workflow.json")["prompt_id"]


@check("follow")
def _():
    result = cli("workflow", "run", "workflow.json", "--seed", "8", "--save-to", "saved")
    assert result["status"]["status_str"] == "success", result
    return result


@check("download")
def _():
    (file,) = Path("saved").iterdir()
    return file.name, picture(file.read_bytes())


@check("failed-run")
def _():
    result = cli("workflow", "run", "failing.json", "--seed", "9")
    assert result["status"]["status_str"] == "error", result
    return result["status"]["messages"][-1]


@check("refused-graph")
def _():
    return cli("workflow", "run", "refused.json", code=1)


@check("upload")
def _():
    name = cli("images", "upload", "input.png")["name"]
    cli("images", "download", name, "--type", "input", "--save-to", "again.png")
    return picture(Path("again.png").read_bytes(), (256, 256))


@check("server")
def _():
    stats = cli("system", "stats")
    models = cli("models", "list")
    return stats["system"]["os"], models, cli("history", "list"), cli("queue", "status")
