#!/usr/bin/env python3
"""What a user has after `meson install`, tried as a user would, outside the source tree.

    installed.py BUILD PREFIX LIBDIR C-COMPILER…

Installs into a folder of its own, and reports each thing tried as a test of its own (TAP).
"""

import glob
import os
import subprocess
import sys
import tempfile

SOURCE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


class Failure(Exception):
    pass


class Skip(Exception):
    pass


class Installed:
    """An installed copy, and how to reach into it."""

    def __init__(self, build, prefix, libdir, compiler, folder):
        self.build, self.compiler, self.folder = build, compiler, folder
        self.root = os.path.join(folder, "root")
        self.prefix = self.root + prefix
        self.libdir = os.path.join(self.prefix, libdir)
        self.plugins = os.path.join(self.libdir, "tenon", "plugins")
        self.tenon = os.path.join(self.prefix, "bin", "tenon")
        self.environment = {
            **os.environ,
            "TENON_PLUGIN_PATH": self.plugins,
            "TENON_TEMPLATE_PATH": os.path.join(self.prefix, "share", "tenon", "templates"),
            "LD_LIBRARY_PATH": self.libdir,
            "PKG_CONFIG_PATH": os.path.join(self.libdir, "pkgconfig"),
            "PKG_CONFIG_SYSROOT_DIR": self.root,
        }

    def run(self, *command, where=None):
        """What the command printed; a Failure when its exit code is not 0."""
        result = subprocess.run(command, cwd=where or self.folder, env=self.environment,
                                stdin=subprocess.DEVNULL, capture_output=True, text=True,
                                check=False)
        if result.returncode != 0:
            raise Failure(f"{' '.join(command)}: exit code {result.returncode}\n{result.stderr}")
        return result.stdout

    def install(self):
        self.run("meson", "install", "-C", self.build, "--no-rebuild", "--quiet", "--destdir",
                 self.root)


def installed_files(copy):
    """The library, the command, headers, plugins and the manual page are where they belong."""
    wanted = [
        os.path.join(copy.libdir, "libtenon.so"),
        os.path.join(copy.libdir, "libtenon.so.0"),
        copy.tenon,
        os.path.join(copy.prefix, "share", "man", "man1", "tenon.1"),
    ]
    for folder in ("plugin-sdk/include", "host/include"):
        for header in glob.glob(os.path.join(SOURCE, folder, "tenon", "**", "*.h"), recursive=True):
            name = os.path.relpath(header, os.path.join(SOURCE, folder))
            wanted.append(os.path.join(copy.prefix, "include", name))
    for folder in ("plugins", "backends"):
        for plugin in glob.glob(os.path.join(copy.build, folder, "*.so")):
            wanted.append(os.path.join(copy.plugins, os.path.basename(plugin)))
    missing = [path for path in wanted if not os.path.exists(path)]
    if missing:
        raise Failure("\n".join(f"{path} is missing" for path in missing))


def pkg_config(copy):
    """pkg-config knows both halves: plugins have nothing to link, and both say where plugins go."""
    if "-ltenon" not in copy.run("pkg-config", "--libs", "tenon").split():
        raise Failure("tenon: no -ltenon")
    if copy.run("pkg-config", "--libs", "tenon-plugin").strip():
        raise Failure("tenon-plugin: something to link")
    for name in ("tenon", "tenon-plugin"):
        where = copy.run("pkg-config", "--variable=plugindir", name).strip()
        if not (copy.plugins.endswith(where) or where == copy.plugins):
            raise Failure(f"{name}: plugindir is {where}")


def command_runs(copy):
    """The command finds its library beside itself."""
    del copy.environment["LD_LIBRARY_PATH"]
    try:
        copy.run(copy.tenon, "--version")
    finally:
        copy.environment["LD_LIBRARY_PATH"] = copy.libdir


def host_examples(copy):
    """Each host program in docs/examples builds with pkg-config alone, and runs."""
    programs = sorted(glob.glob(os.path.join(SOURCE, "docs", "examples", "*.c")))
    if not programs:
        raise Skip("docs/examples has no program")
    flags = copy.run("pkg-config", "--cflags", "--libs", "tenon").split()
    for source in programs:
        program = os.path.join(copy.folder, os.path.basename(source)[:-2])
        copy.run(*copy.compiler, "-std=c11", "-Wall", "-Wextra", "-Werror", source, "-o", program,
                 *flags)
        copy.run(program)


def write_plugin(copy, kind, name):
    """Has the command write a plugin, and builds it with one line that links nothing."""
    copy.run(copy.tenon, "plugin", "new", kind, name)
    flags = copy.run("pkg-config", "--cflags", "tenon-plugin").split()
    copy.run(*copy.compiler, "-shared", "-fPIC", "-Wall", "-Wextra", "-Werror", *flags,
             name + ".c", "-o", name + ".so")


MODEL = """{"nodes": [{"op": "null", "name": "data", "inputs": []},
 {"op": "trial", "name": "trial0", "inputs": [[0, 0, 0]]}],
 "arg_nodes": [0], "heads": [[1, 0, 0]]}"""


def new_operator(copy):
    """A new operator runs in a graph as it was written."""
    write_plugin(copy, "operator", "trial")
    with open(os.path.join(copy.folder, "trial-symbol.json"), "w", encoding="utf-8") as file:
        file.write(MODEL)
    copy.run(copy.tenon, "run", "trial-symbol.json", "--shape", "data=2,3",
             "--plugin", "./trial.so")


def new_plugins(copy):
    """Every kind of plugin that the command can start builds as it was written, and would load."""
    for template in sorted(glob.glob(os.path.join(SOURCE, "plugin-sdk", "templates", "*.c"))):
        kind = os.path.basename(template)[:-2]
        write_plugin(copy, kind, "trial_" + kind)
        copy.run(copy.tenon, "plugin", "inspect", f"trial_{kind}.so")


TRIED = (installed_files, pkg_config, command_runs, host_examples, new_operator, new_plugins)


def main():
    build, prefix, libdir, *compiler = sys.argv[1:]
    print(f"1..{len(TRIED)}")
    with tempfile.TemporaryDirectory(prefix="tenon-install-") as folder:
        copy = Installed(build, prefix, libdir, compiler, folder)
        copy.install()
        for tried in TRIED:
            try:
                tried(copy)
                print(f"ok - {tried.__name__}")
            except Skip as why:
                print(f"ok - {tried.__name__} # SKIP {why}")
            except Failure as why:
                print(f"not ok - {tried.__name__}")
                print("\n".join("  " + line for line in str(why).splitlines()))


main()
