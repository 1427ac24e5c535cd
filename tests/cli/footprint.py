#!/usr/bin/env python3
"""What a run brings into memory: plugins, weights, and what is planned for values in between."""

import os
import re

from trial import DEMO, F32, Skip, expect, npy, run_all, scale_model

MODELS = os.environ.get("TENON_TEST_MODELS", "")
LIGHT = {"bvlc_alexnet": "data_0", "densenet121": "data_0", "inception_v1": "data_0",
         "inception_v2": "data_0", "resnet50": "gpu_0/data_0", "shufflenet": "gpu_0/data_0",
         "squeezenet": "data_0", "vgg19": "data_0", "zfnet512": "gpu_0/data_0"}


def loaded(errors):
    """The plugins that were loaded, of all that were met."""
    return set(re.findall(r"plugin '([\w-]+)' \([^)]*\): loaded$", errors, re.M))


def loads_what_the_graph_needs(trial):
    """A graph of one operator loads the backend and the plugins of the operator."""
    trial.write("m-symbol.json", scale_model())
    trial.write("x.npy", npy(F32, (2, 2), [1, 2, 3, -4]))
    _, errors = trial.tenon("run", "m-symbol.json", "--input", "data=x.npy", "--verbose",
                            "--optimize", "0")
    expect("ops-nn" in errors, "ops-nn was not met at all")
    expect(loaded(errors) == {"cpu", "format-mxnet", "format-npy", "ops-math"},
           f"loaded: {sorted(loaded(errors))}")


def lists_without_loading(trial):
    plugins = trial.json("plugin", "list", "--json")
    expect(plugins and all(plugin["state"] == "waiting" for plugin in plugins), "one was loaded")
    plugins = trial.json("plugin", "list", "--json", "--load")
    expect(all(plugin["state"] == "loaded" for plugin in plugins), "one was not loaded")


def reads_as_it_maps(trial):
    """Weights in the file's memory, and those of a file that is read, are the same weights."""
    trial.write("picture.npy", npy(F32, (1, 1, 28, 28), [i % 7 for i in range(784)]))
    words = ("run", DEMO, "--input", "data=picture.npy", "--json")
    expect(trial.json(*words) == trial.json(*words, "--no-map"), "other numbers")


def plans_little_more_than_is_alive(trial):
    """The arena of each of the nine light models is within a tenth of what no plan can do without."""
    if not os.path.isdir(os.path.join(MODELS, "light")):
        raise Skip("TENON_TEST_MODELS has no folder light")
    units = {"B": 1, "KiB": 2**10, "MiB": 2**20, "GiB": 2**30}
    for name, data in LIGHT.items():
        _, told = trial.tenon("run", os.path.join(MODELS, "light", name, "model.onnx"), "--shape",
                          f"{data}=1,3,224,224", "--explain")
        sizes = re.search(r"intermediate memory ([\d.]+) (\w+) planned, .* shared, ([\d.]+) (\w+) "
                          "the lower bound", told)
        expect(sizes, f"{name}: no line of memory")
        planned = float(sizes[1]) * units[sizes[2]]
        bound = float(sizes[3]) * units[sizes[4]]
        expect(bound > 0 and planned <= 1.1 * bound, f"{name}: {sizes[0]}")


run_all(loads_what_the_graph_needs, lists_without_loading, reads_as_it_maps,
        plans_little_more_than_is_alive)
