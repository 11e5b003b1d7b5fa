"""Makes the Debian package of a built tree, unpacks it into a folder of its own and tries it out there.

    check_package.py SOURCE_FOLDER BUILD_FOLDER

The second half runs in a mount namespace in which the source tree is empty, so that nothing can be found by its old path. It
needs no root. Exit status: 0 right, 1 wrong, 77 not possible here, with the reason. BUILD_FOLDER/package_test keeps the
package, what is in it (tree) and the screenshots.
"""

import gzip
import json
import os
import pathlib
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import time

SKIPPED = 77
TOOLS = {"cpack": "cmake", "dpkg-deb": "dpkg", "dpkg-shlibdeps": "dpkg-dev", "file": "file", "unshare": "util-linux",
         "xvfb-run": "xvfb", "strip": "binutils"}


def skip(reason):
    print("skipped:", reason)
    sys.exit(SKIPPED)


def check(right, what):
    print("ok  " if right else "FAIL", what)
    if not right:
        sys.exit(1)


def output_of(command, status=0, **options):
    done = subprocess.run([str(part) for part in command], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                          timeout=120, **options)
    if done.returncode != status:
        print(done.stdout, done.stderr, sep="\n")
    check(done.returncode == status, f"exit status {status} of {' '.join(str(part) for part in command[:6])[:200]!r}")
    return done.stdout


def make_package(build, out):
    """Uncompressed: packing 30 MB as for shipping takes longer than all that is checked here."""
    shutil.rmtree(out, ignore_errors=True)
    output_of(["cpack", "--config", build / "CPackConfig.cmake", "-B", out, "-D", "CPACK_DEBIAN_COMPRESSION_TYPE=none"])
    packages = list(out.glob("*.deb"))
    check(len(packages) == 1, f"one package: {[package.name for package in packages]}")
    return packages[0]


def check_control(package):
    fields = output_of(["dpkg-deb", "--field", package, "Depends", "Installed-Size", "Maintainer"])
    print(fields)
    for library in ["libc6 (>= ", "libstdc++6 (>= ", "libglfw3 (>= ", "libgl1", "fonts-dejavu-core"]:
        check(library in fields, f"the package depends on {library.split()[0]}")
    for sanitizer in ["libasan", "libtsan"]:
        check(sanitizer not in fields, f"the package does not depend on {sanitizer}")


def check_desktop_files(root):
    share = root / "usr/share"
    if shutil.which("desktop-file-validate"):
        output_of(["desktop-file-validate", share / "applications/warpscope.desktop"])
    for size in ["scalable/apps/warpscope.svg", "48x48/apps/warpscope.png", "256x256/apps/warpscope.png"]:
        check((share / "icons/hicolor" / size).is_file(), f"icon {size}")
    notices = sorted(file.name for file in (share / "doc/warpscope/libraries").iterdir())
    check("libimgui-dev" in notices and len(notices) == 10, f"notices of the libraries compiled in: {notices}")
    if shutil.which("update-mime-database"):
        output_of(["update-mime-database", share / "mime"])
        globs = (share / "mime/globs2").read_text()
        for kind, name in [("recording", "wsrec"), ("session", "wssession")]:
            check(f"application/x-warpscope-{kind}:*.{name}" in globs, f"MIME type of .{name}")


COMPLETE = """
source "$1"
set -- $(complete -p warpscope)
while [ "$1" != -F ]; do shift; done
COMP_WORDS=(warpscope sho) COMP_CWORD=1 COMP_LINE="warpscope sho" COMP_POINT=13
"$2" warpscope sho warpscope
echo "${COMPREPLY[*]}"
"""


def check_shell_files(root):
    page = root / "usr/share/man/man1/warpscope.1.gz"
    text = gzip.decompress(page.read_bytes()).decode()
    for command in ["run", "show", "compare", "export", "screenshot"]:
        check(command in text, f"the man page has {command}")
    if shutil.which("man"):
        done = subprocess.run(["man", "--warnings", "-E", "UTF-8", "-l", "-Tutf8", page], capture_output=True, text=True)
        check(done.returncode == 0 and done.stderr == "", f"man shows the page without a warning {done.stderr}")
    script = root.parent / "complete.sh"
    script.write_text(COMPLETE)
    completed = output_of(["bash", script, root / "usr/share/bash-completion/completions/warpscope"])
    check(completed.strip() == "show", f"the shell completes `warpscope sho`: {completed.strip()}")


