"""Tests of the package without PyTorch, a GPU or darwarp: tests/faketorch, a driver and a program stand in for them.

python3 -m unittest discover -s cmd/darwarp/python/tests
"""
import ctypes
import io
import json
import os
import pathlib
import sys
import tempfile
import types
import unittest
import warnings
from unittest import mock

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE / "faketorch"), str(HERE.parent)] if os.environ.get("DARWARP_INSTALLED") is None else [str(HERE / "faketorch")]

import torch  # noqa: E402: the one that stands in

import darwarp  # noqa: E402
from darwarp import _cuda, _folder, _operator, _program, _search, _source  # noqa: E402

PLAN = {
    "problem": "scaled-add", "kind": "cuda", "arch": "sm_90a", "flags": ["causal"],
    "workloads": [{
        "name": "small", "dims": {"n": 8, "causal": 1},
        "tensors": [{"name": "x", "dtype": "fp16", "shape": [8]}, {"name": "norm_weight", "dtype": "fp32", "shape": [8]},
                    {"name": "y", "dtype": "fp16", "shape": [8], "out": True}],
        "scratch": [{"name": "sums", "bytes": 64, "zero": True}, {"name": "parts", "bytes": 32}],
        "launches": [{"entry": "add", "grid": [2, 1, 1], "block": [32, 1, 1], "cluster": [2, 1, 1], "smem": 65536,
                      "args": [{"kind": "tensor", "name": "x"}, {"kind": "tensor", "name": "norm_weight"}, {"kind": "tensor", "name": "y"},
                               {"kind": "scratch", "name": "sums"}, {"kind": "scratch", "name": "parts"}, {"kind": "i32", "int": -5}]}]}]}


class FakeDriver:
    """Writes calls down; of a launch the arguments as the driver would read them."""

    def __init__(self):
        self.calls = []

    def call(self, name, *args):
        if name == "cuLaunchKernelEx":
            config = ctypes.cast(args[0], ctypes.POINTER(_cuda.Config)).contents
            pointers = [ctypes.cast(p, ctypes.POINTER(ctypes.c_uint64)).contents.value for p in args[2][:5]]
            number = ctypes.cast(args[2][5], ctypes.POINTER(ctypes.c_int)).contents.value
            cluster = list(config.attributes[0].value[:3]) if config.count else None
            self.calls.append((name, list(config.grid), config.shared, config.stream, cluster, pointers, number))
        elif name == "cuFuncSetAttribute":
            self.calls.append((name, args[1].value, args[2].value))
        else:
            self.calls.append((name,))

    def named(self, name):
        return [c for c in self.calls if c[0] == name]


