#!/usr/bin/env python3
"""Command lines and files that are wrong: exit code 2 for the one, 1 for the other, one complaint
on standard error that says what was expected, nothing on standard output."""

from trial import DEMO, F32, npy, run_all, scale_model


def unknown_commands(trial):
    trial.refused(2, "there is no command walk", "walk")
    trial.refused(2, "there is no command", "--walk")
    trial.refused(2, "there is no command", "")


def unknown_options(trial):
    for command in ("run", "eval", "graph", "ops", "pass", "partitioner", "devices", "plugin", "call", "convert"):
        trial.refused(2, "option --nonsense is not known", command, "--nonsense")
        trial.refused(2, f"tenon {command} --help", command, "--nonsense=1")
    trial.refused(2, "option --jso is not known", "ops", "--jso")


def options_without_their_value(trial):
    trial.refused(2, "--device must be followed by DEVICE", "run", DEMO, "--device")
    trial.refused(2, "--json takes no value", "ops", "--json=yes")


def words_missing_or_too_many(trial):
    trial.refused(2, "expected one model", "run")
    trial.refused(2, "expected one model", "run", DEMO, DEMO)
    trial.refused(2, "--data", "eval", DEMO)
    trial.refused(2, "expected one model", "graph")
    trial.refused(2, "at most one operator", "ops", "relu", "tanh")
    trial.refused(2, "no arguments", "devices", "cpu")
    trial.refused(2, "expected list", "plugin")
    trial.refused(2, "expected list", "plugin", "dance")
    trial.refused(2, "expected list", "plugin", "inspect")
    trial.refused(2, "expected a function", "call")
    trial.refused(2, "expected two files", "convert", DEMO)


def numbers_out_of_range(trial):
    for value in ("0", "-1", "x", "", "1x", "1000001", "99999999999999999999", " 3", "+3"):
        trial.refused(2, "expected a number from 1 to", "run", DEMO, "--repeat", value)
    for value in ("0", "two", "1025"):
        trial.refused(2, "expected a number from 1 to", "ops", "--threads", value)


def missing_model(trial):
    for words in (("run",), ("graph",), ("eval", "--data", "idx:images=a,labels=b")):
        trial.refused(1, "gone-symbol.json", *words, "gone-symbol.json")
    trial.refused(1, "No such file", "convert", "gone.json", "new.json")


def models_that_are_none(trial):
    trial.write("empty.json", b"")
    trial.write("noise.json", bytes(range(256)))
    trial.write("open-symbol.json", '{"nodes": [{"op": "null", "inputs": [')
    trial.write("unknown-symbol.json", scale_model().replace("_mul_scalar", "_no_such_operator"))
    for name in ("empty.json", "noise.json", "open-symbol.json", "."):
        trial.refused(1, name, "graph", name)
    trial.refused(1, "_no_such_operator", "run", "unknown-symbol.json", "--shape", "data=1")


def wrong_attribute(trial):
    trial.write("bad-symbol.json", scale_model("much"))
    for part in ("scale", "scalar=much: expected a number"):
        trial.refused(1, part, "run", "bad-symbol.json", "--shape", "data=1")


def wrong_input_names(trial):
    trial.write("x.npy", npy(F32, (1,), [1]))
    trial.write("m-symbol.json", scale_model())
    trial.refused(2, "no input picture; it has data", "run", "m-symbol.json", "--input",
                  "picture=x.npy")
    trial.refused(2, "input data is missing", "run", "m-symbol.json")
    trial.refused(2, "expected NAME=", "run", "m-symbol.json", "--input", "x.npy")
    trial.refused(2, "expected NAME=", "run", "m-symbol.json", "--input", "=x.npy")
    trial.refused(2, "no output score; it has scale_output", "run", "m-symbol.json", "--input",
                  "data=x.npy", "--output", "score=y.npy")


def malformed_shapes(trial):
    trial.write("m-symbol.json", scale_model())
    for shape in ("x", "1,x", "1x3", "-1", "1,-3", "1,,3", ",1", "1 3", "1+3", "(1,3", "1,3)x",
                  "1.5", "99999999999999999999", ",".join("1" * 33)):
        trial.refused(2, "--shape", "run", "m-symbol.json", "--shape", "data=" + shape)
        trial.refused(2, "--shape", "graph", "m-symbol.json", "--shape", "data=" + shape)
    trial.refused(2, "--shape data", "run", "m-symbol.json", "--shape", "data")
    trial.refused(2, "--shape data", "graph", "m-symbol.json", "--shape", "data")


def shapes_larger_than_memory(trial):
    trial.write("m-symbol.json", scale_model())
    for shape in ("9223372036854775807", "4294967296,4294967296"):
        trial.refused(1, "larger than any memory", "run", "m-symbol.json", "--shape",
                      "data=" + shape)


def shapes_that_do_not_fit_the_model(trial):
    trial.refused(1, "conv1", "run", DEMO, "--shape", "data=1,3,28,28")
    trial.refused(1, "conv1", "graph", DEMO, "--shape", "data=1,3,28,28")
    trial.refused(1, "picture", "graph", DEMO, "--shape", "picture=1,1,28,28")


def inputs_that_cannot_be_read(trial):
    trial.write("m-symbol.json", scale_model())
    trial.write("cut.npy", npy(F32, (4,), [1, 2, 3, 4])[:-1])
    trial.write("noise.npy", b"no array at all")
    for name in ("gone.npy", "cut.npy", "noise.npy"):
        trial.refused(1, name, "run", "m-symbol.json", "--input", "data=" + name)


def outputs_that_cannot_be_written(trial):
    trial.write("m-symbol.json", scale_model())
    for name in ("no/folder.npy", "picture.gif"):
        trial.refused(1, name, "run", "m-symbol.json", "--shape", "data=1", "--output",
                      "scale_output=" + name)
    trial.refused(1, "no/copy.json", "convert", "m-symbol.json", "no/copy.json")


def unknown_device_or_format(trial):
    trial.write("m-symbol.json", scale_model())
    run = ("run", "m-symbol.json", "--shape", "data=1")
    trial.refused(1, "abacus", *run, "--device", "abacus")
    trial.refused(1, "cpu:77", *run, "--device", "cpu:77")
    trial.refused(1, "no plugin offers the format scroll", *run, "--format", "scroll")
    trial.refused(2, "expected NAME=VALUE", *run, "--format-option", "epoch")
    trial.refused(1, "attribute ink", *run, "--format-option", "ink=blue")
    trial.refused(1, "epoch=x", *run, "--format-option", "epoch=x")


def data_sets(trial):
    trial.refused(1, "no loaded plugin offers", "eval", DEMO, "--data", "scrolls:path=x")
    trial.refused(1, "gone", "eval", DEMO, "--data", "idx:images=gone,labels=gone")
    trial.refused(1, "attribute ink", "eval", DEMO, "--data", "idx:ink=blue")
    trial.refused(2, "expected a number", "eval", DEMO, "--data", "idx:images=a,labels=b",
                  "--batch", "none")


run_all(unknown_commands, unknown_options, options_without_their_value, words_missing_or_too_many,
        numbers_out_of_range, missing_model, models_that_are_none, wrong_attribute,
        wrong_input_names, malformed_shapes, shapes_larger_than_memory,
        shapes_that_do_not_fit_the_model, inputs_that_cannot_be_read,
        outputs_that_cannot_be_written, unknown_device_or_format, data_sets)
