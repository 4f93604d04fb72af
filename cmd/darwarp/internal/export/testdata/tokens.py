"""Prints what Python makes of each file: its tokens, with strings and comments left out but counted."""
import ast, io, json, sys, tokenize

out = {}
for name in sys.argv[1:]:
    text = open(name, encoding="utf-8", newline="").read()
    ast.parse(text, name)
    kinds = []
    for t in tokenize.generate_tokens(io.StringIO(text).readline):
        if t.type in (tokenize.COMMENT, tokenize.NL):
            continue
        kinds.append("" if t.type == tokenize.STRING else t.string)
    out[name] = kinds
json.dump(out, sys.stdout)
