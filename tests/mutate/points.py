"""The mutants of a module: every place where its code can be changed a little, and how."""

from __future__ import annotations

import ast
import copy
import enum
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

COMPARISONS: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
}
OPERATORS: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.FloorDiv,
    ast.FloorDiv: ast.Mult,
    ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd,
}
FUNCTIONS = {"any": "all", "all": "any", "min": "max", "max": "min"}
EMPTY = {"bool": ("True", "False"), "list": ("[]",), "tuple": ("()",), "dict": ("{}",), "frozenset": ("frozenset()",), "str": ("''",)}
"""What a function may return instead, by the type that it states; None for every other type."""

Node = ast.AST


@dataclass(frozen=True)
class Point:
    """A place that can be changed: the statement around it, and the field of the parent that holds the node."""

    function: str
    statement: Node
    parent: Node
    field: str
    index: int | None
    original: Node
    mutated: Node

    def apply(self) -> None:
        """Put the mutated node in its place, on the same line."""
        self._put(ast.copy_location(self.mutated, self.original))
        ast.fix_missing_locations(self.mutated)

    def unparse(self) -> tuple[str, str]:
        """The code of the statement as it is, and as the mutant has it; in one line, without the body."""
        before = _head(self.statement)
        self._put(self.mutated)
        after = _head(self.mutated if self.original is self.statement else self.statement)
        self._put(self.original)
        return before, after

    def _put(self, node: Node) -> None:
        if self.index is None:
            setattr(self.parent, self.field, node)
        else:
            getattr(self.parent, self.field)[self.index] = node

    @property
    def lines(self) -> range:
        """The lines of the statement, or of its head if it has a body."""
        first, last = _first_line(self.statement), _last_line(self.statement)
        if isinstance(self.statement, ast.Break | ast.Continue):
            return range(first - 1, last + 1)  # Python jumps without executing the line
        body = getattr(self.statement, "body", None)
        return range(first, (body[0].lineno if isinstance(body, list) and body[0].lineno > first else last + 1))


def find_points(tree: ast.Module, namespace: Mapping[str, Any]) -> Iterator[Point]:
    """All points in the bodies of functions, in order; `namespace` is the module's, for its enums."""
    for function, name in _find_functions(tree, ""):
        returns = ast.unparse(function.returns).partition("[")[0] if function.returns else ""
        for number, statement in enumerate(function.body):
            yield from _walk(statement, (function, "body", number), _Scope(name, returns, namespace), statement)


class _Scope(NamedTuple):
    function: str
    returns: str
    namespace: Mapping[str, Any]


def _find_functions(node: Node, prefix: str) -> Iterator[tuple[ast.FunctionDef | ast.AsyncFunctionDef, str]]:
    """The outermost functions and methods."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef):
            yield child, f"{prefix}{child.name}"
        elif isinstance(child, ast.ClassDef):
            yield from _find_functions(child, f"{prefix}{child.name}.")


def _head(statement: Node) -> str:
    return ast.unparse(statement).split("\n")[0]


Where = tuple[Node, str, int | None]


def _walk(node: Node, where: Where, scope: _Scope, statement: Node) -> Iterator[Point]:
    if isinstance(node, ast.stmt | ast.match_case):
        statement = node
    for mutated in _mutate(node, scope):
        yield Point(scope.function, statement, *where, node, mutated)
    for field, value in ast.iter_fields(node):
        if field in ("annotation", "returns", "args", "decorator_list") and not isinstance(node, ast.Call):
            continue
        for index, child in enumerate(value) if isinstance(value, list) else [(None, value)]:
            if isinstance(child, ast.AST):
                yield from _walk(child, (node, field, index), scope, statement)


def _mutate(node: Node, scope: _Scope) -> Iterator[Node]:
    match node:
        case ast.Compare():
            for number, operator in enumerate(node.ops):
                if type(operator) in COMPARISONS:
                    mutated = copy.copy(node)
                    mutated.ops = [*node.ops[:number], COMPARISONS[type(operator)](), *node.ops[number + 1 :]]
                    yield mutated
        case ast.BoolOp():
            mutated_operation = copy.copy(node)
            mutated_operation.op = ast.Or() if isinstance(node.op, ast.And) else ast.And()
            yield mutated_operation
        case ast.UnaryOp(op=ast.Not()):
            yield node.operand
        case ast.BinOp() if type(node.op) in OPERATORS:
            yield ast.BinOp(node.left, OPERATORS[type(node.op)](), node.right)
        case ast.Constant(value=bool()):
            yield ast.Constant(not node.value)
        case ast.Constant(value=int() as number):
            yield from (ast.Constant(number + 1), ast.Constant(number - 1))
        case ast.Call():
            yield from _mutate_call(node)
        case ast.Attribute(value=ast.Name(id=name)) if isinstance(scope.namespace.get(name), enum.EnumMeta):
            members = list(scope.namespace[name].__members__)
            if node.attr in members and len(members) > 1:
                other = members[(members.index(node.attr) + 1) % len(members)]
                yield ast.Attribute(node.value, other, node.ctx)
        case ast.stmt():
            yield from _mutate_statement(node, scope.returns)


def _mutate_call(node: ast.Call) -> Iterator[Node]:
    if isinstance(node.func, ast.Name) and node.func.id in FUNCTIONS:
        yield ast.Call(ast.Name(FUNCTIONS[node.func.id], ast.Load()), node.args, node.keywords)
    first = node.args[:2]
    if len(first) == 2 and not any(isinstance(argument, ast.Starred) for argument in first):
        swapped = ast.Call(node.func, [first[1], first[0], *node.args[2:]], node.keywords)
        if ast.unparse(swapped) != ast.unparse(node) and ast.unparse(node.func) not in ("isinstance", "getattr", "cast"):
            yield swapped


def _mutate_statement(node: ast.stmt, returns: str) -> Iterator[Node]:
    match node:
        case ast.Return(value=ast.Constant()) | ast.Return(value=None):
            return
        case ast.Return(value=ast.expr() as value):
            for other in EMPTY.get(returns, ("None",)):
                if other != ast.unparse(value):
                    yield ast.Return(ast.parse(other, mode="eval").body)
        case ast.Expr(value=ast.Yield() | ast.YieldFrom()):
            yield ast.Expr(ast.YieldFrom(ast.Tuple([], ast.Load())))
        case ast.Expr(value=ast.Call()) | ast.AugAssign() | ast.Raise() | ast.Delete():
            yield ast.Pass()
        case ast.Assign(targets=[ast.Subscript() | ast.Attribute()]):
            yield ast.Pass()
        case ast.Continue():
            yield ast.Break()
        case ast.Break():
            yield ast.Continue()


def _first_line(node: Node) -> int:
    return min(child.lineno for child in ast.walk(node) if isinstance(child, ast.expr | ast.stmt | ast.pattern))


def _last_line(node: Node) -> int:
    ends = (child.end_lineno for child in ast.walk(node) if isinstance(child, ast.expr | ast.stmt | ast.pattern))
    return max(end for end in ends if end is not None)
