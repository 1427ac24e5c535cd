#!/usr/bin/env python3
"""Pictures as inputs, classes by their names, and the time of each node."""

import json
import os
import re
import struct
import sys
import zlib

from trial import DEMO, SOURCE, expect, run_all, scale_model

sys.path.insert(0, os.path.join(SOURCE, "tests", "common"))
from jpeg_picture import jpeg


def png(height, width, channels, values):
    """Bytes of a picture with 1 (grey), 3 or 4 channels."""
    def chunk(kind, data):
        return (struct.pack(">I", len(data)) + kind + data +
                struct.pack(">I", zlib.crc32(kind + data)))
    row = width * channels
    rows = b"".join(b"\0" + bytes(values[i * row:(i + 1) * row]) for i in range(height))
    return (b"\x89PNG\r\n\x1a\n" +
            chunk(b"IHDR", struct.pack(">2I5B", width, height, 8, {1: 0, 3: 2, 4: 6}[channels],
                                       0, 0, 0)) +
            chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b""))


def prepared(trial, *options, name="p.png"):
    """What a model sees: shape and elements."""
    trial.write("one.json", scale_model("1"))
    words = [word for option in options for word in ("--picture-option", option)]
    output, = trial.json("run", "one.json", "--picture", name, "--json", *words)["outputs"]
    return output["shape"], output["data"]


def close(left, right):
    return len(left) == len(right) and all(abs(a - b) < 1e-4 for a, b in zip(left, right))


def expect_elements(trial, shape, elements, *options):
    found = prepared(trial, *options)
    expect(found[0] == shape and close(found[1], elements), f"{options}: {found}")


def channels_and_layout(trial):
    """Two pixels: their order of channels, layout and numbers."""
    trial.write("p.png", png(1, 2, 3, [10, 20, 30, 40, 50, 60]))
    expect_elements(trial, [1, 3, 1, 2], [10, 40, 20, 50, 30, 60])
    expect_elements(trial, [1, 3, 1, 2], [30, 60, 20, 50, 10, 40], "channels=BGR")
    expect_elements(trial, [1, 1, 2, 3], [10, 20, 30, 40, 50, 60], "layout=NHWC")
    expect_elements(trial, [1, 1, 1, 2], [18.15, 48.15], "channels=grey")
    expect_elements(trial, [1, 3, 1, 2], [0, 3, 2, 8, 8, 20], "scale=0.1", "mean=1,1,1",
                    "std=1,0.5,0.25")
    expect_elements(trial, [1, 3, 1, 2], [5, 20, 10, 25, 15, 30], "std=2")


def alpha_and_grey(trial):
    """What shows through is left out; grey becomes three channels."""
    trial.write("p.png", png(1, 1, 4, [1, 2, 3, 77]))
    expect_elements(trial, [1, 3, 1, 1], [1, 2, 3])
    trial.write("p.png", png(1, 1, 1, [9]))
    expect_elements(trial, [1, 3, 1, 1], [9, 9, 9])


def sizes(trial):
    """Stretched, cut and filled: a picture of four columns and two rows."""
    trial.write("p.png", png(2, 4, 1, [0, 10, 20, 30, 0, 10, 20, 30]))
    grey = "channels=grey"
    expect_elements(trial, [1, 1, 1, 1], [15], grey, "size=1,1")
    expect_elements(trial, [1, 1, 2, 2], [10, 20, 10, 20], grey, "size=2", "resize=cover")
    expect_elements(trial, [1, 1, 2, 2], [0, 10, 0, 10], grey, "size=2,2", "resize=cover",
                    "place=corner")
    expect_elements(trial, [1, 1, 4, 4],
                    [7] * 4 + [0, 10, 20, 30, 0, 10, 20, 30] + [7] * 4, grey, "size=4",
                    "resize=fit", "fill=7")
    expect_elements(trial, [1, 1, 3, 4], [0, 10, 20, 30, 0, 10, 20, 30, 7, 7, 7, 7], grey,
                    "size=3,4", "resize=fit", "fill=7", "place=corner")
    expect_elements(trial, [1, 1, 1, 1], [12.5 / 1.75], grey, "size=1", "short_side=1", "resize=cover",
                    "place=corner")
    found = prepared(trial, grey, "size=2,8")[1][:8]
    expect(found == sorted(found) and abs(found[0] - 0) < 1e-4 and abs(found[7] - 30) < 1e-4,
           f"not smooth: {found}")


