#!/usr/bin/env python3
"""The demo network and a small model, run, evaluated, looked at and converted."""

import gzip
import json
import os
import re

from trial import DEMO, F32, Skip, expect, idx, npy, run_all, scale_model

FASHION = "/usr/share/datasets/fashion-mnist"
CLASSES = os.path.join(os.path.dirname(DEMO), "classes.txt")


def picture(number):
    """784 bytes that look like nothing, the same each time."""
    return [(number * 7919 + i * i * 31 + i // 28 * 17) % 256 for i in range(784)]


def pictures(trial, count):
    """The description of a data set with so many pictures, one file of it compressed."""
    trial.write("images.gz", gzip.compress(idx((count, 28, 28), [b for n in range(count)
                                                               for b in picture(n)])))
    trial.write("labels", idx((count,), [n % 10 for n in range(count)]))
    return f"idx:images=images.gz,labels=labels,class_names={CLASSES}"


def scores_of(trial, model, *more):
    trial.write("pictures.npy", npy(F32, (2, 1, 28, 28), picture(1) + picture(2)))
    return trial.json("run", model, "--input", "data=pictures.npy", "--json", *more)["outputs"]


def runs(trial):
    """The demo network gives two rows of ten probabilities."""
    output, = scores_of(trial, DEMO)
    expect(output["shape"] == [2, 10] and output["dtype"] == "float32", str(output)[:200])
    for row in (output["data"][:10], output["data"][10:]):
        expect(abs(sum(row) - 1) < 1e-4 and min(row) >= 0, f"no probabilities: {row}")


def runs_the_same_on_any_number_of_threads(trial):
    one, two = scores_of(trial, DEMO, "--threads", "1"), scores_of(trial, DEMO, "--threads", "3")
    for left, right in zip(one[0]["data"], two[0]["data"]):
        expect(abs(left - right) < 1e-5, f"{left} and {right}")


def prints_a_line_an_output(trial):
    trial.write("m-symbol.json", scale_model())
    trial.write("x.npy", npy(F32, (2, 2), [1, 2, 3, -4]))
    expect(trial.good("run", "m-symbol.json", "--input", "data=x.npy") ==
           "scale_output: float32 (2,2) [2, 4, 6, -8]\n", "another line")
    expect(trial.good("run", "m-symbol.json", "--shape", "data=0") ==
           "scale_output: float32 (0) []\n", "an empty output has another line")
    for shape in ("2,2", "(2,2)", "[2,2]"):
        expect(trial.good("run", "m-symbol.json", "--shape", "data=" + shape) ==
               "scale_output: float32 (2,2) [0, 0, 0, 0]\n", shape)


def profiles_as_a_trace(trial):
    """A Chrome trace has an event for each step of each run, none before the one it depends on."""
    trial.tenon("run", DEMO, "--shape", "data=2,1,28,28", "--repeat", "3", "--profile",
                "trace.json")
    with open(trial.path("trace.json"), encoding="utf-8") as file:
        events = json.load(file)["traceEvents"]
    runs = {}
    for event in events:
        expect(event["ph"] == "X" and event["dur"] >= 0, f"no complete event: {event}")
        runs.setdefault(event["args"]["run"], []).append(event)
    expect(sorted(runs) == [0, 1, 2], f"runs {sorted(runs)}")
    names = [[event["name"] for event in run] for run in runs.values()]
    expect(names[0] == names[1] == names[2] and len(names[0]) > 5, f"steps differ: {names}")
    for run in runs.values():
        for before, after in zip(run, run[1:]):
            expect(after["ts"] >= before["ts"], f"{after['name']} begins before {before['name']}")


def profiles_as_a_page(trial):
    """The page stands alone and names operators and nodes."""
    trial.tenon("run", DEMO, "--shape", "data=2,1,28,28", "--repeat", "2", "--optimize", "0", "--profile", "page.html")
    with open(trial.path("page.html"), encoding="utf-8") as file:
        page = file.read()
    for part in ("<svg", "By operator", "The slowest nodes", "Convolution", "2 runs of"):
        expect(part in page, f"'{part}' is not on the page")
    expect("http" not in page and "<script" not in page, "the page needs something else")


def tunes_once(trial):
    """What was measured is kept in a file, and says why a kernel was chosen."""
    words = ("run", DEMO, "--shape", "data=1,1,28,28", "--tune", "kept", "--explain")
    _, first = trial.tenon(*words)
    with open(trial.path("kept"), encoding="utf-8") as file:
        kept = file.read()
    expect(kept.startswith("tenon tuning 1\n"), kept[:200])
    _, second = trial.tenon(*words)
    measured = re.findall(r"measured: .*", first)
    expect(measured == re.findall(r"measured: .*", second), second)
    expect(len(measured) > 0 or kept.count("\n") == 1, first)
    trial.write("kept", b"something else\n")
    trial.refused(1, "line 1: expected", *words)


def profile_wants_a_known_ending(trial):
    """How a profile is written follows from its name."""
    trial.write("pictures.npy", npy(F32, (1, 1, 28, 28), picture(1)))
    trial.refused(2, "expected FILE.json", "run", DEMO, "--input", "data=pictures.npy",
                  "--profile", "x.txt")


def explains_and_times_on_standard_error(trial):
    """Data stays on standard output, and parses, whatever else is asked for."""
    out, errors = trial.tenon("run", DEMO, "--shape", "data=1,1,28,28", "--json", "--repeat", "3",
                              "--explain", "--optimize", "0")
    expect(json.loads(out)["outputs"][0]["shape"] == [1, 10], "another output")
    expect(re.search(r"minimum [\d.]+, median [\d.]+, maximum [\d.]+ ms over 2 runs", errors),
           errors)
    for part in ("conv1", "Convolution", "instructions", "intermediate memory", " in place of "):
        expect(part in errors, f"'{part}' is not explained")


def graph_table(trial):
    """The table knows shapes and counts the parameters, as the files hold them."""
    text = trial.good("graph", DEMO, "--shape", "data=5,1,28,28")
    expect(re.search(r"^conv1 +Convolution +216  float32 \(5,24,28,28\)$", text, re.M), text)
    total = int(re.search(r"^parameters: (\d+)$", text, re.M).group(1))
    size = os.path.getsize(DEMO.replace("-symbol.json", "-0000.params"))
    expect(abs(size - 4 * total) < 4000, f"{total} parameters in {size} bytes")


def graph_without_shapes(trial):
    """What is not known is shown as such."""
    expect("?" in trial.good("graph", DEMO), "everything is known")


def graph_as_json_and_dot(trial):
    graph = trial.json("graph", DEMO, "--json")
    expect(graph["tenon"] == 1 and len(graph["nodes"]) > 20, str(graph)[:100])
    dot = trial.good("graph", DEMO, "--dot", "--shape", "data=1,1,28,28")
    expect(dot.startswith("digraph model {") and dot.endswith("}\n"), dot[:100])
    expect(dot.count("{") == dot.count("}"), "braces")


def graph_as_picture(trial):
    """--svg draws with Graphviz, and says what it needs when there is none."""
    trial.refused(1, "Graphviz", "graph", DEMO, "--svg", "m.svg", environment={"PATH": "/none"})
    try:
        trial.tenon("graph", DEMO, "--svg", "m.svg")
    except Exception as why:
        if not any(os.path.exists(os.path.join(folder, "dot"))
                   for folder in os.environ["PATH"].split(os.pathsep)):
            raise Skip("Graphviz is not installed") from why
        raise
    with open(trial.path("m.svg"), encoding="utf-8") as file:
        expect("</svg>" in file.read(), "no picture")


def eval_counts(trial):
    """The report, its JSON and the contact sheet agree with the data set."""
    data = pictures(trial, 25)
    report = trial.json("eval", DEMO, "--data", data, "--batch", "10", "--json")
    expect(report["samples"] == 25 and report["batch"] == 10, str(report))
    expect(sum(c["samples"] for c in report["classes"]) == 25, "other samples by class")
    expect(sum(c["right"] for c in report["classes"]) == report["right"], "other sums")
    expect(report["classes"][9]["name"] == "Ankle boot", report["classes"][9]["name"])
    text = trial.good("eval", DEMO, "--data", data, "--contact-sheet", "sheet.png")
    expect(f"{report['right']} of 25 right on cpu:0" in text, text)
    expect("sheet.png" in text, text)
    with open(trial.path("sheet.png"), "rb") as file:
        expect(file.read(8) == b"\x89PNG\r\n\x1a\n", "no picture")


def eval_limit(trial):
    data = pictures(trial, 25)
    for limit, samples in (("3", 3), ("1000", 25)):
        report = trial.json("eval", DEMO, "--data", data, "--limit", limit, "--json")
        expect(report["samples"] == samples, str(report))


def eval_of_nothing(trial):
    """A data set without samples is reported on, in JSON that parses."""
    report = trial.json("eval", DEMO, "--data", pictures(trial, 0), "--json")
    expect(report["samples"] == 0 and report["accuracy"] == 0, str(report))


def eval_of_the_real_pictures(trial):
    images = os.path.join(FASHION, "t10k-images-idx3-ubyte.gz")
    if not os.path.exists(images):
        raise Skip("dataset-fashion-mnist is not installed")
    labels = images.replace("images-idx3", "labels-idx1")
    report = trial.json("eval", DEMO, "--data", f"idx:images={images},labels={labels}", "--limit",
                        "300", "--json")
    expect(report["accuracy"] > 0.85, f"accuracy {report['accuracy']}")


def converts_to_json_and_back(trial):
    """Tenon's JSON and MXNet's symbol give the same outputs, to the last bit."""
    expected = scores_of(trial, DEMO)
    trial.good("convert", DEMO, "demo.json")
    expect(sorted(os.listdir(trial.folder)) == ["demo.json", "demo.npz", "pictures.npy"],
           str(os.listdir(trial.folder)))
    expect(scores_of(trial, "demo.json") == expected, "demo.json gives other outputs")
    trial.good("convert", "demo.json", "copy-symbol.json")
    expect(os.path.exists(trial.path("copy-0000.params")), "no parameters beside the symbol")
    expect(scores_of(trial, "copy-symbol.json") == expected, "the copy gives other outputs")
    trial.good("convert", "copy-symbol.json", "again.json")
    with open(trial.path("demo.json"), encoding="utf-8") as one, \
            open(trial.path("again.json"), encoding="utf-8") as two:
        expect(one.read().replace("demo.npz", "") == two.read().replace("again.npz", ""),
               "the model changed on its way")


def converted_models_are_whole(trial):
    """`graph` says the same of a model and of its conversion."""
    trial.good("convert", DEMO, "demo.json")
    shape = ("--shape", "data=1,1,28,28")
    expect(trial.good("graph", "demo.json", *shape) == trial.good("graph", DEMO, *shape),
           "another graph")


def parameters_that_are_gone(trial):
    """A model without its parameters asks for them as for any input."""
    trial.good("convert", DEMO, "demo.json")
    os.unlink(trial.path("demo.npz"))
    trial.refused(1, "demo.npz", "run", "demo.json", "--shape", "data=1,1,28,28")


run_all(runs, runs_the_same_on_any_number_of_threads, prints_a_line_an_output,
        explains_and_times_on_standard_error, profiles_as_a_trace, profiles_as_a_page,
        profile_wants_a_known_ending, tunes_once, graph_table, graph_without_shapes,
        graph_as_json_and_dot, graph_as_picture, eval_counts, eval_limit, eval_of_nothing,
        eval_of_the_real_pictures, converts_to_json_and_back, converted_models_are_whole,
        parameters_that_are_gone)
