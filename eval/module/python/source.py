"""Reads a file with a module, without and with other sizes.

A knob is a number in the file that may be a size: what a name of the module level is set to, or the literals of one value
outside of classes and functions, and in get_inputs and get_init_inputs, as long as these can be changed together. The file is run again with other values of its
knobs to learn which numbers of the graph follow which size.
"""
import ast
import inspect
import linecache
import operator
import random
import sys
import types

import torch

from modes import converted
from refusal import Refused, first_line

FILE = "model.py"
GIVERS = ("get_inputs", "get_init_inputs")
LARGEST = 2**31 - 1
MOST_KNOBS = 24
OPERATORS = {ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.FloorDiv: operator.floordiv}


class Knob:
    """A size in the file: its name (None: literals), its value, and the nodes of the syntax tree that hold it."""

    def __init__(self, name, value):
        self.name, self.value, self.places = name, value, []


def number(node):
    """The integer that an expression of literals is, or None."""
    if isinstance(node, ast.Constant) and type(node.value) is int and abs(node.value) <= LARGEST:
        return node.value
    if isinstance(node, ast.BinOp) and type(node.op) in OPERATORS:
        a, b = number(node.left), number(node.right)
        if a is not None and b is not None and not (b == 0 and isinstance(node.op, ast.FloorDiv)):
            value = OPERATORS[type(node.op)](a, b)
            return value if abs(value) <= LARGEST else None
    return None


def assigned(statement):
    """The pairs of name and expression that a statement of the module level sets."""
    if isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name) and statement.value:
        return [(statement.target.id, statement.value)]
    if not isinstance(statement, ast.Assign):
        return []
    pairs = []
    for target in statement.targets:
        names, values = [target], [statement.value]
        if isinstance(target, ast.Tuple) and isinstance(statement.value, ast.Tuple):
            names, values = target.elts, statement.value.elts
        if len(names) == len(values):
            pairs += [(n.id, v) for n, v in zip(names, values) if isinstance(n, ast.Name)]
    return pairs


def numbers(node):
    """The integers below a node of the syntax tree, sums and products of literals as one."""
    n = number(node)
    if n is not None:
        yield node, n
        return
    for sub in ast.iter_child_nodes(node):
        yield from numbers(sub)


