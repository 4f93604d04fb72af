#!/usr/bin/env python3
"""Opens a report in headless Chromium and says what is wrong with it.

    pip install playwright                       # and Chromium: `playwright install chromium`, or the system's
    python3 docs/internals/report-check.py REPORT.html [FOLDER]    # screenshots go to FOLDER

In light, dark, at a phone's width and in print: every chart is drawn with its marks, nothing is written to the console,
nothing is asked of the network, the page is no wider than the screen, and no script of the run's text has run. In light:
every column of every table that sorts is sorted by the keyboard and held against an order of our own, the search leaves
the rows that it should, and a drag over a chart zooms until a double click.
"""
import pathlib
import re
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


TABLE = """t => [...t.tBodies[0].rows].map(r => [...r.cells].map(c => c.hasAttribute('data-v') ? c.dataset.v : c.textContent.trim()))"""


def key(text, numeric):
    """What a cell is sorted by; None stands last."""
    if not numeric:
        return None if text in ("", "-") else text
    number = re.match(r"[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?", text.replace(",", "").replace("~", ""))
    return float(number.group()) if number else None


def check_sorting(page, table, wrong):
    for column, head in enumerate(table.query_selector_all("thead th")):
        numeric = "n" in (head.get_attribute("class") or "").split()
        for _ in range(2):
            head.query_selector("button").press("Enter")
            keys = [key(row[column], numeric) for row in table.evaluate(TABLE)]
            known = [k for k in keys if k is not None]
            if None in keys[:len(known)]:
                wrong.append(f"column {column}: what has no value does not stand last")
            down = head.get_attribute("aria-sort") == "descending"
            if numeric and known != sorted(known, reverse=down):
                wrong.append(f"column {column} is not sorted: {known[:20]}")
            # of texts, the page's collator knows the order better than we do: equal ones stand together
            changes = sum(a != b for a, b in zip(known, known[1:]))
            if not numeric and changes != max(0, len(set(known)) - 1):
                wrong.append(f"column {column}: equal texts stand apart")


def check_search(page, box, wrong):
    rows = box.evaluate("b => [...b.querySelectorAll('tbody tr')].map(r => [...r.cells].map(c => c.textContent).join(' '))")
    field = page.query_selector(".search input")
    words = rows[0].split()
    for query in ["", words[0], " ".join(words[1:4]).upper(), "no row has this"]:
        field.fill(query)
        want = sum(all(w in row.lower() for w in query.lower().split()) for row in rows)
        got = box.evaluate("b => [...b.querySelectorAll('tbody tr')].filter(r => r.offsetParent).length")
        if got != want:
            wrong.append(f"search for {query!r} shows {got} rows, expected {want}")
    field.fill("")


def check_zoom(page, box, wrong):
    def labels():
        page.wait_for_timeout(200)  # a tooltip takes its time to go
        return box.evaluate("b => [...b.querySelectorAll('svg text')].map(t => t.textContent)")
    box.scroll_into_view_if_needed()
    before, r = labels(), box.bounding_box()
    page.mouse.move(r["x"] + 0.4 * r["width"], r["y"] + 0.5 * r["height"])
    page.mouse.down()
    page.mouse.move(r["x"] + 0.6 * r["width"], r["y"] + 0.7 * r["height"], steps=5)
    page.mouse.up()
    if labels() == before:
        wrong.append("a drag over the chart does not zoom")
    page.mouse.move(r["x"] + 0.5 * r["width"], r["y"] + 0.6 * r["height"])
    page.mouse.dblclick(r["x"] + 0.5 * r["width"], r["y"] + 0.6 * r["height"])
    page.mouse.move(0, 0)
    if [text for text in labels() if text in before] != before:  # a tooltip may still be there
        wrong.append("a double click does not show all again")


def check_use(page, wrong):
    """What a reader does with the page."""
    for table in page.query_selector_all("table.sort"):
        check_sorting(page, table, wrong)
    for box in page.query_selector_all("[data-filter]")[:1]:
        check_search(page, box, wrong)
    for name in ["byEvaluation", "edf", "slice", "pace", "timeline", "curvesByTime", "edfs"]:
        box = page.query_selector(f"[data-chart={name}]")
        if box:
            found = []
            check_zoom(page, box, found)
            wrong += [f"{name}: {w}" for w in found]


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
    for box in page.query_selector_all(".chart"):  # they are drawn when they come into sight
        box.scroll_into_view_if_needed()
    page.wait_for_timeout(500)
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
    if name == "light":
        check_use(page, wrong)
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
        system = next(filter(None, map(shutil.which, ["chromium", "google-chrome", "chromium-headless-shell"])), None)
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
