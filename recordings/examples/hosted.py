# Runs workflow.json on a hosted server and saves its pictures here, without a socket and with nothing to install.
# BASE is the address of the server, API_KEY the key.
import json, os, time
from urllib import error, parse, request

BASE = os.environ.get("BASE", "http://127.0.0.1:8189")
KEY = os.environ.get("API_KEY", "test-key")


class Stay(request.HTTPRedirectHandler):  # urllib would take the key along
    def redirect_request(self, *_):
        return None


def ask(path, body=None):
    data = None if body is None else json.dumps(body).encode()
    asked = request.Request(f"{BASE}/api{path}", data, {"X-API-Key": KEY})
    return request.build_opener(Stay).open(asked)


with open("workflow.json") as file:
    prompt = json.load(file)
prompt_id = json.load(ask("/prompt", {"prompt": prompt}))["prompt_id"]

status = "pending"
while status in ("pending", "in_progress"):
    time.sleep(0.5)
    status = json.load(ask(f"/job/{prompt_id}/status"))["status"]
job = json.load(ask(f"/jobs/{prompt_id}"))
if status != "completed":
    raise SystemExit(f"{status} {job.get('execution_error')}")
for output in job["outputs"].values():
    for item in sum(output.values(), []):  # images, video, ...
        if not isinstance(item, dict):
            continue  # a text
        try:
            ask(f"/view?{parse.urlencode(item)}")
        except error.HTTPError as redirect:  # 302 to a link on another host
            with open(os.path.basename(item["filename"]), "wb") as file:
                file.write(request.urlopen(redirect.headers["Location"]).read())
