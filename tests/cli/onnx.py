#!/usr/bin/env python3
"""ONNX models as the command reads and runs them, and what it says of those that are wrong."""

import os
import struct
import subprocess
import sys

from trial import DEMO, F32, I64, SOURCE, Skip, expect, npy, run_all

sys.path.insert(0, os.path.join(SOURCE, "tests", "common"))
from onnx_model import (BOOL, FLOAT, INT64, STRING, attribute, external, field, floats, function,
                        graph, ints, model, node, sequence_info, sparse, tensor, value_info)


def run(trial, data, *more):
    trial.write("m.onnx", data)
    return trial.json("run", "m.onnx", "--json", *more)["outputs"]


def refused(trial, data, part, *more):
    trial.write("m.onnx", data)
    trial.refused(1, part, "run", "m.onnx", "--shape", "x=2", *more)


def add_model(initializer, op="Add", **more):
    return model(graph([node(op, ["x", "w"], ["y"])], [value_info("x", FLOAT, ["n"])],
                       [value_info("y")], [initializer]), **more)


def runs_a_sum(trial):
    """An input whose extent has a name, and an initializer."""
    trial.write("x.npy", npy(F32, (2,), [1, 2]))
    output, = run(trial, add_model(floats("w", [2], 10, 20)), "--input", "x=x.npy")
    expect(output["data"] == [11, 22], str(output))


def initializers_among_inputs_are_constants(trial):
    """Old models name initializers as inputs, too."""
    data = model(graph([node("Add", ["x", "w"], ["y"])], [value_info("x"), value_info("w")],
                       [value_info("y")], [floats("w", [1], 1)]))
    trial.write("x.npy", npy(F32, (2,), [1, 2]))
    output, = run(trial, data, "--input", "x=x.npy")
    expect(output["data"] == [2, 3], str(output))


def typed_elements(trial):
    """Elements in the field of their type: bfloat16 and uint8 in int32_data."""
    bytes_ = field(1, [3]) + field(2, 2) + field(5, [1, 200, 255]) + field(8, "w")
    data = model(graph([node("Identity", ["w"], ["y"])], [], [value_info("y", 2)], [bytes_]))
    output, = run(trial, data)
    expect(output["data"] == [1, 200, 255] and output["dtype"] == "uint8", str(output))


def sparse_tensors(trial):
    """They are read as whole ones, as initializers and as constants."""
    def of(part):
        whole = graph([node("Neg", ["s"], ["y"])], [], [value_info("y")])
        return model(whole + field(15, [part]))
    output, = run(trial, of(sparse("s", [2, 3], [5, 7], [1, 5])))
    expect(output["data"] == [0, -5, 0, 0, 0, -7], str(output))
    output, = run(trial, of(sparse("s", [2, 3], [5, 7], [[1, 0], [0, 2]])))
    expect(output["data"] == [0, 0, -7, -5, 0, 0], str(output))
    for part, expected in ((sparse("s", [2, 3], [5], [6]), "number 0 is beyond the tensor"),
                           (sparse("s", [2, 3], [5], [[0, -1]]), "number 0 is beyond the tensor"),
                           (sparse("s", [2, 3], [5], [[0, 1, 1]]), "or 2 coordinates"),
                           (sparse("s", [1 << 30], [5], [0]), "4096 times the elements"),
                           (sparse("s", [-1], [5], [0]), "negative extent"),
                           (sparse("", [2], [5], [0]), "name: is empty")):
        refused(trial, of(part), expected)
    constant = (field(1, "sparse_value") + field(22, sparse("s", [3], [5], [2])) + field(20, 11))
    nodes = [field(2, ["k"]) + field(4, "Constant") + field(5, [constant]),
             node("Neg", ["k"], ["y"])]
    output, = run(trial, model(graph(nodes, [], [value_info("y")])))
    expect(output["data"] == [0, 0, -5], str(output))


def strings(trial):
    """String tensors are read, moved and printed."""
    words = tensor("w", STRING, [2], ["one", "naïve"])
    data = model(graph([node("Identity", ["w"], ["y"])], [], [value_info("y", STRING)], [words]))
    output, = run(trial, data)
    expect(output["data"] == ["one", "naïve"] and output["dtype"] == "string", str(output))


