"""Serves requests in frames over two pipes, as darwarp's own workers do (eval/internal/proc).

A frame is three big-endian 32-bit lengths, an envelope and a message in JSON, and raw bytes.
"""
import json
import os
import struct

VERSION = 4  # of the protocol, as eval/internal/proc has it
REQUESTS, REPLIES = 3, 4


def receive(pipe):
    head = pipe.read(12)
    if len(head) < 12:
        return None, None, None
    n, m, k = struct.unpack(">III", head)
    envelope, body = json.loads(pipe.read(n)), pipe.read(m)
    return envelope, json.loads(body or "null"), pipe.read(k)


def send(pipe, envelope, body=None, blob=b""):
    """NaN and infinity have no form in JSON: a message with one is an error here, not there."""
    data = json.dumps(envelope).encode()
    text = b"" if body is None else json.dumps(body, allow_nan=False).encode()
    pipe.write(struct.pack(">III", len(data), len(text), len(blob)) + data + text + blob)
    pipe.flush()


def serve(answer):
    """Answers requests until the pipe closes: answer takes a body, {name: request}, and raw bytes, and returns both."""
    for fd in (REQUESTS, REPLIES):
        os.set_inheritable(fd, False)
    requests, replies = os.fdopen(REQUESTS, "rb"), os.fdopen(REPLIES, "wb")
    send(replies, {"kind": "hello", "id": 0, "version": VERSION})
    while True:
        envelope, asked, blob = receive(requests)
        if envelope is None:
            return
        body, out = answer(asked, blob)
        send(replies, {"kind": "reply", "id": envelope["id"]}, body, out)
