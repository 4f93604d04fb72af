#!/usr/bin/env python3
"""A server with OpenAI's chat protocol that gives written replies: serve.py PORT REPLY...

Each new question gets the next reply; when there are none left, and to questions about repairs, it says that it has no
proposal. What it was asked is not looked at. Tokens are estimated, three characters each.
"""
import http.server
import json
import sys

if len(sys.argv) < 3 or not sys.argv[1].isdigit():
    sys.exit(__doc__.strip())
port, replies = int(sys.argv[1]), [open(name).read() for name in sys.argv[2:]]


class Server(http.server.BaseHTTPRequestHandler):
    def log_message(self, *_):
        pass

    def do_POST(self):
        question = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        new = len(question["messages"]) == 2  # system and user; a repair has the conversation so far
        text = replies.pop(0) if new and replies else "## thought\nNothing further.\n"
        asked = sum(len(m["content"]) for m in question["messages"])
        body = json.dumps({
            "id": "written", "object": "chat.completion", "model": question["model"],
            "choices": [{"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": text}}],
            "usage": {"prompt_tokens": asked // 3, "completion_tokens": len(text) // 3, "total_tokens": (asked + len(text)) // 3},
        }).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


http.server.ThreadingHTTPServer(("127.0.0.1", port), Server).serve_forever()