class Installed:
    """The program in its folder, started with nothing of ours in the environment."""

    def __init__(self, folder):
        self.folder = folder
        self.program = folder / "root/usr/bin/warpscope"
        home = folder / "home"
        home.mkdir(exist_ok=True)
        kept = {name: os.environ[name] for name in ["PATH", "DISPLAY", "XAUTHORITY"] if name in os.environ}
        self.environment = {**kept, "HOME": str(home), "LC_ALL": "C.UTF-8", "LIBGL_ALWAYS_SOFTWARE": "1"}

    def run(self, *arguments, status=0):
        return output_of([self.program, *arguments], status, env=self.environment, cwd=self.folder)

    def json(self, *arguments):
        return json.loads(self.run(*arguments, "--json"))

    def window(self, *arguments):
        """What the window says of itself (--report) once its first run is shown."""
        report = self.folder / "report.json"
        report.unlink(missing_ok=True)
        window = subprocess.Popen([self.program, "gui", "--report", report, *arguments], env=self.environment, cwd=self.folder)
        end = time.monotonic() + 60
        said = {}
        shown = False
        while not shown and time.monotonic() < end and window.poll() is None:
            said = json.loads(report.read_text()) if report.is_file() else {}
            state = said.get("state", {})
            shown = "run" in state and not state["busy"] and not state["outdated"]
            time.sleep(0.05)
        window.send_signal(signal.SIGTERM)
        status = window.wait(timeout=30)
        check(shown, "a window with a run" if shown else f"a window with a run; its last report: {said.get('state')}")
        check(status == 0, "the window closes on SIGTERM")
        return said

    def screenshot(self, name, *arguments):
        picture = self.folder / name
        self.run("screenshot", "--window-size", "1280x800", "--output", picture, *arguments)
        content = picture.read_bytes()
        size = struct.unpack(">II", content[16:24])
        check(content[:8] == b"\x89PNG\r\n\x1a\n" and size == (1280, 800), f"{name}: a picture of {size}")
        return content


def check_command_line(installed):
    assets = installed.folder / "root/usr/share/warpscope"
    devices = {device["id"]: device for device in installed.json("devices")}
    simulated = [name for name in devices if name.startswith("sim:")]
    profiles = list((assets / "devices").glob("*.json"))
    check(len(simulated) == len(profiles), f"a simulated GPU of each profile: {simulated}")
    check(devices["recorded"]["provenance"] == "measured", "the bundled recordings are a device")

    for device, provenance in [("sim:h100", "modelled"), ("recorded", "measured")]:
        (run,) = installed.json("run", "divergence", "--variant", "even_odd", "--device", device)
        check(run["verified"] and run["provenance"] == provenance, f"a run on {device} is right, and {provenance}")

    recordings = sorted((assets / "recordings").glob("*.wsrec"))
    variants = sum(len(family["variants"]) for family in installed.json("list"))
    check(len(recordings) >= 100, f"{len(recordings)} recordings for {variants} variants")
    check(installed.json("show", recordings[0]), "a bundled recording is shown")
    installed.run("record", "divergence", "--variant", "even_odd", "--device", "sim:teaching", "--output", "own.wsrec")
    check(installed.json("show", "own.wsrec")[0]["variant"] == "even_odd", "a recording of its own is shown")


def check_window(installed):
    english = installed.window()
    check(english["texts"]["view.timeline.title"] == "TIMELINE", "the window shows the default run")
    chinese = installed.window("--language", "zh_CN", installed.folder / "own.wsrec")
    check(chinese["texts"]["view.timeline.title"] == "时间线", "the window speaks Chinese, and has characters for it")
    pictures = {installed.screenshot("window.png"), installed.screenshot("window_zh_CN.png", "--language", "zh_CN"),
                installed.screenshot("recording.png", installed.folder / "own.wsrec")}
    check(len(pictures) == 3, "the three pictures differ")


def inside(source, folder):
    check(not any(source.iterdir()), f"{source} is out of reach")
    installed = Installed(folder)
    check(installed.run("--version").strip() != "", "the program starts")
    check_command_line(installed)
    check_window(installed)


def main(source, build):
    for tool, package in TOOLS.items():
        if not shutil.which(tool):
            skip(f"{tool} is not installed (Debian: {package})")
    if subprocess.run(["unshare", "--mount", "--map-root-user", "true"], stderr=subprocess.DEVNULL).returncode != 0:
        skip("this machine permits no mount namespaces (unshare --mount --map-root-user), so the source tree cannot be hidden")
    out = build / "package_test"
    package = make_package(build, out)
    shutil.rmtree(out / "_CPack_Packages")
    check_control(package)
    with tempfile.TemporaryDirectory(prefix="warpscope_package_") as folder:
        folder = pathlib.Path(folder)
        output_of(["dpkg-deb", "--extract", package, folder / "root"])
        (out / "tree").write_text(output_of(["dpkg-deb", "--contents", package]))
        check_desktop_files(folder / "root")
        check_shell_files(folder / "root")
        script = shutil.copy(__file__, folder)
        done = subprocess.run(["unshare", "--mount", "--map-root-user", "sh", "-c",
                               f"mount -t tmpfs none \"$1\" && exec xvfb-run -a {sys.executable} '{script}' --inside \"$1\" \"$2\"",
                               "sh", source, folder], cwd="/")
        for picture in folder.glob("*.png"):
            shutil.copy(picture, out)
        sys.exit(done.returncode)


if sys.argv[1] == "--inside":
    inside(pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3]))
else:
    main(pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve())
