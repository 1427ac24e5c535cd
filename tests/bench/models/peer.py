"""What a peer's process does for bench_models.py; worker.c is the same for Tenon."""

import json
import sys
import time

import numpy


def serve(load):
    """load(model, threads, format_option, names) gives a function from arrays, by name in that order,
    to a list of arrays."""
    model, directory, threads, _passes, option, *inputs = sys.argv[1:]
    pairs = [text.split("=", 1) for text in inputs]
    arrays = {name: numpy.load(path) for name, path in pairs}
    start = time.perf_counter()
    run = load(model, int(threads), option, arrays)
    loaded = time.perf_counter()
    outputs = run(arrays)
    print(json.dumps({"load": loaded - start, "first": time.perf_counter() - loaded}), flush=True)
    for index, output in enumerate(outputs):
        numpy.save(f"{directory}/{index}.npy", output)
    for line in sys.stdin:
        words = line.split()
        if words[0] != "run":
            break
        print(json.dumps({"times": times(run, arrays, float(words[1]))}), flush=True)
    print(json.dumps({"peak": peak_memory()}))


def peak_memory():
    with open("/proc/self/status", encoding="ascii") as file:
        return next(int(line.split()[1]) * 1024 for line in file if line.startswith("VmHWM:"))


def times(run, arrays, seconds):
    end = time.perf_counter() + seconds
    result = []
    while len(result) < 3 or time.perf_counter() < end:
        start = time.perf_counter()
        run(arrays)
        result.append(time.perf_counter() - start)
    return result