class Source:
    """A file with a module. Raises Refused if it cannot be read."""

    def __init__(self, text, class_name="", evaluate=False, precision=None):
        text = text.removeprefix("\ufeff")  # some editors put it before a file
        self.text, self.class_name, self.evaluate, self.precision = text, class_name, evaluate, precision
        try:
            self.tree = ast.parse(text, FILE)
        except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
            raise Refused("it is no Python: " + first_line(error))
        linecache.cache[FILE] = (len(text), None, text.splitlines(True), FILE)
        self.knobs = []
        self.find_knobs()

    def find_knobs(self):
        literals, taken = {}, set()
        for statement in self.tree.body:
            for name, value in assigned(statement):
                n = number(value)
                if n is None or n < 1:
                    continue
                knob = Knob(name, n)
                knob.places.append(value)
                taken.update(id(sub) for sub in ast.walk(value))
                self.knobs = [k for k in self.knobs if k.name != name] + [knob]
        for statement in self.tree.body:
            if isinstance(statement, (ast.ClassDef, ast.Import, ast.ImportFrom)):
                continue
            if isinstance(statement, ast.FunctionDef) and statement.name not in GIVERS:
                continue
            for node, n in numbers(statement):
                if n > 1 and id(node) not in taken:
                    literals.setdefault(n, Knob(None, n)).places.append(node)
        self.knobs += literals.values()
        if len(self.knobs) > MOST_KNOBS:
            self.knobs.sort(key=lambda k: (k.name is None, -k.value))
            self.knobs = self.knobs[:MOST_KNOBS]

    def by_axis(self, knob):
        """The places of a knob by where they stand in their lists and calls: those of the same axis of several shapes together."""
        axis = {}
        for node in ast.walk(self.tree):
            for group in (getattr(node, "elts", None), getattr(node, "args", None)):
                axis.update((id(sub), k) for k, sub in enumerate(group if isinstance(group, list) else ()))
        parts = {}
        for place in knob.places:
            parts.setdefault(axis.get(id(place)), []).append(place)
        return list(parts.values())

    def split(self, i, parts):
        """Makes several knobs of one: the first part in its place, the others at the end. Returns the numbers of all."""
        value, numbers = self.knobs[i].value, [i]
        self.knobs[i] = Knob(None, value)
        for _ in parts[1:]:
            numbers.append(len(self.knobs))
            self.knobs.append(Knob(None, value))
        for j, places in zip(numbers, parts):
            self.knobs[j].places = places
        return numbers

    def run(self, values):
        """Runs the file with other values of some knobs, by index, and returns what it defines."""
        old = []
        for i, v in values.items():
            for place in self.knobs[i].places:
                old.append((place, place.__class__, dict(place.__dict__)))
                place.__class__ = ast.Constant
                where = {k: place.__dict__[k] for k in ("lineno", "col_offset", "end_lineno", "end_col_offset")}
                place.__dict__.clear()
                place.__dict__.update(where, value=v, kind=None)
        try:
            code = compile(self.tree, FILE, "exec")
        finally:
            for place, kind, fields in old:
                place.__class__ = kind
                place.__dict__.clear()
                place.__dict__.update(fields)
        module = types.ModuleType("model")
        module.__file__ = FILE
        sys.modules["model"] = module
        random.seed(0)
        torch.manual_seed(0)
        exec(code, module.__dict__)
        return module

    def pick(self, module):
        """The class to import."""
        classes = {name: c for name, c in vars(module).items() if inspect.isclass(c) and issubclass(c, torch.nn.Module)
                   and c.__module__ == "model"}
        wanted = self.class_name or ("Model" if "Model" in classes or len(classes) != 1 else next(iter(classes)))
        if wanted in classes:
            return classes[wanted]
        if not classes:
            raise Refused("it defines no subclass of torch.nn.Module")
        raise Refused("it defines no module %s: choose one of %s with --class" % (wanted, ", ".join(sorted(classes)[:8])))

    def build(self, values=None):
        """Makes the module and the arguments of its forward. They are as large as their sizes say, unless a mode is on."""
        module = self.run(values or {})
        kind = self.pick(module)
        if not callable(getattr(module, "get_inputs", None)):
            raise Refused("it has no get_inputs(), which returns the arguments of forward")
        give = getattr(module, "get_init_inputs", None)
        given = give() if callable(give) else []
        args, named = (list(given), {}) if not isinstance(given, dict) else ([], given)
        if len(args) == 2 and isinstance(args[0], (list, tuple)) and isinstance(args[1], dict):
            args, named = list(args[0]), args[1]
        made = kind(*args, **named)
        if self.evaluate:
            made.eval()
        inputs = module.get_inputs()
        if not isinstance(inputs, (list, tuple)):
            what = "a tensor" if isinstance(inputs, torch.Tensor) else type(inputs).__name__
            raise Refused("get_inputs() returns %s: expected a list of arguments" % what)
        return made, list(inputs)

    def build_as_asked(self, values=None):
        """As build. Where a precision is asked for, parameters, buffers and arguments of other floating types have it."""
        made, inputs = self.build(values)
        if self.precision is None:
            return made, inputs
        converted(made, lambda t: t.to(self.precision) if t.is_floating_point() else t)
        return made, [self.narrowed(x) for x in inputs]

    def narrowed(self, x):
        """An argument in the precision that is asked for, drawn as before."""
        if not isinstance(x, torch.Tensor) or not x.is_floating_point() or x.dtype == self.precision:
            return x
        out = x.to(self.precision)
        if hasattr(x, "drawn"):
            out.drawn = x.drawn
        return out
