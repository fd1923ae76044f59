"""Mutants: the kernels of a game, each with one thing changed. `kill_mutants.py` runs the game's tests on them.

A mutant is known by what it changes and not by where: its id stays when a function moves to another line or file.
"""

import ast
import hashlib
from collections import Counter
from dataclasses import dataclass
from functools import cache
from pathlib import Path

ROOMS = Path(__file__).parents[2] / "envs"
_COMPARISONS = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq, ast.NotEq: ast.Eq, ast.In: ast.NotIn, ast.NotIn: ast.In,
}  # fmt: skip
_SIGNS = {ast.Add: ast.Sub, ast.Sub: ast.Add}
_SEATS = {"seat", "other", "narrator", "owner", "state.seat", "state.narrator", "state.first"}


@dataclass(frozen=True)
class Mutant:
    """One change: `text`, at `start` to `end` (characters) of the file, becomes `becomes`."""

    id: str
    path: str  # in the project
    function: str
    first: int  # line of the function, its decorator's
    last: int
    kind: str
    line: int
    start: int
    end: int
    text: str
    becomes: str

    def source(self) -> str:
        """Return the source of the whole file with the change."""
        source = _source(self.path)
        return source[: self.start] + self.becomes + source[self.end :]

    def diff(self) -> str:
        """Return the changed line, before and after."""
        source = _source(self.path)
        low, high = source.rfind("\n", 0, self.start) + 1, source.find("\n", self.end)
        after = source[low : self.start] + self.becomes + source[self.end : high]
        return f"{' '.join(source[low:high].split())}  ->  {' '.join(after.split())}"


def mutants_of(room: str) -> list[Mutant]:
    """Return every mutant of a room's kernels."""
    found: list[Mutant] = []
    for path in sorted((ROOMS / room).rglob("*.py")):
        source = _source(str(path.relative_to(ROOMS.parent)))
        if "@kernel" in source:
            for function in ast.walk(ast.parse(source)):
                if isinstance(function, ast.FunctionDef) and "kernel" in map(ast.unparse, function.decorator_list):
                    found += _of_function(function, source, str(path.relative_to(ROOMS.parent)))
    return found


@cache
def _source(path: str) -> str:
    """Return the source as it was when it was first asked for: it may be edited while mutants are tried."""
    return (ROOMS.parent / path).read_text()


def sample(mutants: list[Mutant], count: int, seed: int) -> list[Mutant]:
    """Return `count` mutants drawn from `seed`: from functions, then kinds, of which there are fewest so far."""
    left = sorted(mutants, key=lambda one: hashlib.sha256(f"{seed} {one.id}".encode()).digest())
    drawn: list[Mutant] = []
    functions, kinds = Counter[str](), Counter[str]()
    while left and len(drawn) < count:
        one = min(left, key=lambda one: (functions[one.function], kinds[one.kind]))
        left.remove(one)
        drawn.append(one)
        functions[one.function] += 1
        kinds[one.kind] += 1
    return drawn


def _of_function(function: ast.FunctionDef, source: str, path: str) -> list[Mutant]:
    lines = [0]
    for line in source.splitlines(keepends=True):
        lines.append(lines[-1] + len(line))
    text = source.splitlines()
    seated = any(argument.arg == "state" for argument in function.args.args)
    found, met = [], Counter[tuple[str, ...]]()

    def place(line: int, column: int) -> int:  # the columns of ast are bytes
        return lines[line - 1] + len(text[line - 1].encode()[:column].decode())

    for statement in _statements(function):
        for node in _own_nodes(statement):
            tested = [("condition", f"not ({ast.unparse(node)})")] if node is getattr(statement, "test", None) else []
            for kind, becomes in [*_changes(node, seated), *(tested if isinstance(statement, ast.If) else [])]:
                start, end = place(node.lineno, node.col_offset), place(node.end_lineno, node.end_col_offset)
                what = (function.name, kind, ast.unparse(_headline(statement)), ast.unparse(node), becomes)
                met[what] += 1
                name = hashlib.sha256(repr((what, met[what])).encode()).hexdigest()[:6]
                first = min(function.lineno, *(one.lineno for one in function.decorator_list))
                found.append(
                    Mutant(f"{function.name}-{kind}-{name}", path, function.name, first, function.end_lineno, kind,
                           node.lineno, start, end, source[start:end], becomes)
                )  # fmt: skip
    return found


def _statements(function: ast.FunctionDef) -> list[ast.stmt]:
    inner = [node for statement in function.body for node in ast.walk(statement) if isinstance(node, ast.stmt)]
    return [node for node in inner if not (isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant))]


def _own_nodes(statement: ast.stmt) -> list[ast.AST]:
    """Return the statement and its expressions, without the statements in it."""
    found, left = [], [statement]
    while left:
        node = left.pop()
        found.append(node)
        left += [child for child in ast.iter_child_nodes(node) if not isinstance(child, ast.stmt)]
    return found


def _headline(statement: ast.stmt) -> ast.AST:
    return getattr(statement, "test", None) or getattr(statement, "iter", None) or statement


def _changes(node: ast.AST, seated: bool) -> list[tuple[str, str]]:
    """Return the kinds of change there are of a node, and what it becomes."""
    match node:
        case ast.Compare(left, [sign, *rest], _) if not rest and type(sign) in _COMPARISONS:
            return [("comparison", ast.unparse(ast.Compare(left, [_COMPARISONS[type(sign)]()], node.comparators)))]
        case ast.Constant(bool() as value):
            return [("constant", str(not value))]
        case ast.Constant(int() as value):
            return [("constant", str(value + 1))]
        case ast.BinOp(left, sign, right) if type(sign) in _SIGNS:
            return [("sign", f"({ast.unparse(ast.BinOp(left, _SIGNS[type(sign)](), right))})")]
        case ast.AugAssign(target, sign, value):
            other = ast.AugAssign(target, _SIGNS[type(sign)](), value) if type(sign) in _SIGNS else None
            return [("dropped", "pass"), *([("sign", ast.unparse(other))] if other else [])]
        case ast.Assign([ast.Attribute() | ast.Subscript()], _) | ast.Expr(ast.Call()):
            return [("dropped", "pass")]
        case ast.Break() | ast.Continue():
            return [("dropped", "pass")]
        case ast.BoolOp(sign, values):
            return [
                ("logic", f"({ast.unparse(ast.BoolOp(ast.Or() if isinstance(sign, ast.And) else ast.And(), values))})")
            ]
        case ast.UnaryOp(ast.Not(), operand):
            return [("condition", f"bool({ast.unparse(operand)})")]
        case ast.Name(_, ast.Load()) | ast.Attribute(ast.Name("state"), _, ast.Load()) if seated:
            seat = ast.unparse(node)
            return [("seat", f"(({seat} + 1) % state.seats)")] if seat in _SEATS else []
        case ast.IfExp(test, body, orelse):
            return [("condition", f"({ast.unparse(ast.IfExp(test, orelse, body))})")]
    return []