def shapes_are_folded(trial):
    """Reshape to a shape that is computed from another input's."""
    data = model(graph([node("Shape", ["like"], ["s"]), node("Reshape", ["x", "s"], ["y"])],
                       [value_info("x", FLOAT, ["n"]), value_info("like", FLOAT, ["a", "b"])],
                       [value_info("y")]))
    trial.write("x.npy", npy(F32, (6,), range(6)))
    trial.write("like.npy", npy(F32, (2, 3), [0] * 6))
    output, = run(trial, data, "--input", "x=x.npy", "--input", "like=like.npy")
    expect(output["shape"] == [2, 3], str(output))


def shapes_come_with_the_run(trial):
    """The shape is an input, and what follows is planned for it."""
    data = model(graph([node("Reshape", ["x", "s"], ["r"]), node("Shape", ["r"], ["t"]),
                        node("Reshape", ["x", "t"], ["y"])],
                       [value_info("x"), value_info("s", INT64)], [value_info("y")]))
    trial.write("x.npy", npy(F32, (6,), range(6)))
    trial.write("s.npy", npy(I64, (2,), [3, -1]))
    output, = run(trial, data, "--input", "x=x.npy", "--input", "s=s.npy")
    expect(output["shape"] == [3, 2], str(output))


def numbers_at_random(trial):
    """The same for the same seed, the model's or the user's, and distributed as they should be."""
    def draw(*nodes, inputs=(), options=()):
        output, = run(trial, model(graph([*nodes], [], [value_info("y", 0)], [*inputs])), *options)
        return output["data"]
    normal = draw(node("RandomNormal", [], ["y"], shape=[4000], mean=2.0, scale=3.0, seed=1.0))
    mean = sum(normal) / 4000
    spread = (sum((x - mean) ** 2 for x in normal) / 4000) ** 0.5
    expect(abs(mean - 2) < 0.2 and abs(spread - 3) < 0.2, f"{mean} {spread}")
    uniform = node("RandomUniform", [], ["y"], shape=[50], low=-1.0, high=1.0, seed=5.0)
    first = draw(uniform)
    expect(first == draw(uniform) and min(first) < -0.5 and max(first) > 0.5, str(first))
    expect(min(first) >= -1 and max(first) < 1, str(first))
    unseeded = node("RandomUniform", [], ["y"], shape=[50])
    expect(draw(unseeded) == draw(unseeded), "without a seed")
    expect(draw(unseeded) != draw(unseeded, options=("--seed", "7")), "another seed")
    expect(first == draw(uniform, options=("--seed", "7")), "the model's own seed")
    two = node("Sub", ["u", "v"], ["y"])
    twins = [node("RandomUniform", [], [name], name=name, shape=[50]) for name in "uv"]
    expect(any(x != 0 for x in draw(*twins, two)), "two nodes draw the same")
    drop = draw(node("Constant", [], ["r"], value_float=0.25),
                node("Cast", ["r"], ["t"], to=BOOL),
                node("Dropout", ["ones", "r", "t"], ["y"], seed=1),
                inputs=[floats("ones", [4000], *[1] * 4000)])
    expect(abs(sum(x == 0 for x in drop) - 1000) < 120 and
           all(x == 0 or abs(x - 4 / 3) < 1e-6 for x in drop), "dropped elements")
    chances = floats("p", [4000], *[0.25] * 4000)
    ones = draw(node("Bernoulli", ["p"], ["y"], seed=3.0), inputs=[chances])
    expect(set(ones) == {0, 1} and abs(sum(ones) - 1000) < 120, str(sum(ones)))
    rows = floats("p", [1, 3], 0, 1.0986123, -1e30)
    columns = draw(node("Multinomial", ["p"], ["y"], sample_size=4000, seed=3.0), inputs=[rows])
    expect(set(columns) == {0, 1} and abs(sum(columns) - 3000) < 120, str(sum(columns)))


