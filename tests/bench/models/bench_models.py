"""Times every model of a directory, beside peers where their packages are installed.

All workers of a model hold it at the same time and run in turn, a few rounds, so that a slow phase
of the machine meets all of them. Figures are medians over all runs of all rounds.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import time

import numpy

import twins

HERE = os.path.dirname(os.path.abspath(__file__))
PEERS = {"onnx": ["onnxruntime", "ncnn"], "mxnet": ["mxnet"]}


class Worker:
    """A process that holds one model; see worker.c."""

    def __init__(self, name, command, directory):
        self.name, self.directory = name, directory
        os.makedirs(directory, exist_ok=True)
        begin = time.perf_counter()
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=subprocess.PIPE, text=True)
        self.times = []
        self.load = self.answer()
        self.start = time.perf_counter() - begin

    def answer(self):
        line = self.process.stdout.readline()
        if not line.startswith("{"):
            self.process.stdin.close()
            words = self.process.stderr.read().strip().splitlines()
            raise RuntimeError(words[-1] if words else "it ended without a word")
        return json.loads(line)

    def run(self, seconds):
        self.process.stdin.write(f"run {seconds}\n")
        self.process.stdin.flush()
        self.times += self.answer()["times"]

    def end(self):
        self.process.stdin.write("end\n")
        self.process.stdin.flush()
        peak = self.answer()["peak"]
        self.process.wait()
        return {"median_ms": statistics.median(self.times) * 1e3, "best_ms": min(self.times) * 1e3,
                "runs": len(self.times), "load_ms": self.load["load"] * 1e3,
                "first_ms": self.load["first"] * 1e3, "start_ms": self.start * 1e3,
                "peak_mib": peak / 2**20}

    def outputs(self):
        files = sorted(os.listdir(self.directory), key=lambda name: int(name.split(".")[0]))
        return [numpy.load(os.path.join(self.directory, name)) for name in files]


class Model:
    def __init__(self, folder, root):
        with open(os.path.join(folder, "model.json"), encoding="utf-8") as file:
            self.facts = json.load(file)
        self.folder, self.name = folder, os.path.relpath(folder, root)
        self.path = os.path.join(folder, self.facts["model"])
        self.format = self.facts["format"]
        self.case = next(iter(self.facts["cases"].values()))
        params = self.facts.get("params")
        self.option = f"params={os.path.join(folder, params)}" if params else "-"

    def inputs(self):
        return [f"{entry['name']}={os.path.join(self.folder, entry['file'])}"
                for entry in self.case["inputs"]]

    def expected(self):
        return [numpy.load(os.path.join(self.folder, entry["file"]))
                for entry in self.case["outputs"]]

    def twin(self, directory):
        """The model with random weights, whose right outputs are those of a peer."""
        other = Model.__new__(Model)
        other.__dict__.update(self.__dict__)
        other.name = self.name + " with weights"
        other.path = os.path.join(directory, self.name.replace("/", "-") + ".onnx")
        if not os.path.exists(other.path):
            twins.make_twin(self.path, other.path)
        other.expected = lambda: None
        return other


def find_models(root, wanted, directory):
    for folder, _, files in sorted(os.walk(root)):
        name = os.path.relpath(folder, root)
        if "model.json" in files and (not wanted or any(part in name for part in wanted)):
            model = Model(folder, root)
            yield model
            if name.startswith("light" + os.sep):
                yield model.twin(directory)


def peer_pythons(pythons):
    """Which interpreter has which peer, in what version."""
    result = {}
    for python in pythons:
        for peer in sum(PEERS.values(), []):
            command = [python, "-c", f"import {peer}; print({peer}.__version__)"]
            found = subprocess.run(command, capture_output=True, text=True, check=False)
            if found.returncode == 0:
                result.setdefault(peer, (python, found.stdout.strip().splitlines()[-1]))
    return result


def difference(found, expected):
    """The largest difference, relative to the largest expected value of its array."""
    worst = 0.0
    for one, other in zip(found, expected):
        if one.shape != other.shape:
            return float("inf")
        if one.size:
            one, other = one.astype(numpy.float64), other.astype(numpy.float64)
            worst = max(worst, numpy.abs(one - other).max() / max(1e-30, numpy.abs(other).max()))
    return worst


def start_workers(model, threads, pythons, arguments):
    tail = [str(threads), arguments.passes, model.option, *model.inputs()]
    commands = {"tenon": [arguments.worker, model.path]}
    for peer in PEERS.get(model.format, []):
        if peer in pythons:
            script = os.path.join(HERE, f"peer_{peer}.py")
            commands[peer] = [pythons[peer][0], script, model.path]
    workers, faults = [], {}
    for name, command in commands.items():
        directory = os.path.join(arguments.directory, "outputs", model.name, name)
        try:
            workers.append(Worker(name, [*command, directory, *tail], directory))
        except RuntimeError as fault:
            faults[name] = str(fault)
    return workers, faults


def measure(model, threads, pythons, arguments):
    workers, faults = start_workers(model, threads, pythons, arguments)
    for _ in range(arguments.rounds):
        for worker in list(workers):
            try:
                worker.run(arguments.seconds)
            except RuntimeError as fault:
                faults[worker.name] = str(fault)
                workers.remove(worker)
    result = {"model": model.name, "threads": threads, "faults": faults}
    for worker in workers:
        result[worker.name] = worker.end()
    by_name = {worker.name: worker for worker in workers}
    expected = model.expected()
    if expected is None and len(workers) > 1:
        expected = workers[1].outputs()
    if expected is not None and "tenon" in by_name:
        result["difference"] = difference(by_name["tenon"].outputs(), expected)
    return result


HEADER = (f"{'model':34} {'threads':>7} {'tenon ms':>9} {'peer ms':>9} {'ratio':>6} "
          f"{'load ms':>8} {'peer':>7} {'peak MiB':>8} {'peer':>6}  difference  peer")


def line(result):
    tenon = result.get("tenon")
    found = [name for name in sum(PEERS.values(), []) if name in result]
    peer = min(found, key=lambda name: result[name]["median_ms"], default=None)
    if tenon is None:
        return f"{result['model']:34} {result['threads']:7} {result['faults'].get('tenon')}"
    text = f"{result['model']:34} {result['threads']:7} {tenon['median_ms']:9.3f} "
    other = result.get(peer)
    text += (f"{other['median_ms']:9.3f} {tenon['median_ms'] / other['median_ms']:6.2f} "
             if other else f"{'':9} {'':6} ")
    text += f"{tenon['load_ms'] + tenon['first_ms']:8.1f} "
    text += f"{other['load_ms'] + other['first_ms']:7.1f} " if other else f"{'':7} "
    text += f"{tenon['peak_mib']:8.1f} " + (f"{other['peak_mib']:6.0f} " if other else f"{'':6} ")
    text += f" {result['difference']:10.1e}" if "difference" in result else f" {'':10}"
    others = [f"{name} {result[name]['median_ms']:.3f}" for name in found if name != peer]
    others += [f"{name}: {fault}" for name, fault in result["faults"].items()]
    return text + f"  {peer or ''}" + "".join(f"  ({other})" for other in others)


def main():
    parser = argparse.ArgumentParser(prog="./dev bench-models", description=__doc__)
    parser.add_argument("names", nargs="*", help="only models whose name holds one of these")
    parser.add_argument("--models", default="../shared/models",
                        help="folders with a model.json each (default: %(default)s)")
    parser.add_argument("--threads", default="1,2", help="default: %(default)s")
    parser.add_argument("--rounds", type=int, default=3, help="default: %(default)s")
    parser.add_argument("--seconds", type=float, default=0.5,
                        help="of one worker in one round (default: %(default)s)")
    parser.add_argument("--passes", default="2", help="a set of passes (default: %(default)s)")
    parser.add_argument("--json", metavar="FILE", help="write everything measured there")
    parser.add_argument("--peer-python", action="append", default=[], metavar="PROGRAM",
                        help="a Python that has onnxruntime, ncnn with pnnx and onnx, or mxnet; "
                        "repeatable")
    parser.add_argument("--worker", required=True, help=argparse.SUPPRESS)
    parser.add_argument("--directory", required=True, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if not os.path.isdir(arguments.models):
        print(f"bench-models: there is no {arguments.models}: give --models DIRECTORY")
        return 0
    os.makedirs(arguments.directory, exist_ok=True)
    pythons = peer_pythons([*arguments.peer_python, sys.executable])
    for peer in sum(PEERS.values(), []):
        version = pythons[peer][1] if peer in pythons else "not installed, left out"
        print(f"{peer}: {version}")
    print(HEADER, flush=True)
    results = []
    for model in find_models(arguments.models, arguments.names, arguments.directory):
        for threads in arguments.threads.split(","):
            results.append(measure(model, int(threads), pythons, arguments))
            print(line(results[-1]), flush=True)
    if arguments.json:
        with open(arguments.json, "w", encoding="utf-8") as file:
            json.dump({"peers": {name: version for name, (_, version) in pythons.items()},
                       "results": results}, file, indent=1)
    return 0


if __name__ == "__main__":
    sys.exit(main())
