#!/usr/bin/env python3
"""tenon plugin list, inspect, why and new; tenon call."""

import os
import re
import shutil

from trial import Skip, expect, run_all

PLUGINS = os.environ["TENON_TEST_PLUGINS"]
MATH = os.path.join(PLUGINS, "ops-math.so")


def lists(trial):
    """Text and JSON name the same plugins; --entries shows what they offer."""
    names = [line.split()[0] for line in trial.good("plugin", "list").splitlines()]
    listed = trial.json("plugin", "list", "--json")
    expect([p["name"] for p in listed] == names and "ops-math" in names, str(names))
    entries = {e["name"]: e for p in listed for e in p["entries"]}
    expect(entries["elemwise_add"]["state"] == "active", str(entries["elemwise_add"]))
    text = trial.good("plugin", "list", "--entries")
    expect(re.search(r"^    op +elemwise_add +version \d+, active$", text, re.M), text[:400])


def searches_only_where_told(trial):
    """Without TENON_PLUGIN_PATH nothing of the build is found; --plugin-path brings it back."""
    out, _ = trial.tenon("plugin", "list", environment={"TENON_PLUGIN_PATH": ""})
    expect(MATH not in out, "found without being told")
    out, _ = trial.tenon("plugin", "list", "--plugin-path", PLUGINS,
                         environment={"TENON_PLUGIN_PATH": ""})
    expect("ops-math" in out, out)
    out, _ = trial.tenon("plugin", "list", "--plugin", MATH, environment={"TENON_PLUGIN_PATH": ""})
    expect("ops-math" in out, out)


def never_the_current_folder(trial):
    shutil.copy(MATH, trial.path("ops-math.so"))
    out, _ = trial.tenon("plugin", "list", environment={"TENON_PLUGIN_PATH": ""})
    expect(trial.folder not in out and "./ops-math" not in out, out)


def inspects(trial):
    text = trial.good("plugin", "inspect", MATH)
    expect(text.startswith("name:      ops-math\n") and "verdict:   would load\n" in text, text)
    told = trial.json("plugin", "inspect", MATH, "--json")
    expect(told["name"] == "ops-math" and told["verdict"] == "OK" and told["reason"] == "",
           str(told))


def takes_the_build_for_the_processor(trial):
    """A file x86-64-v3/NAME.so beside NAME.so is loaded in its place where the processor has AVX2,
    and nothing of it where it has not."""
    with open("/proc/cpuinfo", encoding="ascii", errors="replace") as file:
        flags = next((line.split() for line in file if line.startswith("flags")), [])
    better = os.path.join(PLUGINS, "functions-math.so")
    shutil.copy(MATH, trial.path("plain.so"))
    os.mkdir(trial.path("x86-64-v3"))
    shutil.copy(better, trial.path("x86-64-v3/plain.so"))
    has_v3 = {"avx2", "bmi1", "bmi2", "f16c", "fma", "abm", "movbe"} <= set(flags)
    told = trial.json("plugin", "inspect", trial.path("plain.so"), "--json")
    expect(told["name"] == ("functions-math" if has_v3 else "ops-math"), str(told))
    os.mkdir(trial.path("x86-64-v99"))
    shutil.move(trial.path("x86-64-v3/plain.so"), trial.path("x86-64-v99/plain.so"))
    told = trial.json("plugin", "inspect", trial.path("plain.so"), "--json")
    expect(told["name"] == "ops-math", str(told))


def inspects_what_is_no_plugin(trial):
    """A file that would be refused is exit code 1, with its reason where the verdict stands."""
    trial.write("text.so", "no plugin")
    out, errors = trial.tenon("plugin", "inspect", "text.so", code=1)
    expect("would be refused: " in out and "remedy:" in out and errors == "", out + errors)
    trial.refused(1, "gone.so", "plugin", "inspect", "gone.so")


