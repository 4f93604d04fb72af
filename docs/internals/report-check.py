#!/usr/bin/env python3
"""Opens a report in headless Chromium and says what is wrong with it.

    pip install playwright                       # and Chromium: `playwright install chromium`, or the system's
    python3 docs/internals/report-check.py REPORT.html [FOLDER]    # screenshots go to FOLDER

In light, dark, at a phone's width and in print: every chart is drawn with its marks, nothing is written to the console,
nothing is asked of the network, the page is no wider than the screen, and no script of the run's text has run.
"""
import pathlib
import shutil
import sys

from playwright.sync_api import sync_playwright

LOOKS = {  # name: width, height, colour scheme, media
    "light": (1280, 900, "light", "screen"),
    "dark": (1280, 900, "dark", "screen"),
    "phone": (390, 844, "light", "screen"),
    "print": (1000, 1400, "dark", "print"),
}

CHARTS = """() => [...document.querySelectorAll('.chart')].map(box => ({
  id: box.id, width: box.clientWidth, height: box.clientHeight,
  marks: box.querySelectorAll('svg path, svg circle, svg rect, svg polyline').length,
  texts: box.querySelectorAll('svg text').length,
  label: box.getAttribute('aria-label') || ''}))"""


def check(browser, page_file, name, folder):
    width, height, scheme, media = LOOKS[name]
    wrong = []
    context = browser.new_context(viewport={"width": width, "height": height}, color_scheme=scheme)
    page = context.new_page()
    page.on("console", lambda m: wrong.append(f"console: {m.type}: {m.text}"))
    page.on("pageerror", lambda e: wrong.append(f"error: {e}"))
    page.on("request", lambda r: r.url.startswith(("file:", "data:")) or wrong.append(f"asked the network: {r.url}"))
    page.on("dialog", lambda d: (wrong.append(f"a dialog: {d.message}"), d.dismiss()))
    page.goto(page_file.resolve().as_uri())
    if media == "print":
        page.emulate_media(media="print", color_scheme=scheme)
        page.evaluate("window.dispatchEvent(new Event('beforeprint'))")
    page.wait_for_timeout(300)
    charts = page.evaluate(CHARTS)
    for c in charts:
        if c["marks"] < 3 or c["texts"] < 1 or c["width"] < 150 or c["height"] < 100:
            wrong.append(f"chart {c['id']} is not drawn: {c}")
        if not c["label"]:
            wrong.append(f"chart {c['id']} has no description")
    for box in page.query_selector_all(".chart svg"):  # a tooltip must not break on what it shows
        box.hover(position={"x": 120, "y": 90}, force=True)
    if media == "screen" and page.evaluate("document.documentElement.scrollWidth") > width:
        wrong.append("the page is wider than the screen")
    if folder:
        page.screenshot(path=str(folder / f"{name}.png"), full_page=True)
        if media == "print":
            page.pdf(path=str(folder / "print.pdf"), format="A4")
    context.close()
    return len(charts), [f"{name}: {w}" for w in wrong]


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    page_file = pathlib.Path(sys.argv[1])
    folder = pathlib.Path(sys.argv[2]) if len(sys.argv) > 2 else None
    if folder:
        folder.mkdir(parents=True, exist_ok=True)
    wrong, counts = [], []
    with sync_playwright() as p:
        system = shutil.which("chromium") or shutil.which("google-chrome")
        browser = p.chromium.launch(executable_path=system, args=["--no-sandbox"]) if system else p.chromium.launch()
        for name in LOOKS:
            n, more = check(browser, page_file, name, folder)
            counts.append(n)
            wrong += more
        browser.close()
    print("\n".join(wrong) or f"{page_file}: {counts[0]} charts drawn, nothing on the console, nothing asked of the network")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
