"""Drives the web front end in Chromium: it runs workflows, and shows what it made and kept in its panels."""

import shutil

from driver import SERVER, check, load, report
from playwright.sync_api import sync_playwright

chromium = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))))

with sync_playwright() as playwright:
    browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
    page = browser.new_page(viewport={"width": 1400, "height": 900})
    page.set_default_timeout(20_000)
    errors = []
    page.on("pageerror", lambda error: errors.append(error.message))
    page.goto(SERVER)
    page.wait_for_function("window.app?.graph !== undefined", timeout=60_000)
    # A new user sees the templates first.
    page.get_by_role("dialog").first.wait_for()
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Workflows (w)").wait_for()

    def run(graph):
        """Opens a workflow, presses Run, and returns what the server replied to the submit."""
        page.evaluate("async (graph) => window.app.loadApiJson(graph, 'mine')", graph)
        with page.expect_response(lambda reply: reply.url.endswith("/api/prompt")) as submitted:
            page.get_by_role("button", name="Run", exact=True).first.click()
        return submitted.value

    @check("submit")
    def _():
        reply = run(load("workflow"))
        assert reply.status == 200, reply.text()
        return reply.json()["prompt_id"]

    @check("follow")
    def _():
        page.get_by_role("button", name="Assets (a)").click()
        made = page.get_by_role("button", name="image asset").first
        made.wait_for()
        return made.get_attribute("aria-label")

    @check("download")
    def _():
        picture = page.locator("img[src*='/view']").first
        picture.wait_for()
        return picture.evaluate("(image) => image.decode().then(() => image.naturalWidth)")

    @check("assets")
    def _():
        with page.expect_response(lambda reply: "/api/assets?" in reply.url) as listed:
            page.get_by_text("Imported", exact=True).first.click()
        names = [asset["name"] for asset in listed.value.json()["assets"]]
        page.get_by_text(names[0].rsplit(".", 1)[0], exact=False).first.wait_for()
        return names

    @check("workflows")
    def _():
        page.get_by_role("button", name="Workflows (w)").click()
        page.keyboard.press("Control+s")
        page.get_by_role("dialog").get_by_role("textbox").first.fill("kept by the panel")
        page.keyboard.press("Enter")
        page.get_by_role("treeitem", name="kept by the panel").first.wait_for()
        return "saved and listed"

    @check("failed-run")
    def _():
        reply = run(load("failing", 9))
        assert reply.status == 200, reply.text()
        found = "window.app.lastExecutionError?.exception_message"
        page.wait_for_function(f"{found} !== undefined")
        message = page.evaluate(found)
        assert "made to fail" in message, message
        return message

    @check("refused-graph")
    def _():
        reply = run(load("refused"))
        assert reply.status == 400, reply.text()
        return reply.json()["error"]["type"]

    report("page", errors == [], errors)
    browser.close()
