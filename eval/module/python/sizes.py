"""Finds out which numbers of a graph follow which sizes of the file: exports it with each knob changed, and compares.

A knob is a dim if the shape of an input follows it, or that of a parameter where it is the length of an ordinary axis.
Every number that changes with dims becomes an expression of them, in darwarp's language; where no simple expression gives
all values that were seen, the dims it follows are taken for fixed. So at the file's own sizes a graph is what was exported.
"""
import math

from refusal import Refused
from source import LARGEST

FACTORS = (2, 3, 5)
STEPS = (1, 2, 3, 5, 7)
SHAPES = ("view", "reshape", "expand", "layer_norm", "rms_norm", "full", "zeros", "ones", "arange", "slice", "narrow", "repeat",
          "new_zeros", "new_ones", "div", "mul", "add", "sub", "tril", "triu")


def leaves(tree, path=()):
    """The integers of a graph with their places, and everything else with None."""
    if isinstance(tree, dict):
        for k in sorted(tree):
            if k not in ("notes", "numbers", "random"):
                yield from leaves(tree[k], path + (k,))
    elif isinstance(tree, list):
        yield path + ("#",), len(tree), False
        for i, sub in enumerate(tree):
            yield from leaves(sub, path + (i,))
    elif type(tree) is float:
        yield path, None, False
    else:
        yield path, tree, type(tree) is int


def same_structure(a, b):
    a, b = list(leaves(a)), list(leaves(b))
    return len(a) == len(b) and all(x[0] == y[0] and x[2] == y[2] and (x[2] or x[1] == y[1]) for x, y in zip(a, b))


def integers(graph):
    return {path: n for path, n, is_int in leaves(graph) if is_int}


def fractions(tree, path=()):
    """The numbers of a graph that are no integers, with their places."""
    if isinstance(tree, (dict, list)):
        for k, sub in sorted(tree.items()) if isinstance(tree, dict) else enumerate(tree):
            yield from fractions(sub, path + (k,))
    elif type(tree) is float:
        yield path, tree


def separate(source, export, values):
    """Makes several knobs of literals of one value that cannot be changed together, as the sides of a square input beside a
    weight: by their axes, or each alone. values gets those of the new knobs. Whether there are any."""
    found, whole = False, Sizes(source.knobs, export, values)
    for i, knob in enumerate(list(source.knobs)):
        if knob.name or len(knob.places) < 2 or whole.moves(i):
            continue
        count = len(source.knobs)
        for parts in (source.by_axis(knob), [[place] for place in knob.places]):
            numbers = source.split(i, parts)
            split = Sizes(source.knobs, export, {**values, **{j: knob.value for j in numbers}})
            if any(split.moves(j) for j in numbers):
                values.update((j, knob.value) for j in numbers)
                found = True
                break
            del source.knobs[count:]
            source.knobs[i] = knob
    return found


