#!/usr/bin/env python3
"""Inputs for the benchmark: feedback tuples, or frames with payloads, always the same ones."""
import random
import struct
import sys

kind, count = sys.argv[1], int(sys.argv[2])
source = random.Random(7)
out = sys.stdout.buffer
for start in range(0, count, 10000):
    block = []
    for index in range(start, min(start + 10000, count)):
        token = source.randbytes(32)
        if kind == "feedback":
            block.append(struct.pack(">IH", 1400000000 + index, 32) + token)
            continue
        text = "Your order %d has left our shop and will be with you between %d and %d o'clock." % (index, index % 9 + 8, index % 9 + 10)
        payload = (
            '{"aps":{"alert":{"title":"On its way","body":"%s"},"badge":%d,"sound":"default","thread-id":"orders"},'
            '"order":{"id":%d,"track":"https://shop.example.com/orders/%d"}}' % (text, index % 10, index, index)
        ).encode()
        items = struct.pack(">BH", 1, 32) + token + struct.pack(">BH", 2, len(payload)) + payload
        items += struct.pack(">BHI", 3, 4, index) + struct.pack(">BHI", 4, 4, 0) + struct.pack(">BHB", 5, 1, 10)
        block.append(struct.pack(">BI", 2, len(items)) + items)
    out.write(b"".join(block))
