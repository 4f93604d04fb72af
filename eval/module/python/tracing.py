"""Exports a module without memory for its tensors, and turns what torch.export gives into plain lists of nodes."""
import inspect
import json
import math
import operator

import torch
from torch.export.graph_signature import InputKind, OutputKind

from chosen import with_counts
from modes import without_memory
from parts import PARTS, traced
from refusal import Refused, first_line

DTYPES = {torch.float32: "fp32", torch.float16: "fp16", torch.bfloat16: "bf16", torch.int64: "int64",
          torch.int32: "int32", torch.int8: "int8", torch.uint8: "uint8", torch.bool: "bool"}
PRECISIONS = {name: dtype for dtype, name in DTYPES.items() if dtype.is_floating_point}
MOST_NODES = 512
MOST_CONSTANT = 1  # elements of a constant that is written as a number
APART = {"wrap_with_autocast": "it has a part under torch.autocast: leave that out, and ask for a --precision"}
DATA = ("DataDependent", "data-dependent", "data dependent", "DynamicOutputShape", "Cannot call numel", "unbacked",
        "_local_scalar_dense")


def dtype_of(what, t):
    if t.dtype not in DTYPES:
        raise Refused("%s is %s: expected one of %s" % (what, str(t.dtype).replace("torch.", ""), ", ".join(DTYPES.values())))
    return DTYPES[t.dtype]


def export(source, values=None, reserved=()):
    """Exports the module with some knobs changed; raises Refused where it cannot be."""
    try:
        with without_memory(), torch.no_grad():
            module, inputs = source.build_as_asked(values)
            check_inputs(inputs)
            program = torch.export.export(module, tuple(inputs), strict=False)
            if must_be_functional(program):
                program = program.run_decompositions({})
    except Refused:
        raise
    except Exception as error:
        text = "%s %s" % (type(error).__name__, error)
        if any(word in text for word in DATA):
            raise Refused("shapes or branches depend on the values of tensors: " + first_line(error))
        raise Refused("it cannot be exported: " + first_line(error))
    return Reader(module, inputs, program, reserved).read()


def check_inputs(inputs):
    for i, x in enumerate(inputs):
        if not isinstance(x, (torch.Tensor, int, float, bool, str, type(None))):
            raise Refused("argument %d of forward is a %s: expected a tensor or a number" % (i + 1, type(x).__name__))
        if isinstance(x, torch.Tensor) and x.numel() == 0:
            raise Refused("argument %d of forward has no elements: its shape is %s" % (i + 1, list(x.shape)))
    if not any(isinstance(x, torch.Tensor) for x in inputs):
        raise Refused("get_inputs() returns no tensor")


def mutated(node):
    """The positional arguments that a node writes to."""
    schema = getattr(node.target, "_schema", None)
    if schema is None or not schema.is_mutable:
        return []
    return [node.args[i] for i, a in enumerate(schema.arguments)
            if a.alias_info is not None and a.alias_info.is_write and i < len(node.args)]


def must_be_functional(program):
    """Whether something is written to that others may see in another shape. What is not is renamed instead."""
    for node in program.graph.nodes:
        for target in mutated(node):
            if target.op == "placeholder":
                continue
            views = [target, *(u for u in target.users if u is not node)]
            if any(is_view(v) for v in views) or simple_name(node) in ("copy", "fill", "zero", "index_put"):
                return True
    return False


def is_view(node):
    schema = getattr(node.target, "_schema", None)
    return schema is not None and any(r.alias_info is not None and not r.alias_info.is_write for r in schema.returns)


def simple_name(node):
    """The operator without its package and its overload; in-place operators like their others."""
    name = node.target._schema.name.split("::")[-1] if hasattr(node.target, "_schema") else str(node.target)
    return name[:-1] if mutated(node) and name.endswith("_") and not name.endswith("__") else name


def part_of(node):
    """The operator that a part of the program is for."""
    return next((getattr(u.target, "__name__", str(u.target)) for u in node.users), node.target)


