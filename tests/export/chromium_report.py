#!/usr/bin/env python3
"""Loads HTML reports into a headless Chromium without network: they must ask for nothing, raise no error, fit the
window, show every part, and follow the system's light or dark.

Usage: chromium_report.py WARPSCOPE [--pictures FOLDER] RECORDING...      Needs: chromium and python3.
"""
import base64
import json
import os
import subprocess
import sys
import tempfile

from devtools import Chromium, Page

WIDTH, HEIGHT = 1280, 1600
SEEN = """({
  width: document.documentElement.scrollWidth,
  sections: document.querySelectorAll('section').length,
  timelines: [...document.querySelectorAll('svg.timeline')].filter(s => s.getBoundingClientRect().height > 60).length,
  spans: [...document.querySelectorAll('svg .span')].filter(s => s.getBoundingClientRect().width > 0).length,
  colours: new Set([...document.querySelectorAll('svg .span')].map(s => getComputedStyle(s).fill)).size,
  sources: document.querySelectorAll('table.source td.name:not(:empty)').length,
  broken_links: [...document.querySelectorAll('a[href^="#"]')].filter(a => !document.querySelector(a.hash)).length,
  text: document.body.innerText.length,
  background: getComputedStyle(document.body).backgroundColor})"""


def look(browser, path, scheme):
    """What the page shows, and what it requested."""
    page = Page(browser)
    page.call("Network.emulateNetworkConditions", offline=True, latency=0, downloadThroughput=0, uploadThroughput=0)
    page.call("Log.enable")
    page.call("Emulation.setDeviceMetricsOverride", width=WIDTH, height=HEIGHT, deviceScaleFactor=1, mobile=False)
    page.call("Emulation.setEmulatedMedia", media="screen",
              features=[{"name": "prefers-color-scheme", "value": scheme}])
    browser.events.clear()
    page.open("file://" + path)
    seen = page.evaluate(SEEN)
    seen["requests"] = [event["params"]["request"]["url"] for event in browser.events
                        if event["method"] == "Network.requestWillBeSent"]
    seen["messages"] = [event["params"] for event in browser.events
                        if event["method"] in ("Log.entryAdded", "Runtime.exceptionThrown")]
    return page, seen


def picture(page, path):
    shot = page.call("Page.captureScreenshot", captureBeyondViewport=True)
    with open(path, "wb") as file:
        file.write(base64.b64decode(shot["data"]))


def check(browser, program, recording, runs, path, pictures):
    indices = ",".join(str(i) for i in range(runs))
    subprocess.check_call([program, "export", recording, "--format", "html", "--index", indices, "--output", path],
                          stdout=subprocess.DEVNULL)
    problems, backgrounds = [], []
    for scheme in ("light", "dark"):
        page, seen = look(browser, path, scheme)
        backgrounds.append(seen["background"])
        if seen["requests"] != ["file://" + path]:
            problems.append(f"asks for {seen['requests']}")
        if seen["messages"]:
            problems.append(f"says {seen['messages'][:3]}")
        if seen["width"] > WIDTH:
            problems.append(f"is {seen['width']} pixels wide")
        if seen["sections"] != runs or seen["timelines"] != runs:
            problems.append(f"shows {seen['sections']} runs and {seen['timelines']} timelines of {runs}")
        for part in ("spans", "sources", "text"):
            if seen[part] == 0:
                problems.append(f"shows no {part}")
        if seen["colours"] < 2:
            problems.append("paints all regions in one colour")
        if seen["broken_links"]:
            problems.append(f"has {seen['broken_links']} links into nowhere")
        if pictures:
            picture(page, os.path.join(pictures, f"{os.path.basename(path)}_{scheme}.png"))
    if len(set(backgrounds)) != 2:
        problems.append(f"is as light in the dark: {backgrounds}")
    print(f"{os.path.basename(path)}: {os.path.getsize(path)} bytes, {seen['spans']} spans, {seen['text']} characters")
    return problems


def main(program, recordings, pictures):
    failed = False
    with Chromium() as browser, tempfile.TemporaryDirectory(prefix="warpscope-report-") as folder:
        for number, recording in enumerate(recordings):
            held = json.loads(subprocess.check_output([program, "export", recording, "--format", "json", "--table",
                                                       "runs", "--output", "-"]))
            path = os.path.join(folder, f"{number}_{os.path.basename(recording)}.html")
            for problem in check(browser, program, recording, min(len(held), 3), path, pictures):
                print(f"  WRONG: it {problem}")
                failed = True
    return 1 if failed else 0


if __name__ == "__main__":
    arguments, shown_in = sys.argv[1:], None
    if "--pictures" in arguments:
        at = arguments.index("--pictures")
        shown_in = arguments[at + 1]
        os.makedirs(shown_in, exist_ok=True)
        del arguments[at:at + 2]
    if len(arguments) < 2:
        sys.exit(__doc__)
    sys.exit(main(arguments[0], arguments[1:], shown_in))