def tells_why(trial):
    trial.write("text.so", "no plugin")
    text, _ = trial.tenon("plugin", "why", "ops-math")
    expect("loaded" in text and MATH in text, text)
    records = trial.json("plugin", "why", "ops-math", "--json")
    expect(len(records) == 1 and records[0]["path"] == MATH, str(records))
    out, errors = trial.tenon("plugin", "why", "nothing", code=1)
    expect("no candidate of the name nothing" in errors, errors)


def everything_that_was_met(trial):
    names = {r["name"] for r in trial.json("plugin", "why", "--json")}
    expect({"ops-math", "ops-nn", "ops-shape"} <= names, str(names))


def refuses_what_the_user_named(trial):
    """A plugin that was asked for by name and cannot be had is a failure."""
    trial.write("text.so", "no plugin")
    trial.refused(1, "text.so", "ops", "--plugin", "text.so")
    trial.refused(1, "gone.so", "ops", "--plugin", "gone.so")


def refuses_what_others_can_write(trial):
    shutil.copy(MATH, trial.path("open.so"))
    os.chmod(trial.path("open.so"), 0o666)
    trial.refused(1, "open.so", "plugin", "list", "--plugin", "./open.so")
    out, _ = trial.tenon("plugin", "list", "--plugin", "./open.so", "--allow-writable",
                         environment={"TENON_PLUGIN_PATH": ""})
    expect("ops-math" in out, out)


def writes_a_new_one(trial):
    """A template with the name filled in, never over a file that is there."""
    out = trial.good("plugin", "new", "operator", "halve")
    expect("halve.c" in out, out)
    with open(trial.path("halve.c"), encoding="utf-8") as file:
        text = file.read()
    expect("halve" in text and "@NAME@" not in text, "the template is not filled in")
    trial.refused(1, "halve.c", "plugin", "new", "operator", "halve")
    with open(trial.path("halve.c"), encoding="utf-8") as file:
        expect(file.read() == text, "the file was written over")


def refuses_names_that_are_none(trial):
    for name in ("9lives", "a-b", "a b", "../x", "", "a" * 64):
        trial.refused(2, "C identifier", "plugin", "new", "operator", name)
    trial.refused(2, "C identifier", "plugin", "new", "operator")
    trial.refused(1, "no template", "plugin", "new", "sandwich", "club")
    trial.refused(1, "no template", "plugin", "new", "../operator", "club")
    expect(os.listdir(trial.folder) == [], "something was written")


def has_function(trial, name):
    offered = [e["name"] for p in trial.json("plugin", "list", "--json") for e in p["entries"]
               if e["kind"] == "function"]
    if name not in offered:
        raise Skip(f"no plugin offers the function {name}")


def calls(trial):
    """A function of a plugin by name; what begins with one hyphen is a number."""
    trial.refused(1, "no_such_function", "call", "no_such_function", "1")
    has_function(trial, "hypot")
    expect(trial.good("call", "hypot", "3", "4") == "5\n", "hypot 3 4")
    expect(trial.good("call", "hypot", "-3", "4e0") == "5\n", "hypot -3 4e0")
    expect(trial.good("call", "hypot", "--", "-3", "4") == "5\n", "hypot -- -3 4")
    expect(trial.good("call", "hypot", "inf", "1") == "inf\n", "hypot inf 1")


def calls_that_do_not_fit(trial):
    """The signature is shown."""
    has_function(trial, "hypot")
    trial.refused(1, "f64(f64,f64) takes 2", "call", "hypot", "3")
    trial.refused(1, "f64(f64,f64) takes 2", "call", "hypot", "3", "4", "5")
    trial.refused(1, "f64(f64,f64) takes 2", "call", "hypot")
    for value in ("x", "", "3x", "0x10", "1,5"):
        trial.refused(1, "argument 2", "call", "hypot", "3", value)


run_all(lists, searches_only_where_told, never_the_current_folder, inspects,
        takes_the_build_for_the_processor,
        inspects_what_is_no_plugin, tells_why, everything_that_was_met, refuses_what_the_user_named,
        refuses_what_others_can_write, writes_a_new_one, refuses_names_that_are_none, calls,
        calls_that_do_not_fit)