class Reader:
    """Reads one exported program. A graph is {"tensors", "nodes", "outputs", "notes"}; integers are still numbers."""

    def __init__(self, module, inputs, program, reserved):
        self.module, self.inputs, self.program = module, inputs, program
        self.notes, self.tensors, self.nodes = [], [], []
        self.numbers = []  # arguments that are no tensors
        self.taken = {}  # what stands for a node of torch: a name, or a value
        self.tuples, self.pieces = {}, {}
        self.names = set(reserved)

    def read(self):
        signature = self.program.graph_signature
        specs = {s.arg.name: s for s in signature.input_specs}
        user = enumerate(self.parameters())
        for node in self.program.graph.nodes:
            if node.op == "placeholder":
                self.placeholder(node, specs[node.name], user)
            elif node.op == "call_function":
                self.call(node)
            elif node.op == "get_attr":
                raise Refused(APART.get(part_of(node), "it has a part that is chosen while it runs (%s)" % part_of(node)))
        outputs = self.outputs(signature)
        self.prune(outputs)
        if len(self.nodes) > MOST_NODES:
            raise Refused("it has %d operations, at most %d are read" % (len(self.nodes), MOST_NODES))
        for node in self.nodes:
            if node.pop("random"):
                how = ": ask for evaluation with --eval" if self.module.training else ""
                raise Refused("%s draws random numbers%s" % (node["op"], how))
        self.tensors.sort(key=lambda t: ("input", "parameter", "buffer").index(t["kind"]))
        return {"training": bool(self.module.training), "tensors": self.tensors, "nodes": self.nodes,
                "outputs": outputs, "notes": self.notes, "numbers": self.numbers}

    def parameters(self):
        """Names of forward's arguments, in the order of the inputs."""
        names, more = [], None
        for p in inspect.signature(self.module.forward).parameters.values():
            if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD):
                names.append(p.name)
            elif p.kind == p.VAR_POSITIONAL:
                more = p.name
        names += ["%s%d" % (more or "input", i) for i in range(len(self.inputs) - len(names))]
        return zip(names, self.inputs)

    def fresh(self, name):
        name = "".join(c if c.isascii() and c.isalnum() else "_" for c in name)[:60].strip("_") or "t"
        name = "t" + name if name[0].isdigit() else name
        base, n = name, 1
        while name in self.names:
            n += 1
            name = "%s_%d" % (base, n)
        self.names.add(name)
        return name

    def placeholder(self, node, spec, user):
        value = node.meta.get("val")
        if spec.kind == InputKind.USER_INPUT:
            place, (name, given) = next(user)
            if not isinstance(given, torch.Tensor):
                self.taken[node] = {"value": given}
                self.numbers.append(argument_of(place, name, given))
                return
            self.tensor(node, name, "input", value, getattr(given, "drawn", "other"))
            self.tensors[-1]["torch"] = str(place)
            if value.dtype in (torch.int64, torch.int32) and hasattr(given, "range"):
                self.tensors[-1]["range"] = given.range
        elif spec.kind == InputKind.PARAMETER:
            self.tensor(node, spec.target, "parameter", value)
        elif spec.kind == InputKind.BUFFER:
            self.tensor(node, spec.target, "buffer", value)
        elif spec.kind == InputKind.CONSTANT_TENSOR:
            constant = self.program.constants.get(spec.target)
            constant = getattr(constant, "constant", None) if hasattr(constant, "fake_mode") else constant
            if constant is not None and constant.numel() <= MOST_CONSTANT and constant.dim() == 0:
                self.taken[node] = {"value": constant.item()}
            elif self.module_has(spec.target):
                self.tensor(node, spec.target, "buffer", value)
            else:
                raise Refused("forward makes a tensor of constants: make it a buffer of the module")
        else:
            raise Refused("an argument of the kind %s" % spec.kind.name.lower())

    def module_has(self, path):
        owner, _, name = path.rpartition(".")
        try:
            return isinstance(getattr(self.module.get_submodule(owner), name, None), torch.Tensor)
        except AttributeError:
            return False

    def tensor(self, node, name, kind, value, distribution=None):
        t = {"name": self.fresh(name), "kind": kind, "torch": name, "dtype": None, "shape": list(value.shape)}
        if value.dtype in DTYPES:
            t["dtype"] = DTYPES[value.dtype]
        else:
            t["why"] = str(value.dtype).replace("torch.", "")
        if distribution:
            t["distribution"] = distribution
        if kind == "input" and not value.is_contiguous():
            self.notes.append("%s is not contiguous: kernels take its numbers in the order of its shape" % t["name"])
        self.tensors.append(t)
        self.taken[node] = {"ref": t["name"]}

    def call(self, node):
        if node.target is operator.getitem:
            self.item(node)
            return
        if not isinstance(node.target, torch._ops.OpOverload):
            raise Refused("%s is no operator of ATen" % getattr(node.target, "__name__", node.target))
        name = simple_name(node)
        if name in ("lift_fresh_copy", "lift_fresh", "detach", "alias") and isinstance(node.args[0], torch.fx.Node):
            self.taken[node] = self.taken[node.args[0]]
            return
        if "dropout" in name and quiet(name, self.arguments(node.args)):
            self.taken[node] = self.taken[node.args[0]]
            return
        if name.startswith("_assert") or name.startswith("sym_constrain"):
            return
        written = mutated(node)
        for target in written:
            self.check_write(node, target)
        value = node.meta.get("val")
        if name in PARTS and not (name == "einsum" and is_product(node.args[0])) and self.write_out(node, PARTS[name]):
            return
        if isinstance(value, (tuple, list)):
            self.tuples[node] = name
            return
        self.emit(node, node.target, name, from_start(name, node, self.arguments(node.args)), self.keywords(node.kwargs))
        for target in written:
            self.taken[target] = self.taken[node]

    def write_out(self, node, function):
        """Reads what an operator is made of in its place. False: it stays as it is."""
        made = traced(function, with_counts(simple_name(node), node.args), node.kwargs)
        if made is None:
            return False
        graph, nodes = made
        given = iter(nodes)
        for part in graph.nodes:
            if part.op == "placeholder":
                self.taken[part] = self.taken[next(given)]
            elif part.op == "call_function":
                self.call(part)
        result = next(part for part in graph.nodes if part.op == "output").args[0]
        if isinstance(result, torch.fx.Node):
            self.taken[node] = self.taken[result]
            for target in mutated(node):
                self.taken[target] = self.taken[node]
        else:
            self.pieces[node] = result
        return True

    def check_write(self, node, target):
        """State: only the counters of batch norms, which nothing reads, and their statistics may be written."""
        if target.op != "placeholder":
            return
        spec = next(s for s in self.program.graph_signature.input_specs if s.arg.name == target.name)
        if spec.kind == InputKind.BUFFER and spec.target.split(".")[-1] in (
                "num_batches_tracked", "running_mean", "running_var"):
            return
        what = "its argument" if spec.kind == InputKind.USER_INPUT else "the " + spec.kind.name.lower()
        raise Refused("forward writes to %s %s: it keeps state" % (what, spec.target or target.name))

    def emit(self, node, target, name, args, kwargs):
        value = node.meta["val"]
        if isinstance(value, torch.SymInt):
            raise Refused("shapes depend on the values of tensors")
        if not isinstance(value, torch.Tensor):
            raise Refused("%s takes a number out of a tensor: expected operators on tensors" % name)
        if not all(type(n) is int for n in value.shape):
            raise Refused("the shape of what %s gives depends on the values of tensors" % name)
        name, args = usual(name, args, value)
        if name == "batch_norm" and args[5] == {"value": True}:
            self.forget_statistics()
            args = args[:3] + [{"value": None}, {"value": None}] + args[5:]
        out = {"name": self.fresh(node.name), "op": name, "args": args, "dtype": dtype_of(node.name, value),
               "shape": list(value.shape), "random": torch.Tag.nondeterministic_seeded in target.tags
               and not quiet(name, args)}
        if kwargs:
            out["kwargs"] = kwargs
        self.nodes.append(out)
        self.taken[node] = {"ref": out["name"]}

    def forget_statistics(self):
        note = "batch norm uses the statistics of the batch; the running ones are not updated"
        if note not in self.notes:
            self.notes.append(note)

    def item(self, node):
        """One of several results: those that are an operator by themselves."""
        whole, k = node.args
        if whole in self.pieces:
            if k >= len(self.pieces[whole]):
                if not node.users:
                    return
                raise Refused("%s gives places besides numbers" % simple_name(whole))
            self.taken[node] = self.taken[self.pieces[whole][k]]
            return
        name, value = self.tuples[whole], node.meta["val"]
        if k > 0 and not node.users:
            return
        args = self.arguments(whole.args)
        if name in ("max", "min"):
            if k == 0:
                args[1] = {"list": [args[1]]}
            name = ("a" if k == 0 else "arg") + name
        elif name in ("split", "chunk", "split_with_sizes", "tensor_split"):
            dim = args[2]["value"] if len(args) > 2 else 0
            start = sum(t.shape[dim] for t in whole.meta["val"][:k])
            name, args = "slice", [args[0], *({"value": n} for n in (dim, start, start + value.shape[dim]))]
        elif name == "broadcast_tensors":
            one = args[0]["list"][k]
            if list(whole.args[0][k].meta["val"].shape) == list(value.shape):
                self.taken[node] = one
                return
            name, args, k = "expand", [one, {"list": []}], 0
        elif name == "unbind":
            name, args = "select", [args[0], args[1] if len(args) > 1 else {"value": 0}, {"value": k}]
        elif name.startswith("_native_batch_norm_legit"):
            name, args = self.batch_norm(name, args)
        if k > 0 and name not in ("argmax", "argmin", "slice", "select"):
            if name == "batch_norm":
                return  # what the running statistics would become
            raise Refused("%s gives several results, of which more than the first is used" % name)
        self.emit(node, whole.target, name, args, self.keywords(whole.kwargs))

    def batch_norm(self, name, args):
        training = "no_training" not in name
        eps = args[7] if training else args[6]
        return "batch_norm", args[:5] + [{"value": training}, args[6] if training else args[5], eps, {"value": False}]

    def arguments(self, args):
        return [self.argument(a) for a in args]

    def argument(self, a):
        if isinstance(a, torch.fx.Node):
            if a in self.tuples:
                raise Refused("%s gives several results, which are used together" % self.tuples[a])
            return dict(self.taken[a])
        if isinstance(a, (list, tuple)):
            return {"list": self.arguments(a)}
        if isinstance(a, torch.dtype):
            if a not in DTYPES:
                raise Refused("it computes in %s" % str(a).replace("torch.", ""))
            return {"value": DTYPES[a]}
        if isinstance(a, float) and not math.isfinite(a):
            return {"value": str(a)}
        if a is None or isinstance(a, (bool, int, float, str)):
            return {"value": a}
        if isinstance(a, (torch.device, torch.layout, torch.memory_format)):
            return {"value": None}
        raise Refused("an argument is a %s" % type(a).__name__)

    def keywords(self, kwargs):
        return {k: self.argument(v) for k, v in kwargs.items()
                if k not in ("device", "layout", "pin_memory", "memory_format", "generator")}

    def outputs(self, signature):
        (last,) = [n for n in self.program.graph.nodes if n.op == "output"]
        outputs = []
        for spec, node in zip(signature.output_specs, last.args[0]):
            if spec.kind == OutputKind.BUFFER_MUTATION:
                if spec.target.split(".")[-1] not in ("num_batches_tracked", "running_mean", "running_var"):
                    raise Refused("forward writes to the buffer %s: it keeps state" % spec.target)
                continue
            if spec.kind == OutputKind.USER_INPUT_MUTATION:
                raise Refused("forward writes to its argument %s: it keeps state" % spec.target)
            if spec.kind != OutputKind.USER_OUTPUT:
                raise Refused("an output of the kind %s" % spec.kind.name.lower())
            ref = self.taken.get(node, {}).get("ref") if isinstance(node, torch.fx.Node) else None
            if ref is None:
                raise Refused("forward returns something that is constant or no tensor")
            outputs.append(ref)
        if not outputs:
            raise Refused("forward returns nothing")
        if set(outputs) & {t["name"] for t in self.tensors}:
            raise Refused("forward returns one of its arguments as it is")
        if len(set(outputs)) < len(outputs):
            raise Refused("forward returns the same tensor twice")
        return outputs

    def prune(self, outputs):
        """Leaves out what no output needs: counters of batch norms, unused parameters. Inputs stay."""
        needed, nodes = set(outputs), []
        for node in reversed(self.nodes):
            if node["name"] in needed:
                nodes.append(node)
                needed.update(refs([node["args"], node.get("kwargs", {})]))
        self.nodes = nodes[::-1]
        for t in self.tensors:
            if t["name"] not in needed and t["kind"] == "input":
                self.notes.append("forward does not use %s" % t["name"])
            if t.get("why") and (t["name"] in needed or t["kind"] == "input"):
                raise Refused("%s is %s: expected one of %s" % (t["name"], t["why"], ", ".join(DTYPES.values())))
        self.tensors = [t for t in self.tensors if t["name"] in needed or t["kind"] == "input"]