def file_beside_the_model(trial):
    """MODEL.picture.json says how; the command line comes after it."""
    trial.write("p.png", png(1, 2, 3, [10, 20, 30, 40, 50, 60]))
    trial.write("one.json.picture.json", json.dumps(
        {"channels": "BGR", "scale": 0.5, "mean": [1, 0, 0], "size": [1, 1], "layout": "NHWC"}))
    expect_elements(trial, [1, 1, 1, 3], [21.5, 17.5, 12.5])
    expect_elements(trial, [1, 3, 1, 1], [22.5, 17.5, 12.5], "mean=0", "layout=NCHW")


def the_model_says_the_size(trial):
    """The demo wants pictures with one channel, of whatever size; its convolutions a fixed one."""
    trial.write("p.png", png(28, 28, 1, [0] * 784))
    out = trial.good("run", DEMO, "--picture", "data=p.png", "--picture-option", "channels=grey")
    expect(out.startswith("prob_output: float32 (1,10)"), out)


def wrong_pictures_are_refused(trial):
    trial.write("one.json", scale_model("1"))
    trial.write("p.png", png(1, 1, 3, [1, 2, 3]))
    trial.write("bad.png", png(1, 1, 3, [1, 2, 3])[:40])

    def refused(code, part, *words):
        trial.refused(code, part, "run", "one.json", *words)
    refused(1, "bad.png", "--picture", "bad.png")
    refused(1, "none.png", "--picture", "none.png")
    refused(2, "the model has no input picture", "--picture", "picture=p.png")
    refused(2, "there is no picture option colour", "--picture", "p.png", "--picture-option",
            "colour=red")
    for option, expected in (("size=0", "HEIGHT,WIDTH"), ("std=0", "1 or 3 numbers but 0"),
                             ("mean=1,2", "1 or 3 numbers"), ("channels=RBG", "RGB|BGR|grey"),
                             ("scale=x", "a number"), ("size=1,2,3", "HEIGHT,WIDTH"),
                             ("short_side=-1", "a number from 1 to")):
        refused(2, expected, "--picture", "p.png", "--picture-option", option)
    trial.write("one.json.picture.json", "[1]")
    refused(1, "expected an object", "--picture", "p.png")
    trial.write("one.json.picture.json", '{"size": {"height": 1}}')
    refused(1, "size is no number, text or list", "--picture", "p.png")
    trial.write("one.json.picture.json", '{"size": ')
    refused(1, "one.json.picture.json: ", "--picture", "p.png")


def classes_by_name(trial):
    """The highest scores first; labels must be as many as classes."""
    trial.write("one.json", scale_model("1"))
    trial.write("p.png", png(1, 1, 3, [5, 7, 6]))
    trial.write("names.txt", "cat\ndog\r\nnewt\n")
    picture = ("--picture", "p.png", "--picture-option", "layout=NHWC")
    out = trial.good("run", "one.json", *picture, "--top", "2", "--labels", "names.txt")
    expect(out.split() == ["scale_output:", "7", "1", "dog", "6", "2", "newt"], out)
    out = trial.good("run", "one.json", *picture, "--top", "9")
    expect(out.split() == ["scale_output:", "7", "1", "6", "2", "5", "0"], out)
    # The channels' axis is the last one of more than one.
    out = trial.good("run", "one.json", "--picture", "p.png", "--labels", "names.txt")
    expect(out.split()[1:4] == ["7", "1", "dog"], out)
    trial.write("names.txt", "cat\ndog\n")
    _, errors = trial.tenon("run", "one.json", *picture, "--labels", "names.txt", code=1)
    expect("3 classes" in errors and "2 labels" in errors, errors)
    _, errors = trial.tenon("run", "one.json", *picture, "--labels", "none.txt", code=1)
    expect("none.txt" in errors, errors)


def jpeg_is_read(trial):
    """Grey, in colours, by inks, and in several scans."""
    trial.write("p.jpg", jpeg(8, 8, 1))
    shape, values = prepared(trial, "channels=grey", name="p.jpg")
    expect(shape == [1, 1, 8, 8] and close(values, [200] * 64), f"{shape} {values}")
    trial.write("p.jpg", jpeg(9, 17, 1, progressive=True))
    shape, values = prepared(trial, "channels=grey", name="p.jpg")
    expect(shape == [1, 1, 9, 17] and close(values, [200] * 153), f"{shape} {values}")
    trial.write("p.jpg", jpeg(1, 2, 3))  # luminance and colour differences of 200
    shape, values = prepared(trial, name="p.jpg")
    expect(shape == [1, 3, 1, 2] and close(values, [255, 255, 124, 124, 255, 255]), f"{values}")
    trial.write("p.jpg", jpeg(1, 1, 4))
    shape, values = prepared(trial, name="p.jpg")
    expect(shape == [1, 3, 1, 1] and close(values, [12, 12, 12]), f"{values}")