def operators_on_texts(trial):
    """Joined, split, matched, compared, made numbers, and numbers made texts."""
    def text_run(*nodes, words=("a b", " x ", ""), outputs=("y",), version=20):
        data = model(graph([*nodes], [], [value_info(name) for name in outputs],
                           [tensor("w", STRING, [len(words)], words),
                            tensor("v", STRING, [1], ["!"])]), version=version)
        return [output["data"] for output in run(trial, data)]
    expect(text_run(node("StringConcat", ["w", "v"], ["y"])) == [["a b!", " x !", "!"]], "joined")
    parts, counts = text_run(node("StringSplit", ["w"], ["y", "z"]), outputs=("y", "z"))
    expect(parts == ["a", "b", "x", "", "", ""] and counts == [2, 1, 0], str((parts, counts)))
    parts, counts = text_run(node("StringSplit", ["w"], ["y", "z"], delimiter="-", maxsplit=1),
                             words=("a--b", "-"), outputs=("y", "z"))
    expect(parts == ["a", "-b", "", ""] and counts == [2, 2], str((parts, counts)))
    matches, = text_run(node("RegexFullMatch", ["w"], ["y"], pattern=r"\w+@[a-z\d.]+"),
                        words=("me@x.org", "me@x.org ", "ü@x"))
    expect(matches == [1, 0, 0], str(matches))
    matches, = text_run(node("RegexFullMatch", ["w"], ["y"], pattern="."), words=("ü", "ab"))
    expect(matches == [1, 0], str(matches))
    same, = text_run(node("Equal", ["w", "v"], ["y"]), words=("!", "?"))
    expect(same == [1, 0], str(same))
    numbers, = text_run(node("Cast", ["w"], ["y"], to=1), words=("1e3", "-INF", "2.5"))
    expect(numbers == [1000, "-inf", 2.5], str(numbers))
    again, = text_run(node("Cast", ["w"], ["x"], to=7), node("Cast", ["x"], ["y"], to=8),
                      words=("9007199254740993", "-3.9"))
    expect(again == ["9007199254740993", "-3"], str(again))
    again, = text_run(node("Cast", ["w"], ["x"], to=1), node("Cast", ["x"], ["y"], to=8),
                      words=("0.1", "1e-7", "3", "1e20"))
    expect(again == ["0.1", "1e-07", "3.0", "1e+20"], str(again))


def outputs_have_the_models_names(trial):
    """Not those of the nodes; also where a loop's body has one output twice."""
    data = model(graph([node("Neg", ["x"], ["y"], name="some/node")], [value_info("x")],
                       [value_info("y")]))
    trial.write("x.npy", npy(F32, (2,), [1, 2]))
    output, = run(trial, data, "--input", "x=x.npy", "--output", "y=y.npy")
    expect(output["name"] == "y", str(output))
    expect("outputs: y\n" in trial.good("graph", "m.onnx"), "tenon graph")


def sequences(trial):
    """Made, changed, looked at, taken through a loop, and printed."""
    body = graph([node("SequenceAt", ["s", "i"], ["a"]), node("Mul", ["a", "x"], ["b"]),
                  node("SequenceInsert", ["t", "b"], ["u"]), node("Identity", ["c"], ["d"])],
                 [value_info("i", INT64, []), value_info("c", BOOL, []), sequence_info("t")],
                 [value_info("d", BOOL), sequence_info("u")])
    data = model(graph([node("Shape", ["x"], ["l"]), node("SequenceConstruct", ["x", "w"], ["s"]),
                        node("SequenceLength", ["s"], ["n"]), node("SequenceEmpty", [], ["e"]),
                        node("Loop", ["n", "", "e"], ["v"], body=body),
                        node("SequenceErase", ["v", "m"], ["o"]),
                        node("ConcatFromSequence", ["v"], ["j"], axis=0)],
                       [value_info("x")], [value_info("v"), value_info("o"), value_info("j")],
                       [floats("w", [1], 3), ints("m", -1)]))
    trial.write("x.npy", npy(F32, (2,), [1, 2]))
    all_, fewer, joined = run(trial, data, "--input", "x=x.npy")
    expect([t["data"] for t in all_["data"]] == [[1, 4], [3, 6]], str(all_))
    expect(all_["dtype"] == "sequence" and all_["data"][0]["dtype"] == "float32", str(all_))
    expect([t["data"] for t in fewer["data"]] == [[1, 4]], str(fewer))
    expect(joined["data"] == [1, 4, 3, 6], str(joined))
    text = trial.good("run", "m.onnx", "--input", "x=x.npy")
    expect("[float32 (2) [1, 4], float32 (2) [3, 6]]" in text, text)


