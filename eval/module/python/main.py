"""Reads modules for darwarp: serves requests in a sandbox. What a file does wrong is the reply's "refused"."""
import logging
import os
import sys
import warnings

RESERVED = set("""T dtype elem device alignas alignof and asm auto bool break case catch char class concept const constexpr
continue decltype default delete do double else enum explicit export extern false float for friend goto if inline int long
mutable namespace new noexcept not nullptr operator or private protected public register requires return short signed sizeof
static struct switch template this throw true try typedef typeid typename union unsigned using virtual void volatile while xor
min max abs ceil_div round_up threadIdx blockIdx blockDim gridDim warpSize NULL main reference""".split())

state = {}


def identifier(name, taken):
    name = "".join(c if c.isascii() and c.isalnum() else "_" for c in name)[:40].strip("_") or "d"
    name = "d" + name if name[0].isdigit() else name
    base, n = name, 1
    while name in taken:
        n += 1
        name = "%s_%d" % (base, n)
    taken.add(name)
    return name


def start(req, _):
    import tempfile

    # torch asks for it. Who drives a GPU removes no file, and so finds no folder usable.
    tempfile.tempdir = os.environ.get("TMPDIR")
    import torch

    import trial

    torch.compiler.set_stance("force_eager")  # a file may compile what it has: here it is read
    torch.set_num_threads(max(1, req.get("threads", 1)))
    for fused in ("flash", "mem_efficient", "cudnn"):  # which lose a NaN among few keys: attention is what it is written as
        getattr(torch.backends.cuda, "enable_%s_sdp" % fused, lambda on: None)(False)
    state["device"] = trial.device_of(req.get("gpu", -1))
    return {"version": torch.__version__.split("+")[0]}, b""


def read(req, _):
    """Exports a file's module: the graph with its dims, and what the user should know."""
    import sizes
    import source
    import torch
    import tracing
    import trial

    asked = req.get("precision")
    precision = tracing.PRECISIONS["fp32" if asked == "tf32" else asked] if asked else None
    torch.set_float32_matmul_precision("highest")  # torch's default: what the file says of it is seen afterwards
    src = source.Source(req["source"], req.get("class", ""), bool(req.get("eval")), precision)
    taken = set(RESERVED)
    names, literals = {}, 0
    for i, k in enumerate(src.knobs):
        if k.name:
            names[i] = identifier(k.name, taken)
    wanted = dict(req.get("dims") or {})
    for name, value in wanted.items():
        if not 1 <= value <= source.LARGEST:
            raise source.Refused("%s = %d: a size is at most %d" % (name, value, source.LARGEST))
    values = {i: k.value for i, k in enumerate(src.knobs)}
    for i, k in enumerate(src.knobs):
        if k.name in wanted:
            values[i] = wanted.pop(k.name)
    reserved = taken | {"d%d" % i for i in range(sum(len(k.places) for k in src.knobs))}

    def export(values):
        return tracing.export(src, values, reserved)

    found, all_sizes, separated = None, None, False
    while found is None or wanted:
        all_sizes = sizes.Sizes(src.knobs, export, values)
        found = all_sizes.solve()
        for i in all_sizes.dims():
            if i not in names:
                names[i] = identifier("d%d" % literals, taken)
                literals += 1
        late = {i: wanted.pop(names[i]) for i in all_sizes.dims() if names[i] in wanted}
        if wanted:
            known = [names[i] for i in all_sizes.dims()]
            raise source.Refused("it has no size %s: it has %s" % (sorted(wanted)[0], ", ".join(known) or "none"))
        if late:
            values.update(late)
            found, wanted = None, {}
        elif not separated and not trial.is_small(src, all_sizes):
            separated = True
            if sizes.separate(src, export, values):
                found = None
    notes = all_sizes.base["notes"] + trial.examine(src, all_sizes)
    state.update(source=src, sizes=all_sizes, names=names)
    graph = sizes.named(all_sizes.base, found, names)
    out = finished(graph, all_sizes, names, req["name"])
    if asked == "tf32" or not asked and allows_tf32():
        out["tf32"] = True
    return {"graph": out, "notes": notes,
            "torch": {t["name"]: t["torch"] for t in graph["tensors"]}}, b""


def allows_tf32():
    """Whether the file has let products of fp32 round to TF32, in the words of torch 2.9 and later or of earlier ones."""
    import torch

    matmul = torch.backends.cuda.matmul
    return matmul.fp32_precision == "tf32" if hasattr(matmul, "fp32_precision") else matmul.allow_tf32


def finished(graph, all_sizes, names, name):
    import torch

    for node in graph["nodes"]:
        node.pop("random", None)
    tensors = [{k: v for k, v in t.items() if k not in ("torch", "why")} for t in graph["tensors"]]
    dims = [{"name": names[i], "value": all_sizes.values[i]} for i in all_sizes.dims()]
    out = {"format": 1, "name": name, "torch": torch.__version__.split("+")[0], "training": graph["training"], "dims": dims,
           "tensors": tensors, "nodes": graph["nodes"], "outputs": graph["outputs"]}
    return {**out, "numbers": graph["numbers"]} if graph["numbers"] else out


def asked_values(req):
    sizes, names = state["sizes"], state["names"]
    return sizes.at({i: req["dims"][names[i]] for i in sizes.dims()})


def compute(req, blob):
    """Runs the module that was read at given sizes, on given numbers, in fp64."""
    import trial

    shapes, out = trial.compute(state["source"], asked_values(req), req["buffers"], blob)
    return ({"unfit": out}, b"") if shapes is None else ({"shapes": shapes}, out)


def fits(req, _):
    """The shapes that the module which was read gives at some sizes, or why it does not run there."""
    import trial

    shapes, why = trial.shapes(state["source"], asked_values(req))
    return ({"unfit": why} if shapes is None else {"shapes": shapes}), b""


def put(req, blob):
    """Takes a part of the numbers that the module is to be run on."""
    if req["at"] == 0:
        state["given"] = bytearray(req["total"])
    state["given"][req["at"]:req["at"] + len(blob)] = blob
    return {}, b""


def tell(req, _):
    """Runs the module on the numbers that were put, and keeps values and scales of its outputs."""
    import trial

    given = state.pop("given")
    shapes, terms, state["told"] = trial.tell(state["source"], asked_values(req), req["buffers"], given, state["device"])
    return {"shapes": shapes, "terms": terms}, b""


def take(req, _):
    """Gives a part of what was told."""
    return {}, state["told"][req["at"]:req["at"] + req["bytes"]]


HANDLERS = {"start": start, "read": read, "compute": compute, "fits": fits, "put": put, "tell": tell, "take": take}


def answer(body, blob):
    from refusal import Refused, first_line

    ((what, req),) = body.items()
    try:
        return HANDLERS[what](req, blob)
    except Refused as error:
        return {"refused": str(error)}, b""
    except (Exception, SystemExit) as error:
        return {"refused": first_line(error)}, b""


def main():
    from frames import serve

    warnings.simplefilter("ignore")
    logging.disable(logging.CRITICAL)
    serve(answer)


if __name__ == "__main__":
    sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
    main()