class Sizes:
    """What is known of the numbers of one file's graph."""

    def __init__(self, knobs, export, values):
        self.export, self.values = export, values  # values: of all knobs, by index
        self.base = export(values)
        self.numbers = integers(self.base)
        self.samples = {}  # knob -> [(value, integers)]
        self.knobs = knobs
        self.fixed = set()
        self.roots = set()  # knobs that fractions follow, as 1 / sqrt(d) does: no expression gives these
        self.tied = {}  # knob -> others that are always as large

    def at(self, changes):
        """The values of all knobs, where some are changed, and with them those that are tied to them."""
        return {**self.values, **{j: v for i, v in changes.items() for j in (i, *self.tied.get(i, ()))}}

    def probe(self):
        """Exports with each knob changed, twice where that works. Where none of several equal ones can be changed alone,
        as the sides of a matrix that has to be square, they are one."""
        for i in range(len(self.knobs)):
            self.probe_one(i)
        stuck = [i for i in range(len(self.knobs)) if not self.samples[i]]
        while stuck:
            i, others = stuck[0], [j for j in stuck[1:] if self.values[j] == self.values[stuck[0]]]
            stuck = [j for j in stuck[1:] if j not in others]
            if others:
                self.tied[i] = others
                self.fixed.discard(i)
                self.probe_one(i)

    def probe_one(self, i):
        base, self.samples[i] = self.values[i], []
        for v in dict.fromkeys([base * f for f in FACTORS] + [base // f for f in FACTORS]):
            if len(self.samples[i]) < 2:
                self.sample(i, v)
        if len(self.samples[i]) < 2 or i in self.roots or not self.sizes_something(i):
            self.fixed.add(i)
        elif not all(self.plain(i, path) for path in self.numbers):
            for step in STEPS:
                self.sample(i, base + step)

    def moves(self, i):
        """Whether the graph can be exported with a knob changed alone."""
        self.probe_one(i)
        return bool(self.samples[i])

    def sample(self, i, v):
        if 1 <= v <= LARGEST:
            got = self.try_out(self.at({i: v}))
            if got is not None:
                self.samples[i].append((v, integers(got)))
                if dict(fractions(got)) != dict(fractions(self.base)):
                    self.roots.add(i)

    def plain(self, i, path):
        """Whether a number does not follow a knob, or is a whole multiple of it: then a few samples tell all."""
        return not self.changed(i, path) or self.linear(i, path) and self.numbers[path] % self.values[i] == 0

    def linear(self, i, path):
        return all(got[path] * self.values[i] == self.numbers[path] * v for v, got in self.samples[i])

    def try_out(self, values):
        try:
            got = self.export(values)
        except Refused:
            return None
        return got if same_structure(self.base, got) else None

    def changed(self, i, path):
        return any(got[path] != self.numbers[path] for _, got in self.samples[i])

    def sizes_something(self, i):
        """Whether a knob is the length of an axis of a tensor, and no window, stride or number of groups. A window that follows
        a length, as that of a pooling to a size, fixes it."""
        if any(p[0] == "nodes" and "args" in p and "pool" in self.base["nodes"][p[1]]["op"] and self.changed(i, p)
               for p in self.numbers):
            return False
        axes = [p for p in self.numbers if p[0] == "tensors" and "shape" in p and self.changed(i, p)]
        if any(self.base["tensors"][p[1]]["kind"] == "input" for p in axes):
            return True
        for p in self.numbers:
            if p[0] == "nodes" and "args" in p and self.changed(i, p) and self.base["nodes"][p[1]]["op"] not in SHAPES:
                return False
        return any(not self.window(p) for p in axes)

    def window(self, path):
        """Whether an axis of a parameter is one of a convolution's window."""
        name = self.base["tensors"][path[1]]["name"]
        return path[3] >= 2 and any(n["op"].startswith("conv") and len(n["args"]) > 1 and n["args"][1] == {"ref": name}
                                    for n in self.base["nodes"])

    def dims(self):
        return [i for i in range(len(self.knobs)) if i not in self.fixed]

    def solve(self):
        """Expressions for all numbers that change, by place; fixes dims until there is one for each."""
        self.probe()
        while True:
            found, lost = {}, None
            for path, n in self.numbers.items():
                follows = [i for i in self.dims() if self.changed(i, path)]
                if follows:
                    found[path] = self.expression(path, follows)
                    if found[path] is None:
                        lost = follows
                        break
            if lost is None and not self.holds(found):
                lost = self.dims()
            if lost is None:
                return found
            self.fixed.update(lost)

    def holds(self, found):
        """Exports once more with all dims changed together."""
        if not self.dims():
            return True
        values = self.at({i: self.samples[i][k % 2][0] for k, i in enumerate(self.dims())})
        got = self.try_out(values)
        if got is None:
            return False
        got = integers(got)
        return all(found[p][1](values) == got[p] if p in found else got[p] == n for p, n in self.numbers.items())

    def expression(self, path, follows):
        """(form, function of values), or None. A form is factors and a divisor, and a window's count or None."""
        n = self.numbers[path]
        linear = [i for i in follows if self.linear(i, path)]
        others = [i for i in follows if i not in linear]
        if not others:
            return self.product(n, linear, None)
        whole = math.prod(self.values[i] for i in linear)
        if len(others) > 1 or n % whole:
            return None
        window = self.window_count(path, others[0], whole)
        return window and self.product(whole, linear, window)

    def product(self, n, linear, window):
        whole = math.prod(self.values[i] for i in linear)
        g = math.gcd(n, whole)
        up, down = n // g, whole // g

        def value(values):
            out = math.prod(values[i] for i in linear) * up // down
            return out * counted(window, values) if window else out
        return (linear, up, down, window), value

    def window_count(self, path, i, whole):
        """(size + c) / k + e, as windows, padding and cuts make them: (i, k, c, e)."""
        points = [(self.values[i], self.numbers[path])] + [(v, got[path]) for v, got in self.samples[i]]
        if any(b % whole for _, b in points):
            return None
        points = [(a, b // whole) for a, b in points]
        if len({b - a for a, b in points}) == 1:
            return i, 1, points[0][1] - points[0][0], 0
        for k in range(2, 65):
            for c in sorted(range(-64, 65), key=abs):
                e = points[0][1] - (points[0][0] + c) // k
                if abs(e) <= 2 and all((a + c) // k + e == b for a, b in points):
                    return i, k, c, e
        return None


def counted(window, values):
    i, k, c, e = window
    return (values[i] + c) // k + e


def signed(text, n):
    return text if n == 0 else "%s %s %d" % (text, "+" if n > 0 else "-", abs(n))


def text(form, names):
    """An expression in darwarp's language."""
    linear, up, down, window = form
    parts = [names[i] for i in linear] + ([str(up)] if up > 1 else [])
    out = " * ".join(parts)
    if down > 1:
        out = "%s / %d" % ("(%s)" % out if len(parts) > 1 else out, down)
    if not window:
        return out
    i, k, c, e = window
    inner = signed(names[i], c)
    if k > 1:
        inner = signed("%s / %d" % ("(%s)" % inner if c else inner, k), e)
    return "%s * (%s)" % (out, inner) if parts else inner


def named(graph, found, names):
    """The graph with expressions in place of the numbers that follow dims."""
    for path, (form, _) in found.items():
        *above, last = path
        at = graph
        for step in above[:-1]:
            at = at[step]
        if last == "value":
            at[above[-1]] = {"dim": text(form, names)}
        elif above:
            at[above[-1]][last] = text(form, names)
    return graph
