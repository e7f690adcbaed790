# A small client of a local server, which the tests in the README test: submits a workflow, by default workflow.json,
# follows its run on the socket, and returns the names of its files. Needs `pip install requests websocket-client`.
import json
import uuid

import requests
from websocket import create_connection


class OutOfMemory(Exception):
    """The server ran out of GPU memory; the text is the type of the node."""


def generate(url, workflow=None):
    client_id = str(uuid.uuid4())
    socket = create_connection(url.replace("http", "ws", 1) + "/ws?clientId=" + client_id)
    if workflow is None:
        with open("workflow.json") as file:
            workflow = json.load(file)
    reply = requests.post(url + "/prompt", json={"prompt": workflow, "client_id": client_id})
    if reply.status_code != 200:
        raise RuntimeError(reply.text)
    prompt_id = reply.json()["prompt_id"]
    while True:
        frame = socket.recv()
        if isinstance(frame, bytes):
            continue  # a preview
        message = json.loads(frame)
        if message["data"].get("prompt_id") != prompt_id:
            continue
        if message["type"] == "execution_error":
            if "OutOfMemoryError" in message["data"]["exception_type"]:
                raise OutOfMemory(message["data"]["node_type"])
            raise RuntimeError(message["data"]["exception_message"])
        if message["type"] == "execution_success":
            break
    outputs = requests.get(url + "/history/" + prompt_id).json()[prompt_id]["outputs"]
    lists = [files for output in outputs.values() for files in output.values()]
    return [file["filename"] for files in lists for file in files if "filename" in file]