class Twice(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.children["norm"] = torch.nn.Module()
        self.children["norm"].weight = torch.Tensor([8])
        self.calls = 0

    def forward(self, *args, **kwargs):
        self.calls += 1
        return "the module"


class Case(unittest.TestCase):
    def setUp(self):
        room = tempfile.TemporaryDirectory()
        self.addCleanup(room.cleanup)
        self.room = pathlib.Path(room.name)
        self.driver = FakeDriver()
        torch.GPU.available, torch.GPU.capability, torch.GPU.grad = True, (9, 0), False
        torch.library.Library.__init__(_operator._library, "darwarp", "FRAGMENT")
        _operator._operators.clear()
        self.patch(_operator, "Driver", lambda: self.driver)
        self.folder = self.exported("out", PLAN)
        for name, value in {"XDG_CACHE_HOME": self.room / "cache", "CALLS": self.room / "calls", "EXPORTED": self.folder,
                            "DARWARP_PROGRAM": HERE / "program.py"}.items():
            self.setenv(name, value)

    def patch(self, where, name, value):
        self.addCleanup(setattr, where, name, getattr(where, name))
        setattr(where, name, value)

    def setenv(self, name, value):
        self.addCleanup(os.environ.pop, name, None)
        os.environ[name] = str(value)

    def exported(self, name, plan):
        folder = self.room / name
        folder.mkdir()
        (folder / "launch.json").write_text(json.dumps(plan))
        (folder / "kernel.cubin").write_bytes(b"\x7fELF\0machine code")
        return folder

    def calls(self):
        return (self.room / "calls").read_text().splitlines()

    def fallback(self, op, *args, **kwargs):
        """Why the module was called."""
        with warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always")
            self.assertEqual(op(*args, **kwargs), "the module")
            self.assertEqual(op(*args, **kwargs), "the module")
        self.assertEqual(len(said), 1, "said once")
        return str(said[0].message)


class TestLoad(Case):
    def test_launch(self):
        op = darwarp.load(self.folder)
        x, w = torch.Tensor([8], torch.float16), torch.Tensor([8], offset=4)
        y = op(x, w, 1)
        self.assertEqual((y.shape, y.dtype), ((8,), torch.float16))
        [(_, grid, shared, stream, cluster, pointers, number)] = self.driver.named("cuLaunchKernelEx")
        self.assertEqual((grid, shared, stream, cluster, number), ([2, 1, 1], 65536, 77, [2, 1, 1], -5))
        self.assertEqual((pointers[0], pointers[2]), (x.data_ptr(), y.data_ptr()))
        self.assertNotEqual(pointers[1], w.data_ptr(), "a misaligned input is copied")
        self.assertEqual(len(set(pointers)), 5)
        self.assertEqual(self.driver.named("cuFuncSetAttribute"), [("cuFuncSetAttribute", _cuda.MAX_DYNAMIC_SHARED, 65536)])
        op(x, w, 1)
        self.assertEqual(len(self.driver.named("cuModuleLoadData")), 1, "loaded once")

    def test_bytes(self):
        plan = json.loads(json.dumps(PLAN))
        for t, dtype in zip(plan["workloads"][0]["tensors"], ("e4m3", "uint8")):
            t["dtype"] = dtype
        op = darwarp.load(self.exported("bytes", plan))
        codes = torch.Tensor([8], torch.uint8)
        self.assertEqual(op(torch.Tensor([8], torch.float8_e4m3fn), codes, 1).dtype, torch.float16)
        with self.assertRaisesRegex(ValueError, "x is not a tensor of e4m3"):
            op(codes, codes, 1)
        plan["workloads"][0]["tensors"][0]["dtype"] = "e8m0"  # which this PyTorch does not have
        with self.assertRaisesRegex(ValueError, "x is not a tensor of e8m0"):
            darwarp.load(self.exported("newer", plan))(codes, codes, 1)

    def test_prepared(self):
        darwarp.load(self.folder)
        self.assertEqual(len(self.driver.named("cuModuleGetFunction")), 1, "a graph may be captured at the first call")

    def test_twice(self):
        a, b = darwarp.load(self.folder), darwarp.load(self.folder)
        self.assertEqual(a.plan.name, b.plan.name)
        self.assertEqual(len(_operator._library.schemas), 1)
        [schema] = _operator._library.schemas.values()
        self.assertTrue(schema.endswith("(Tensor t0, Tensor t1, int n0) -> Tensor"), schema)

    def test_fake(self):
        op = darwarp.load(self.folder)
        fake = torch.fakes["darwarp::" + op.plan.name]
        y = fake(torch.Tensor([8], torch.float16), torch.Tensor([8]), 1)
        self.assertEqual((y.shape, y.dtype), ((8,), torch.float16))
        with self.assertRaises(ValueError):
            fake(torch.Tensor([9], torch.float16), torch.Tensor([8]), 1)

    def test_parameters_are_the_modules(self):
        module = Twice()
        op = darwarp.load(self.folder, module)
        x = torch.Tensor([8], torch.float16)
        op(x, 1)
        module.children["norm"].weight = torch.Tensor([8])  # as after a step of training
        op(x, 1)
        self.assertEqual(self.driver.named("cuLaunchKernelEx")[1][5][1], module.children["norm"].weight.data_ptr())
        self.assertEqual(module.calls, 0)

    def test_falls_back(self):
        half = torch.Tensor([8], torch.float16)
        for why, args, kwargs in [
            ("not measured for these shapes", (torch.Tensor([9], torch.float16), 1), {}),
            ("not measured for these shapes", (half, 0), {}),
            ("not a tensor of fp16", (torch.Tensor([8]), 1), {}),
            ("not on the GPU", (torch.Tensor([8], torch.float16, "cpu"), 1), {}),
            ("1 arguments were given, it takes 2", (half,), {}),
            ("keyword arguments", (half, 1), {"out": half}),
        ]:
            with self.subTest(why):
                self.assertIn(why, self.fallback(darwarp.load(self.folder, Twice()), *args, **kwargs))
        torch.GPU.grad = True
        learns = torch.Tensor([8], torch.float16, requires_grad=True)
        self.assertIn("a gradient of x", self.fallback(darwarp.load(self.folder, Twice()), learns, 1))
        with self.assertRaisesRegex(ValueError, "not measured"):
            darwarp.load(self.folder)(torch.Tensor([9], torch.float16), torch.Tensor([8]), 1)
        self.assertEqual(self.driver.named("cuLaunchKernelEx"), [])

    def test_numbers(self):
        """What was no tensor when the module was imported is part of the kernel: others are the module's work."""
        plan = json.loads(json.dumps({**PLAN, "flags": [], "module": {"numbers": [
            {"at": 1, "name": "factor", "value": "0.5"}, {"at": 2, "name": "mask", "value": "null"}]}}))
        del plan["workloads"][0]["dims"]["causal"]
        folder, half = self.exported("numbers", plan), torch.Tensor([8], torch.float16)

        class Scaled(Twice):
            def forward(self, x, factor=1.0, mask=None, mode="sum"):
                return super().forward(x)

        op = darwarp.load(folder, Scaled())
        for args, kwargs in [((half, 0.5), {}), ((half, 0.5, None, "sum"), {}), ((half,), {"factor": 0.5}),
                             ((), {"x": half, "mode": "sum", "factor": 0.5, "mask": None})]:
            self.assertEqual(op(*args, **kwargs).shape, (8,))
        self.assertEqual(len(self.driver.named("cuLaunchKernelEx")), 4)
        for why, args, kwargs in [
            ("factor is not 0.5, which the kernel is for", (half,), {}), ("factor is not 0.5", (half, 2), {}),
            ("factor is not 0.5", (half, half), {}), ("mask is not None", (half, 0.5, half), {}),
            ("4 arguments were given, it takes 3", (half, 0.5, None, "mean"), {}),
            ("4 arguments were given, it takes 3", (half, 0.5, None), {"mode": "mean"}),
        ]:
            with self.subTest(why):
                self.assertIn(why, self.fallback(darwarp.load(folder, Scaled()), *args, **kwargs))
        for args, kwargs in ((), {}), ((half, 0.5), {"out": half}), ((half, 0.5), {"x": half}):
            with self.assertRaises(TypeError), warnings.catch_warnings():  # which the module says
                warnings.simplefilter("ignore")
                op(*args, **kwargs)
        self.assertEqual(len(self.driver.named("cuLaunchKernelEx")), 4)
        self.assertEqual(darwarp.load(folder)(half, torch.Tensor([8])).shape, (8,), "without a module, the problem's inputs")

    def test_equal(self):
        self.assertTrue(_operator.same(2, 2.0) and _operator.same(float("inf"), "inf") and _operator.same("a", "a"))
        self.assertFalse(_operator.same(1, True) or _operator.same(None, 0) or _operator.same(0.1, 0.2) or _operator.same([], []))

    def test_as_the_module(self):
        """Numbers without axes, and places as int64."""
        plan = json.loads(json.dumps({**PLAN, "flags": [], "module": {"scalars": ["norm_weight", "y"], "long": ["y"]}}))
        x, w, y = plan["workloads"][0]["tensors"]
        w["shape"], y["shape"], y["dtype"] = [1], [1], "int32"
        op = darwarp.load(self.exported("scalars", plan))
        for weight in torch.Tensor([]), torch.Tensor([1]):
            got = op(torch.Tensor([8], torch.float16), weight)
            self.assertEqual((got.shape, got.dtype), ((), torch.int64))
        with self.assertRaisesRegex(ValueError, "not measured"):
            op(torch.Tensor([], torch.float16), torch.Tensor([1]))
        both = json.loads(json.dumps(plan))
        both["workloads"][0]["tensors"].append({"name": "z", "dtype": "fp16", "shape": [8], "out": True})
        y, z = darwarp.load(self.exported("several", both))(torch.Tensor([8], torch.float16), torch.Tensor([]))
        self.assertEqual((y.shape, y.dtype, z.shape, z.dtype), ((), torch.int64, (8,), torch.float16))

    def test_other_machines(self):
        x = torch.Tensor([8], torch.float16)
        for n, (capability, changed, why) in enumerate([
            ((8, 0), {}, "the kernel is for sm_90a, the GPU is sm_80"),
            ((9, 1), {}, "the kernel is for sm_90a, the GPU is sm_91"),
            ((9, 0), {"arch": "sm_80"}, "the kernel is for sm_80"),
            ((8, 0), {"arch": "sm_86"}, "the kernel is for sm_86"),
            ((9, 0), {"kind": "cpu", "arch": "cpu"}, "never ran on a GPU"),
            ((9, 0), {"workloads": [{**PLAN["workloads"][0], "prepare": PLAN["workloads"][0]["launches"]}]}, "packs weights beforehand"),
        ]):
            torch.GPU.capability = capability
            self.assertIn(why, self.fallback(darwarp.load(self.exported(f"o{n}", {**PLAN, **changed}), Twice()), x, 1))
        torch.GPU.available = False
        self.assertIn("no GPU", self.fallback(darwarp.load(self.folder, Twice()), x, 1))
        torch.GPU.available, torch.GPU.capability = True, (8, 9)
        darwarp.load(self.exported("minor", {**PLAN, "arch": "sm_80"}), Twice())(x, 1)
        (self.folder / "kernel.cubin").unlink()
        self.assertIn("NVRTC", self.fallback(darwarp.load(self.folder, Twice()), x, 1))

    def test_a_run_is_exported_once(self):
        run = self.room / "a.db"
        run.write_text("one")
        darwarp.load(run)
        darwarp.load(str(run))
        self.assertEqual(sum(c.startswith("export") for c in self.calls()), 1)
        run.write_text("two")
        darwarp.load(run)
        self.assertEqual(sum(c.startswith("export") for c in self.calls()), 2)
        kept = list(_folder.cache().iterdir())
        self.assertEqual(len(kept), 2)
        self.assertEqual([p.stat().st_mode & 0o77 for p in [_folder.cache(), *kept]], [0, 0, 0])

    def test_refused(self):
        with self.assertRaisesRegex(darwarp.DarwarpError, "^nosuch.db: no such run$") as caught:
            darwarp.load("nosuch.db")
        self.assertEqual(caught.exception.code, 2)
        self.assertEqual(list(_folder.cache().iterdir()), [], "nothing is left behind")
        (self.room / "old").mkdir()
        (self.room / "old" / "launch.json").write_text("{}")
        with self.assertRaisesRegex(darwarp.DarwarpError, "no folder that this version"):
            darwarp.load(self.room / "old")
        _folder.cache().chmod(0o777)
        with self.assertRaisesRegex(darwarp.DarwarpError, "can be written to by others"):
            darwarp.load(__file__)

    def test_tensor_map(self):
        kernels = _cuda.Kernels(self.driver, b"", 0)
        encoded = kernels.tensor_map({"box": [16, 8], "swizzle": 64}, {"dtype": "bf16", "shape": [64, 32]}, 4096)
        self.assertEqual((len(encoded), ctypes.addressof(encoded) % 64), (128, 0))


class TestSearch(Case):
    def test_optimize(self):
        self.patch(_search, "Progress", lambda seconds: None)
        file = self.room / "model.py"
        file.write_text("class Model: pass")
        os.chdir(self.room)
        folder = darwarp.import_module(file)
        self.assertEqual(darwarp.import_module(file), folder)
        self.assertEqual(sum(c.startswith("import torch") for c in self.calls()), 1, "imported once")
        self.assertNotEqual(darwarp.import_module(file, dims={"batch": 4}), folder)
        self.assertTrue(self.calls()[-1].endswith("--dims batch=4"))
        self.patch(_search, "import_module", lambda module, inputs: folder)
        op = darwarp.optimize(Twice(), [], minutes=0.5, options=["--seed", "3"])
        [search] = [c for c in self.calls() if c.startswith("search")]
        self.assertRegex(search, f"^search {folder} --for 30s --json --store {self.room}/module_.*[.]db --seed 3$")
        self.assertTrue(search.endswith(f"--store {op.run} --seed 3"))
        op(torch.Tensor([8], torch.float16), 1)
        self.assertEqual(len(self.driver.named("cuLaunchKernelEx")), 1)

    def test_refused(self):
        file = self.room / "model.py"
        file.write_text("refused")
        with self.assertRaisesRegex(darwarp.DarwarpError, "^the module draws random numbers$"):
            darwarp.import_module(file)
        with self.assertRaisesRegex(darwarp.DarwarpError, "^the device hangs$"):
            _search.search("p", self.room / "a.db", 1, options=["--fail"])

    def test_interrupt_ends_the_search(self):
        class Impatient:
            ended = False

            def tell(self, event):
                if event.get("evals") == 11:
                    raise KeyboardInterrupt

            def end(self):
                self.ended = True

        progress = Impatient()
        _search.search("p", self.room / "a.db", 1, progress, ["--wait"])
        self.assertTrue(progress.ended)

    def test_progress(self):
        class Terminal(io.StringIO):
            def isatty(self):
                return True

        terminal, log = Terminal(), io.StringIO()
        for out in terminal, log:
            _search.search("p", self.room / "a.db", 1, _search.Progress(60, out))
        last = "darwarp [##################------] 0:45 of 1:00, 9 evaluated, 1.50x of the start"
        self.assertEqual(terminal.getvalue().split("\r\x1b[K")[-1], last + "\n")
        self.assertEqual(log.getvalue(), "darwarp [############------------] 0:30 of 1:00, 7 evaluated, 1.50x of the start\n")


class TestProgram(Case):
    def test_run(self):
        self.assertEqual(darwarp.run("--version"), "darwarp v9\n")
        with mock.patch.dict(os.environ):
            os.environ.pop("DARWARP_PYTHON", None)
            self.assertEqual(_program.environment()["DARWARP_PYTHON"], sys.executable)
        for text, want in [("", "darwarp ended with exit code 3"), ("x\ndarwarp: why\n  more\n", "why"), ("killed\n", "killed")]:
            self.assertEqual(_program.reason(text, 3), want)


class Names(unittest.TestCase):
    def test_parameters_are_identifiers(self):
        for path, name in {"norm.weight": "norm_weight", "0.weight": "t0_weight", "_w": "w", "class": "tclass"}.items():
            self.assertEqual(_source.name_of(path), name)
            self.assertTrue(name.isidentifier())

    def test_whole_numbers_are_drawn(self):
        def whole(*numbers):
            return types.SimpleNamespace(dtype=types.SimpleNamespace(is_floating_point=False), shape=(len(numbers),), dim=lambda: 1,
                                         numel=lambda: len(numbers), min=lambda: min(numbers), max=lambda: max(numbers))

        for numbers, drawn in [((3, 9, 5), "3, 10"), ((0, 0), "0, 2"), ((7,), "6, 8"), ((-4,), "-4, -2"), ((-1, 0), "-1, 1")]:
            self.assertTrue(_source.literal(whole(*numbers)).startswith(f"torch.randint({drawn}, [{len(numbers)}], "), numbers)
        self.assertTrue(_source.literal(whole(), sizes={(-1, 0): "n0"}).startswith("torch.zeros([n0], "))

    def test_lengths_are_followed(self):
        """A module is exported with lengths that may change, and without where that does not work."""
        auto, x = object(), torch.Tensor([2, 3])
        torch.Tensor.dim = lambda self: len(self.shape)
        self.addCleanup(delattr, torch.Tensor, "dim")
        calls = []

        def export(module, inputs, dynamic_shapes=None):
            calls.append(dynamic_shapes)
            if dynamic_shapes and module == "fixed":
                raise ValueError("no")
            return module

        for made, module, want in [
            ({"Dim": types.SimpleNamespace(AUTO=auto)}, "any", [({0: auto, 1: auto}, None)]),
            ({"Dim": types.SimpleNamespace(AUTO=auto)}, "fixed", [({0: auto, 1: auto}, None), None]),
            ({"Dim": types.SimpleNamespace()}, "any", [None]), ({}, "any", [None]),  # of an earlier PyTorch
        ]:
            calls.clear()
            with mock.patch.object(torch, "export", types.SimpleNamespace(export=export, **made), create=True):
                self.assertEqual(_source.exported(module, [x, 0.5]), module)
            self.assertEqual(calls, want)

    def test_what_is_returned(self):
        def spec(kind, *leaves):
            made = type("Spec", (), {"type": kind, "children_specs": list(leaves), "is_leaf": lambda self: kind is None})()
            return made

        leaf = spec(None)
        for good in leaf, spec(tuple, leaf, leaf):
            _source.check_outputs(type("Program", (), {"call_spec": type("Call", (), {"out_spec": good})}))
        for bad, why in (spec(dict, leaf), "returns a dict"), (spec(tuple, leaf), "returns a tuple of one"):
            with self.assertRaisesRegex(_program.DarwarpError, why):
                _source.check_outputs(type("Program", (), {"call_spec": type("Call", (), {"out_spec": bad})}))


if __name__ == "__main__":
    unittest.main()
