#!/usr/bin/env python3
"""Help pages, the version, and lists that other programs read."""

import os
import re

from trial import COMMAND, DEMO, Failure, expect, run_all

COMMANDS = ("run", "eval", "graph", "ops", "pass", "partitioner", "devices", "plugin", "call", "convert")


def overview(trial):
    """`tenon --help` and `tenon help` print every command on standard output."""
    text = trial.good("--help")
    expect(trial.good("help") == text, "help and --help differ")
    expect(trial.good("-h") == text, "-h and --help differ")
    for command in COMMANDS:
        expect(re.search(rf"^  {command} +\S", text, re.M), f"{command} is not in the overview")


def nothing_asked(trial):
    """Without arguments the overview is a complaint."""
    out, errors = trial.tenon(code=2)
    expect(out == "", "something on standard output")
    expect(errors == trial.good("--help"), "the overview is not on standard error")


def version(trial):
    """The version, as other programs read it."""
    expect(re.fullmatch(r"tenon \d+\.\d+\.\d+, contract \d+\.\d+\n", trial.good("--version")),
           "the version has another form")


def every_page(trial):
    """Each command explains its use, its options and the common ones, with examples."""
    for command in COMMANDS:
        text = trial.good(command, "--help")
        expect(text.startswith(f"Usage: tenon {command}"), f"{command}: {text[:60]}")
        for part in ("Examples:\n", f"  tenon {command}", "Options:\n", "--plugin ", "--help"):
            expect(part in text, f"{command} --help lacks '{part}'")


def help_beats_the_rest(trial):
    """--help works among other arguments, and asks for no model."""
    expect(trial.good("run", "no-model", "--repeat", "3", "--help") == trial.good("run", "--help"),
           "another page")
    expect(trial.good("run", "-h") == trial.good("run", "--help"), "-h has another page")


def options_have_words(trial):
    """No line of an options list lacks its explanation."""
    for command in COMMANDS:
        options = trial.good(command, "--help").split("Options:\n")[1]
        for line in options.splitlines():
            expect(re.match(r"  --[a-z-]+( \S+)? +\S.*\S$", line), f"{command}: {line}")


def ops(trial):
    """The operators as text and as JSON are the same."""
    names = [line.split()[0] for line in trial.good("ops").splitlines()]
    listed = trial.json("ops", "--json")
    expect([o["name"] for o in listed] == names, "other names")
    expect(names == sorted(names), "not in order")
    for wanted in ("Convolution", "FullyConnected", "softmax", "elemwise_add"):
        expect(wanted in names, f"no {wanted}")


def one_operator(trial):
    """An operator's description names inputs, attributes and kernels."""
    text = trial.good("ops", "Convolution")
    for part in ("Inputs:", "weight", "num_filter", "must be given", "Kernels:", "for cpu"):
        expect(part in text, f"'{part}' is not in the description")
    described = trial.json("ops", "Convolution", "--json")
    expect(described["inputs"][:2] == ["data", "weight"], "other inputs")
    attributes = {a["name"]: a for a in described["attributes"]}
    expect(attributes["kernel"]["default"] is None, "kernel has a default")
    expect(described["kernels"] >= 1, "no kernel")
    expect(trial.good("ops", "Convolution", "--markdown").startswith("\n## Convolution\n"),
           "no Markdown")


def markdown(trial):
    """The reference has a heading for each operator."""
    text = trial.good("ops", "--markdown")
    names = [o["name"] for o in trial.json("ops", "--json")]
    expect(re.findall(r"^## (.*)$", text, re.M) == names, "other headings")


def unknown_operator(trial):
    trial.refused(1, "no plugin offers an operator Convolutoin", "ops", "Convolutoin")


def devices(trial):
    """The CPU is there, in both forms, and every device with its limits."""
    expect(re.search(r"^cpu:0 ", trial.good("devices"), re.M), "no cpu:0")
    backends = {b["backend"]: b for b in trial.json("devices", "--json")}
    cpu = backends["cpu"]["devices"][0]
    expect(cpu["device"] == "cpu:0" and cpu["memory_total"] > 0, "no memory")
    expect(re.fullmatch(r"[0-9a-f]{32}", cpu["uuid"]), "no UUID")
    expect(cpu["limits"]["has_f64"] is True and cpu["limits"]["timestamp_period"] == 1, "limits")
    for device in backends.get("vulkan", {"devices": []})["devices"]:
        limits = device["limits"]
        expect(device["api_version"].startswith("Vulkan 1."), "no version of Vulkan")
        expect(len(limits["max_workgroup_count"]) == 3, "no workgroups")
        expect(limits["max_binding_size"] >= 1 << 27, "no bindings")
        expect("basic" in limits["subgroup_operations"], "no subgroups")
        expect(isinstance(limits["matrix_shapes"], list), "no matrices")
    trial.refused(1, "no device is of type 'integrated'. There are: 0 '", "run", DEMO, "--device",
                  "cpu:integrated")


def full_disk(trial):
    """Output that cannot be written is a failure, however long it is."""
    if not os.path.exists("/dev/full"):
        raise Failure("no /dev/full")
    for words in (("--help",), ("ops", "--help"), ("devices",), ("ops", "--markdown"),
                  ("ops", "--json"), ("--version",)):
        with open("/dev/full", "wb") as full:
            errors = trial.tenon(*words, code=1, output=full)[1]
        expect("cannot be written" in errors, f"{words}: {errors}")


def other_name(trial):
    """The command works under another name and from another folder."""
    link = trial.path("other")
    os.symlink(COMMAND, link)
    expect(trial.good("--version").startswith("tenon "), "no version")


run_all(overview, nothing_asked, version, every_page, help_beats_the_rest, options_have_words, ops,
        one_operator, markdown, unknown_operator, devices, full_disk, other_name)