def sequences_that_are_wrong(trial):
    """What is asked of a sequence that it does not have, and of a tensor that is none."""
    def with_node(*nodes, elements=(9,)):
        return model(graph([*nodes], [value_info("x")], [value_info("y")],
                           [ints("p", *elements)]))
    one = node("SequenceConstruct", ["x"], ["s"])
    refused(trial, with_node(one, node("SequenceAt", ["s", "p"], ["y"])),
            "no position 9 in a sequence of 1 tensors")
    refused(trial, with_node(node("SequenceAt", ["x", "p"], ["y"])),
            "input 0 is float32, expected a sequence")
    refused(trial, with_node(node("Optional", [], ["s"]), node("OptionalGetElement", ["s"], ["t"]),
                             node("SequenceConstruct", ["t", "x"], ["y"])),
            "the optional value has none")
    refused(trial, with_node(one, node("Neg", ["s"], ["y"])), "no kernel on cpu:0")
    refused(trial, with_node(node("SplitToSequence", ["x", "p"], ["y"]), elements=(1, 2)),
            "part 1 of an axis of 2")


def branch(op, captured):
    return graph([node(op, [captured], ["z"])], [], [value_info("z")])


def branches_capture_values(trial):
    """If with branches of different shapes, which read values from outside, and constants."""
    wide = graph([node("Add", ["x", "w"], ["z"])], [], [value_info("z")])
    data = model(graph([node("If", ["c"], ["a"], then_branch=branch("Neg", "x"), else_branch=wide),
                        node("Neg", ["a"], ["y"])],
                       [value_info("c", BOOL, []), value_info("x")], [value_info("y")],
                       [floats("w", [2, 1], 1, 2)]))
    trial.write("x.npy", npy(F32, (2,), [5, 6]))
    for condition, shape, numbers in ((1, [2], [5, 6]), (0, [2, 2], [-6, -7, -7, -8])):
        trial.write("c.npy", npy(("|b1", "B"), (), [condition]))
        output, = run(trial, data, "--input", "x=x.npy", "--input", "c=c.npy")
        expect(output["shape"] == shape and output["data"] == numbers, str(output))


def loop_body(op):
    return graph([node(op, ["v", "x"], ["w"]), node("Identity", ["c"], ["d"])],
                 [value_info("i", INT64, []), value_info("c", BOOL, []), value_info("v")],
                 [value_info("d", BOOL), value_info("w"), value_info("w")])


def loops_stack_what_each_turn_makes(trial):
    """A loop with a state, a captured value and a scan output; and one without any turn."""
    for turns, last, stacked in ((3, [3, 6], [1, 2, 2, 4, 3, 6]), (0, [0, 0], [])):
        data = model(graph([node("Loop", ["m", "", "zero"], ["last", "all"],
                                 body=loop_body("Add"))],
                           [value_info("x", FLOAT, [2])], [value_info("last"), value_info("all")],
                           [tensor("m", INT64, [], struct.pack("<q", turns)),
                            floats("zero", [2], 0, 0)]))
        trial.write("x.npy", npy(F32, (2,), [1, 2]))
        got, every = run(trial, data, "--input", "x=x.npy")
        expect(got["data"] == last, str(got))
        expect(every["shape"] == [turns, 2] and every["data"] == stacked, str(every))