def from_start(name, node, args):
    """The arguments of a slice that counts from the end of an axis, as one that counts from its start."""
    if name in ("slice", "select") and len(node.args) > 2 and type(node.args[2]) is int and node.args[2] < 0:
        args[2] = {"value": max(node.args[0].meta["val"].shape[node.args[1]] + node.args[2], 0)}
    return args


def usual(name, args, value):
    """One name for operators that are the same, and sizes that are whole."""
    if name in ("view", "reshape", "_unsafe_view", "expand", "unflatten", "view_as", "reshape_as"):
        args = [args[0], {"list": [{"value": n} for n in value.shape]}]
        name = name if name in ("reshape", "expand") else "view"
    elif name in ("t", "numpy_T", "mT", "adjoint", "matrix_H") and value.dim() >= 2 and (name != "numpy_T" or value.dim() == 2):
        name, args = "transpose", [args[0], {"value": value.dim() - 2}, {"value": value.dim() - 1}]
    elif name == "einsum" and len(args[1]["list"]) == 2 and is_product(args[0]["value"]):
        name, args = "matmul", args[1]["list"]
    elif name in ("__and__", "__or__", "__xor__"):
        name = "bitwise_" + name.strip("_")
    elif name in ("max", "min"):
        name = "a" + name if len(args) == 1 else name + "imum"
        args = args if name.endswith("imum") else [args[0], {"list": []}]
    return name, args


