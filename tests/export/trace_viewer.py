"""Chromium's trace viewer, in a headless Chromium: imports trace files and reports the contents of its model.

chrome://tracing where the build has it. Debian's does not; there the very same viewer comes from Go's sources (Debian
package golang-VERSION-src, trace_viewer_full.html), served on this host. WARPSCOPE_TRACE_VIEWER names its folder
elsewhere. Exits with status 77 and a reason where there is none.
"""
import functools
import glob
import http.server
import json
import os
import sys
import threading

from devtools import SKIPPED, Page

PLACES = ("/usr/share/go-*/src/cmd/trace/static", "/usr/share/go-*/src/internal/trace/traceviewer/static")

PAGE = """<!DOCTYPE html><html><head><meta charset="utf-8">
<script src="/webcomponents.min.js"></script>
<link rel="import" href="/trace_viewer_full.html" onload="window.loaded=true">
</head><body><input id="file" type="file"></body></html>"""

# The contents of the model after the import; the importer's own complaints; slices of a thread that cross each other.
IMPORT = """(async () => {
  const input = document.querySelector('#file');
  const text = await input.files[0].text();
  const model = new tr.Model();
  const options = new tr.importer.ImportOptions();
  options.shiftWorldToZero = false;
  await new tr.importer.Import(model, options).importTracesWithProgressDialog([text]);
  const result = {warnings: model.importWarnings.map(w => w.type + ': ' + w.message), slices: {}, ms: {}, cycles: {},
                  instants: 0, arrows: model.flowEvents.length, counters: 0, samples: 0, threads: 0, processes: 0, crossing: 0, nested: 0,
                  names: [], thread_names: [], first_ms: model.bounds.min, last_ms: model.bounds.max,
                  metadata: model.metadata.map(m => m.name)};
  for (const process of model.getAllProcesses()) {
    result.processes += 1;
    result.names.push([process.sortIndex, process.name]);
    for (const counter of Object.values(process.counters)) {
      result.counters += 1;
      for (const series of counter.series) result.samples += series.samples.length;
    }
    result.instants += process.instantEvents.length;
    for (const thread of Object.values(process.threads)) {
      result.threads += 1;
      if (thread.name) result.thread_names.push(thread.name);
      let open = [];
      const slices = [...thread.sliceGroup.slices].sort((a, b) => a.start - b.start || b.duration - a.duration);
      for (const slice of slices) {
        // The importer makes instants of a thread slices without a duration of their own class.
        const instant = slice.category === 'exit' || (slice.category === 'operation' && slice.duration === 0);
        if (slice instanceof tr.model.ThreadSlice === false || instant) { result.instants += 1; continue; }
        result.slices[slice.category] = (result.slices[slice.category] || 0) + 1;
        result.ms[slice.category] = (result.ms[slice.category] || 0) + slice.duration;
        result.cycles[slice.category] = (result.cycles[slice.category] || 0) + (slice.args.cycles || 0);
        while (open.length && open[open.length - 1] <= slice.start) open.pop();
        if (open.length && slice.start + slice.duration > open[open.length - 1]) result.crossing += 1;
        if (open.length) result.nested += 1;
        open.push(slice.start + slice.duration);
      }
    }
  }
  return result;
})()"""


class _Handler(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass

    def do_GET(self):
        if self.path != "/":
            return super().do_GET()
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.end_headers()
        self.wfile.write(PAGE.encode())


def _viewer_folder():
    named = os.environ.get("WARPSCOPE_TRACE_VIEWER")
    folders = [named] if named else sorted(sum(map(glob.glob, PLACES), []))
    for folder in reversed(folders):
        if os.path.exists(os.path.join(folder, "trace_viewer_full.html")):
            return folder
    return None


class TraceViewer:
    def __init__(self, browser):
        self.page = Page(browser)
        self.page.open("chrome://tracing/")
        self.place = "chrome://tracing"
        if not self.page.evaluate("typeof tr !== 'undefined'"):
            self._open_served()

    def _open_served(self):
        folder = _viewer_folder()
        if folder is None:
            print("skipped: this chromium has no chrome://tracing, and there is no trace_viewer_full.html "
                  "(Debian: apt-get install golang-1.19-src)")
            sys.exit(SKIPPED)
        self.place = folder
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(_Handler, directory=folder))
        threading.Thread(target=server.serve_forever, daemon=True).start()
        self.page.open(f"http://127.0.0.1:{server.server_address[1]}/")
        self.page.wait("window.loaded === true && typeof tr !== 'undefined' && !!tr.importer")

    def load(self, path):
        """The contents of the viewer's model for the trace file, as a dict (IMPORT)."""
        self.page.evaluate("""if (!document.querySelector('#file')) {
          const input = document.createElement('input'); input.type = 'file'; input.id = 'file';
          document.body.append(input); }""")
        self.page.set_files("#file", path)
        return self.page.evaluate(IMPORT)
