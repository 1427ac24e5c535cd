#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Train a small convolutional network on Fashion-MNIST and write it as an MXNet 1.x model.

Needs the Debian 12 packages python3-torch, python3-numpy and dataset-fashion-mnist.

    train.py                    train, write PREFIX-symbol.json, PREFIX-0000.params and
                                expected.json (beside them), print the test accuracy
    train.py --evaluate-only    read PREFIX-0000.params, print its test accuracy

In both cases the accuracy is that of the weights read back from the .params file.
"""
import argparse
import gzip
import json
import os
import struct
import time

import numpy as np
import torch
from torch import nn
from torch.nn import functional as F

SCALE = float(np.float32(1 / 255))  # a float32 value, so that every reader multiplies by the same number
EPS = 1e-5
CHANNELS = (24, 48, 80)
HIDDEN = 128
DROPOUT = 0.4
SHIFT = 2  # augmentation: up to so many pixels in each direction
BATCH = 128
TEST_BATCH = 500
PEAK_RATE = 4e-3


class Network(nn.Module):
    def __init__(self):
        super().__init__()
        for i, (n_in, n_out) in enumerate(zip((1,) + CHANNELS, CHANNELS), 1):
            self.add_module(f"conv{i}", nn.Conv2d(n_in, n_out, 3, padding=1, bias=False))
            self.add_module(f"bn{i}", nn.BatchNorm2d(n_out, eps=EPS, momentum=0.1))
        self.fc1 = nn.Linear(CHANNELS[-1] * 3 * 3, HIDDEN)
        self.fc2 = nn.Linear(HIDDEN, 10)

    def forward(self, x):  # raw pixel values 0..255 to logits
        x = x * SCALE
        for i in range(1, len(CHANNELS) + 1):
            x = getattr(self, f"bn{i}")(getattr(self, f"conv{i}")(x))
            x = F.max_pool2d(F.relu(x), 2)
        x = F.relu(self.fc1(torch.flatten(x, 1)))
        return self.fc2(F.dropout(x, DROPOUT, self.training))


# ---- MXNet symbol JSON ----

def build_symbol():
    """The graph that Network.forward computes, then a softmax; returns the JSON text."""
    nodes, row_ptr = [], [0]

    def add(op, name, inputs=(), outputs=1, **attrs):
        node = {"op": op, "name": name}
        if attrs:
            node["attrs"] = {key: str(attrs[key]) for key in sorted(attrs)}
        node["inputs"] = [[i, 0, 0] for i in inputs]
        nodes.append(node)
        row_ptr.append(row_ptr[-1] + outputs)
        return len(nodes) - 1

    def variables(prefix, *names):
        return [add("null", f"{prefix}_{name}") for name in names]

    x = add("_mul_scalar", "scale", [add("null", "data")], scalar=SCALE)
    for i, n_out in enumerate(CHANNELS, 1):
        x = add("Convolution", f"conv{i}", [x] + variables(f"conv{i}", "weight"),
                kernel=(3, 3), stride=(1, 1), pad=(1, 1), num_filter=n_out, no_bias=True)
        x = add("BatchNorm", f"bn{i}",
                [x] + variables(f"bn{i}", "gamma", "beta", "moving_mean", "moving_var"), outputs=3,
                eps=EPS, momentum=0.9, fix_gamma=False, use_global_stats=False)
        x = add("Activation", f"relu{i}", [x], act_type="relu")
        x = add("Pooling", f"pool{i}", [x], outputs=2, kernel=(2, 2), stride=(2, 2), pool_type="max")
    x = add("Flatten", "flatten", [x])
    x = add("FullyConnected", "fc1", [x] + variables("fc1", "weight", "bias"), num_hidden=HIDDEN)
    x = add("Activation", f"relu{len(CHANNELS) + 1}", [x], act_type="relu")
    x = add("Dropout", "drop1", [x], outputs=2, p=DROPOUT)
    x = add("FullyConnected", "fc2", [x] + variables("fc2", "weight", "bias"), num_hidden=10)
    x = add("softmax", "prob", [x], axis=-1)
    return layout({"nodes": nodes,
                   "arg_nodes": [i for i, node in enumerate(nodes) if node["op"] == "null"],
                   "node_row_ptr": row_ptr,
                   "heads": [[x, 0, 0]],
                   "attrs": {"mxnet_version": ["int", 10901]}})


def layout(value, depth=0):
    """JSON text laid out as MXNet does it (blank after each comma, short collections on one line)."""
    if not isinstance(value, (dict, list)):
        return json.dumps(value)
    if isinstance(value, dict):
        items = [f"{json.dumps(key)}: {layout(item, depth + 1)}" for key, item in value.items()]
        several, brackets = len(items) > 1, "{}"
    else:
        items = [layout(item, depth + 1) for item in value]
        several, brackets = len(items) > 10, "[]"
    if not several:
        return brackets[0] + ", ".join(items) + brackets[1]
    indent = "\n" + "  " * (depth + 1)
    return brackets[0] + indent + (", " + indent).join(items) + indent[:-2] + brackets[1]


# ---- MXNet .params ----

LIST_MAGIC = 0x112
ARRAY_MAGIC = 0xF993FAC9  # record version 2
FLOAT32 = 0


def mxnet_names(network):
    """Yields (torch name, MXNet name): arguments first, then auxiliary states."""
    batch_norm = {"weight": "gamma", "bias": "beta"}
    for name, _ in network.named_parameters():
        layer, kind = name.split(".")
        yield name, f"arg:{layer}_{batch_norm[kind] if layer.startswith('bn') else kind}"
    for name, _ in network.named_buffers():
        layer, kind = name.split(".")
        if kind.startswith("running_"):
            yield name, f"aux:{layer}_{kind.replace('running', 'moving')}"


def save_params(network, path):
    state, names = network.state_dict(), list(mxnet_names(network))
    with open(path, "wb") as out:
        out.write(struct.pack("<QQQ", LIST_MAGIC, 0, len(names)))
        for torch_name, _ in names:
            array = state[torch_name].contiguous().numpy().astype("<f4")
            out.write(struct.pack("<Iii", ARRAY_MAGIC, 0, array.ndim))  # 0: dense
            out.write(struct.pack(f"<{array.ndim}q", *array.shape))
            out.write(struct.pack("<iii", 1, 0, FLOAT32))  # on CPU 0
            out.write(array.tobytes())
        out.write(struct.pack("<Q", len(names)))
        for _, name in names:
            out.write(struct.pack("<Q", len(name)) + name.encode())


def load_params(network, path):
    with open(path, "rb") as file:
        def read(form):
            return struct.unpack("<" + form, file.read(struct.calcsize("<" + form)))

        magic, _, count = read("QQQ")
        arrays = []
        for _ in range(count):
            array_magic, storage, ndim = read("Iii")
            shape = read(f"{ndim}q")
            _, _, dtype = read("iii")
            if (magic, array_magic, storage, dtype) != (LIST_MAGIC, ARRAY_MAGIC, 0, FLOAT32):
                raise ValueError(f"{path}: not a list of dense float32 arrays (version 2)")
            data = file.read(4 * int(np.prod(shape)))
            arrays.append(torch.from_numpy(np.frombuffer(data, "<f4").reshape(shape).copy()))
        names = [file.read(read("Q")[0]).decode() for _ in range(read("Q")[0])]
    by_name = dict(zip(names, arrays))
    state = network.state_dict()
    state.update({name: by_name.pop(mxnet_name) for name, mxnet_name in mxnet_names(network)})
    if by_name:
        raise ValueError(f"{path}: unexpected arrays {sorted(by_name)}")
    network.load_state_dict(state)


# ---- data, training, evaluation ----

def read_idx(directory, name):
    with gzip.open(os.path.join(directory, name + ".gz")) as file:
        zero, dtype, ndim = struct.unpack(">HBB", file.read(4))
        if zero != 0 or dtype != 8:
            raise ValueError(f"{name}: not an IDX file of unsigned bytes")
        shape = struct.unpack(f">{ndim}I", file.read(4 * ndim))
        return np.frombuffer(file.read(), np.uint8).reshape(shape)


def augment(pictures, random):
    """Shifts each picture by up to SHIFT pixels and mirrors every second one, at random."""
    n, size = pictures.shape[0], pictures.shape[-1]
    padded = np.pad(pictures, ((0, 0), (SHIFT, SHIFT), (SHIFT, SHIFT)))
    rows = random.integers(0, 2 * SHIFT + 1, (n, 1)) + np.arange(size)
    columns = random.integers(0, 2 * SHIFT + 1, (n, 1)) + np.arange(size)
    columns = np.where(random.random((n, 1)) < 0.5, columns, columns[:, ::-1])
    return padded[np.arange(n)[:, None, None], rows[:, :, None], columns[:, None, :]]


def to_tensor(pictures):
    return torch.from_numpy(pictures.astype(np.float32)).unsqueeze(1)


def train(network, pictures, labels, epochs, seed):
    random = np.random.default_rng(seed)
    labels = torch.from_numpy(labels.astype(np.int64))
    steps = len(labels) // BATCH
    optimizer = torch.optim.AdamW(network.parameters(), weight_decay=0.02)
    schedule = torch.optim.lr_scheduler.OneCycleLR(
        optimizer, PEAK_RATE, epochs=epochs, steps_per_epoch=steps, pct_start=0.2)
    start = time.monotonic()
    for epoch in range(1, epochs + 1):
        network.train()
        order, total = random.permutation(len(labels)), 0.0
        for batch in order[:steps * BATCH].reshape(steps, BATCH):
            logits = network(to_tensor(augment(pictures[batch], random)))
            loss = F.cross_entropy(logits, labels[batch])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            schedule.step()
            total += loss.item()
        print(f"epoch {epoch:2}: training loss {total / steps:.4f}, "
              f"{time.monotonic() - start:.0f} s", flush=True)


def count_correct(network, pictures, labels):
    network.eval()
    with torch.no_grad():
        classes = [network(to_tensor(pictures[i:i + TEST_BATCH])).argmax(1).numpy()
                   for i in range(0, len(labels), TEST_BATCH)]
    return int((np.concatenate(classes) == labels).sum())


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--epochs", type=int, default=24)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--output-prefix", default="fashion-mnist", metavar="PREFIX")
    parser.add_argument("--data-directory", default="/usr/share/datasets/fashion-mnist", metavar="DIR")
    parser.add_argument("--evaluate-only", action="store_true")
    args = parser.parse_args()

    torch.set_num_threads(2)  # the sums, and so the weights, depend on it
    torch.use_deterministic_algorithms(True)
    torch.manual_seed(args.seed)
    network = Network().to(memory_format=torch.channels_last)
    params_path = args.output_prefix + "-0000.params"
    if not args.evaluate_only:
        train(network, read_idx(args.data_directory, "train-images-idx3-ubyte"),
              read_idx(args.data_directory, "train-labels-idx1-ubyte"), args.epochs, args.seed)
        save_params(network, params_path)
        with open(args.output_prefix + "-symbol.json", "w", encoding="ascii") as file:
            file.write(build_symbol())

    network = Network()
    load_params(network, params_path)
    labels = read_idx(args.data_directory, "t10k-labels-idx1-ubyte")
    correct = count_correct(network, read_idx(args.data_directory, "t10k-images-idx3-ubyte"), labels)
    total = len(labels)
    print(f"test accuracy {correct / total:.4f}: {correct} of {total} pictures correct")
    if not args.evaluate_only:
        expected = {"correct": correct, "total": total, "framework": "torch " + torch.__version__}
        directory = os.path.dirname(args.output_prefix)
        with open(os.path.join(directory, "expected.json"), "w", encoding="ascii") as file:
            file.write(json.dumps(expected) + "\n")


if __name__ == "__main__":
    main()