def functions_are_inlined(trial):
    """A function with an attribute that its body refers to, and one that calls another."""
    inner = function("f", "Part", ["a"], ["b"],
                     [field(1, ["a"]) + field(2, ["b"]) + field(4, "Shape") +
                      field(5, attribute("start", None, "from"))], ["from"])
    outer = function("f", "Whole", ["p"], ["q"],
                     [node("Part", ["p"], ["q"], domain="f", **{"from": 1})])
    data = model(graph([node("Whole", ["x"], ["y"], domain="f")], [value_info("x")],
                       [value_info("y", INT64)]), domains=["f"], functions=[inner, outer])
    trial.write("x.npy", npy(F32, (2, 3), range(6)))
    output, = run(trial, data, "--input", "x=x.npy")
    expect(output["data"] == [3], str(output))


def functions_that_call_themselves(trial):
    """… are refused, not followed."""
    endless = function("f", "F", ["p"], ["q"], [node("F", ["p"], ["q"], domain="f")])
    refused(trial, model(graph([node("F", ["x"], ["y"], domain="f")], [value_info("x")],
                               [value_info("y")]), domains=["f"], functions=[endless]),
            "call each other more than")


def custom_domains_are_operators(trial):
    """An operator of a custom domain is the one that a plugin offers as DOMAIN.NAME."""
    refused(trial, model(graph([node("Foo", ["x"], ["y"], domain="com.example")],
                               [value_info("x")], [value_info("y")]), domains=["com.example"]),
            "no plugin offers the operator com.example.Foo")


def domains_that_are_refused(trial):
    """Classical machine learning and training are refused by name."""
    for domain in ("ai.onnx.ml", "ai.onnx.preview.training"):
        refused(trial, model(graph([node("Scaler", ["x"], ["y"], domain=domain)],
                                   [value_info("x")], [value_info("y")]), domains=[domain]),
                f"operators of the domain {domain} are not offered")


def versions(trial):
    """Old IR versions, operator sets that are not known yet, and domains that are not imported."""
    refused(trial, add_model(floats("w", [1], 1), ir=2), "ir_version: 2, expected 3 or higher")
    refused(trial, add_model(floats("w", [1], 1), version=28), "operator sets up to 27 are known")
    refused(trial, model(graph([node("Foo", ["x"], ["y"], domain="other")], [value_info("x")],
                               [value_info("y")])), "opset_import does not name its domain 'other'")


def faults_are_named_by_their_field(trial):
    """Each message begins with the path of the field."""
    refused(trial, add_model(floats("w", [3], 1)),
            "graph.initializer[0].raw_data: 1 elements, but the shape asks for 3")
    refused(trial, add_model(floats("w", [-3], 1)), "graph.initializer[0].dims[0]: extent -3")
    refused(trial, add_model(tensor("w", 99, [1], b"")), "graph.initializer[0].data_type: ")
    refused(trial, add_model(floats("v", [1], 1)), "graph.node[0].input[1]: no input")
    refused(trial, add_model(floats("w", [1], 1), op="Frob"), "graph.node[0]: Frob 'y'")
    one = node("Constant", [], ["y"], value_int="one")
    refused(trial, model(graph([one], [value_info("x")], [value_info("y")])),
            "graph.node[0].attribute[0]: 'value_int' of Constant 'y' is STRING, expected INT")
    shape = node("Shape", ["x"], ["y"], start="one")
    refused(trial, model(graph([shape], [value_info("x")], [value_info("y")])),
            "attribute start=one: expected an integer")
    extra = node("Neg", ["x"], ["y"], speed=3)
    refused(trial, model(graph([extra], [value_info("x")], [value_info("y")])), "speed")
    inside = graph([node("Neg", ["nowhere"], ["z"])], [], [value_info("z")])
    data = node("If", ["x"], ["y"], then_branch=inside, else_branch=inside)
    refused(trial, model(graph([data], [value_info("x", BOOL)], [value_info("y")])), "'nowhere'")


def broken_files(trial):
    """What is no protocol buffer, is cut short, or is nested without an end."""
    whole = add_model(floats("w", [1], 1))
    refused(trial, whole[:-3], "cut short", "--format", "onnx")
    refused(trial, b"\xff" * 40, "no protocol buffer", "--format", "onnx")
    deep = graph([])
    for _ in range(200):
        deep = graph([node("If", ["x"], ["y"], then_branch=deep)])
    refused(trial, model(deep), "nested more than")