def is_product(equation):
    """Whether an equation of einsum is that of a product with a matrix, as bijl,lk->bijk."""
    terms, _, out = equation.replace(" ", "").partition("->")
    a, _, b = terms.partition(",")
    return (a + b + out).isalpha() and len(b) == 2 and a[-1:] == b[0] and out == a[:-1] + b[1] and len(set(a + b)) == len(a) + 1


def quiet(name, args):
    """Whether an operator that can draw random numbers does not here: dropout in evaluation."""
    if name in ("dropout", "feature_dropout", "alpha_dropout", "feature_alpha_dropout"):
        return args[2] == {"value": False} or args[1] == {"value": 0.0}
    if name == "rrelu":
        return len(args) < 4 or args[3] == {"value": False}
    if name in ("lstm", "gru", "rnn_tanh", "rnn_relu"):  # dropout between layers
        return args[-4] == {"value": 0.0} or args[-3] == {"value": False}
    if name == "scaled_dot_product_attention":
        return len(args) < 5 or args[4] == {"value": 0.0}
    return False


def argument_of(place, name, given):
    """An argument that is no tensor: its value is JSON, where infinities are texts."""
    finite = not isinstance(given, float) or math.isfinite(given)
    return {"at": place, "name": name[:40] if name.isascii() else "argument%d" % place,
            "value": json.dumps(given if finite else str(given))}


def refs(tree):
    if isinstance(tree, list):
        return [r for sub in tree for r in refs(sub)]
    if isinstance(tree, dict):
        return [tree["ref"]] if "ref" in tree else [r for sub in tree.values() for r in refs(sub)]
    return []