def broken_jpeg_is_refused(trial):
    whole = jpeg(24, 24, 3)
    trial.write("one.json", scale_model("1"))
    for name, data, part in (("short.jpg", whole[:-6], "ends too early"),
                             ("head.jpg", whole[:40], "head.jpg: "),
                             ("empty.jpg", b"", "empty.jpg: "),
                             ("huge.jpg", whole.replace(struct.pack(">2H", 24, 24),
                                                        struct.pack(">2H", 9000, 9000)),
                              "more pixels than the file can hold"),
                             ("text.jpg", b"no picture", "Not a JPEG")):
        trial.write(name, data)
        trial.refused(1, part, "run", "one.json", "--picture", name)


def plain_maps_are_read(trial):
    """PGM and PPM, in bytes and digits, with other highest samples."""
    for data, shape, elements in (
            (b"P5 3 1 255\n\0\x0a\xff", [1, 3, 1, 3], [0, 10, 255] * 3),
            (b"P6\n# a comment\n1 1\n255\nabc", [1, 3, 1, 1], [97, 98, 99]),
            (b"P2 2 2 7 0 1\n6 7", [1, 3, 2, 2], [0, 36, 219, 255] * 3),
            (b"P3 1 1 15 15 0 5", [1, 3, 1, 1], [255, 0, 85]),
            (b"P6 1 1 65535\n\xff\xff\0\0\x80\0", [1, 3, 1, 1], [255, 0, 128])):
        trial.write("p.ppm", data)
        found = prepared(trial, name="p.ppm")
        expect(found[0] == shape and close(found[1], elements), f"{data}: {found}")
    for data, part in ((b"P5 3 1 255\n\0", "take at least 3 bytes"), (b"P4 1 1\n\0", "P2, P3"),
                       (b"P5 0 1 255\n", "width: expected"), (b"P5 1 1 70000\n\0", "highest"),
                       (b"P2 1 1 7 8", "a sample: expected"), (b"P6 1", "height: expected")):
        trial.write("p.ppm", data)
        trial.refused(1, part, "run", "one.json", "--picture", "p.ppm")


def pictures_are_evaluated(trial):
    """Each for itself, with names, and as JSON."""
    trial.write("one.json", scale_model("1"))
    trial.write("one.json.picture.json", '{"layout": "NHWC"}')
    trial.write("a.png", png(1, 1, 3, [5, 7, 6]))
    trial.write("b.ppm", b"P6 1 1 255\n\x09\x01\x02")
    trial.write("names.txt", "cat\ndog\nnewt\n")
    words = ("eval", "one.json", "--picture", "a.png", "--picture", "b.ppm", "--labels",
             "names.txt", "--top", "2")
    out = trial.good(*words)
    expect(out.split()[:14] == ["a.png:", "7", "1", "dog", "6", "2", "newt", "b.ppm:", "9", "0",
                                "cat", "2", "2", "newt"] and "pictures/s" in out, out)
    found = trial.json(*words, "--json")
    expect([p["name"] for p in found["pictures"]] == ["a.png", "b.ppm"] and
           found["pictures"][1]["rows"] == [[{"class": 0, "name": "cat", "score": 9},
                                             {"class": 2, "name": "newt", "score": 2}]], str(found))
    trial.refused(2, "either --data or --picture", "eval", "one.json")
    trial.refused(1, "none.png", "eval", "one.json", "--picture", "none.png")


def each_node_is_timed(trial):
    """--explain says what each node took; what shares memory takes nothing."""
    _, errors = trial.tenon("run", DEMO, "--shape", "data=1,1,28,28", "--explain", "--optimize",
                            "0")
    rows = {line.split()[0]: line for line in errors.splitlines() if " cpu:0 " in line}
    expect(re.search(r" \d+\.\d float32 \(1,24,28,28\)", rows["conv1"]), rows["conv1"])


run_all(channels_and_layout, alpha_and_grey, sizes, file_beside_the_model, the_model_says_the_size,
        wrong_pictures_are_refused, classes_by_name, jpeg_is_read, broken_jpeg_is_refused,
        plain_maps_are_read, pictures_are_evaluated, each_node_is_timed)