def external_data(trial):
    """Elements from a file beside the model, at an offset."""
    trial.write("w.bin", struct.pack("<4f", 9, 9, 10, 20))
    trial.write("x.npy", npy(F32, (2,), [1, 2]))
    output, = run(trial, add_model(external("w", [2], location="w.bin", offset=8, length=8)),
                  "--input", "x=x.npy")
    expect(output["data"] == [11, 22], str(output))


def external_data_stays_in_the_folder(trial):
    """Paths that leave it, links that leave it, and files that are too short."""
    os.mkdir(trial.path("in"))
    trial.write("out.bin", bytes(8))
    os.symlink("../out.bin", trial.path("in/link.bin"))
    trial.write("in/short.bin", bytes(7))
    cases = (("../out.bin", "leaves the model's folder"), (trial.path("out.bin"), "leaves"),
             ("a/../../out.bin", "leaves"), ("link.bin", "leaves the model's folder"),
             ("none.bin", "none.bin"), (".", "leaves the model's folder"), ("short.bin", "has only 7"))
    for location, part in cases:
        trial.write("in/m.onnx", add_model(external("w", [2], location=location)))
        trial.refused(1, part, "run", "in/m.onnx", "--shape", "x=2")
    trial.write("in/m.onnx", add_model(external("w", [2], location="short.bin", offset="-1")))
    trial.refused(1, "expected a number", "run", "in/m.onnx", "--shape", "x=2")


CHECK = "import onnx, sys; onnx.checker.check_model(onnx.load(sys.argv[1]), full_check=True)"


def written_models_pass_the_checker(trial):
    """A network of MXNet's as ONNX, held against onnx.checker of Debian's python3-onnx."""
    trial.good("convert", DEMO, "demo.onnx")
    python = "/usr/bin/python3"
    if not os.path.exists(python) or subprocess.run([python, "-c", "import onnx"], cwd="/",
                                                    capture_output=True, check=False).returncode:
        raise Skip("python3-onnx is not installed")
    result = subprocess.run([python, "-c", CHECK, trial.path("demo.onnx")], cwd="/", text=True,
                            capture_output=True, check=False)
    expect(result.returncode == 0, result.stderr)


def written_models_are_read(trial):
    """What is written is read again and gives the same."""
    trial.write("m.json", '{"tenon":1,"nodes":[{"name":"data","dtype":"float32","shape":[null]},'
                          '{"name":"r","op":"relu","inputs":[[0,0]]},'
                          '{"name":"s","op":"broadcast_add","inputs":[[1,0],[0,0]]}],'
                          '"outputs":[[2,0]]}')
    trial.write("x.npy", npy(F32, (2,), [1, -2]))
    trial.good("convert", "m.json", "m.onnx")
    output, = trial.json("run", "m.onnx", "--input", "data=x.npy", "--json")["outputs"]
    expect(output["data"] == [2, -2], str(output))


def operators_without_a_mapping(trial):
    """… are named when a model is written."""
    trial.write("m.json", '{"tenon":1,"nodes":[{"name":"x","shape":[2]},'
                          '{"name":"g","op":"gammaln","inputs":[[0,0]]}],"outputs":[[1,0]]}')
    trial.refused(1, "node 'g' (gammaln): ONNX has nothing", "convert", "m.json", "m.onnx")
    expect(not os.path.exists(trial.path("m.onnx")), "a file is left")


run_all(runs_a_sum, initializers_among_inputs_are_constants, typed_elements, sparse_tensors, strings,
        numbers_at_random, operators_on_texts, outputs_have_the_models_names, sequences, sequences_that_are_wrong,
        shapes_are_folded, shapes_come_with_the_run, branches_capture_values, loops_stack_what_each_turn_makes, functions_are_inlined, functions_that_call_themselves,
        custom_domains_are_operators, domains_that_are_refused, versions,
        faults_are_named_by_their_field, broken_files, external_data,
        external_data_stays_in_the_folder, written_models_pass_the_checker,
        written_models_are_read, operators_without_a_mapping)
