"""Writes the mutants of generator/estimate and generator/verdict: one wrong program after another, by cosmic-ray.

Run in an environment that has cosmic-ray (`make mutation` makes one). Each operator of Python is replaced by its
nearest neighbour only: the other replacements that cosmic-ray knows are noticed by whatever notices that one.
usage: python -m benchmarks.mutants FOLDER [SHARE [SEED]]
"""

from __future__ import annotations

import ast
import difflib
import json
import random
import sys
from collections.abc import Iterator
from pathlib import Path

from cosmic_ray.mutating import mutate_code
from cosmic_ray.plugins import get_operator, operator_names

PACKAGES = ("generator/estimate", "generator/verdict")
SWAPS = {
    "BinaryOperator": ("Add_Sub", "Sub_Add", "Mul_Div", "Div_Mul", "FloorDiv_Div", "Mod_Mul", "Pow_Mul"),
    "ComparisonOperator": (
        "Eq_NotEq", "NotEq_Eq", "Lt_LtE", "LtE_Lt", "Gt_GtE", "GtE_Gt", "Is_IsNot", "IsNot_Is", "In_NotIn", "NotIn_In",
    ),
}  # fmt: skip
PLAIN = (
    "AddNot", "ExceptionReplacer", "NumberReplacer", "ReplaceAndWithOr", "ReplaceOrWithAnd", "ReplaceBreakWithContinue",
    "ReplaceContinueWithBreak", "ReplaceFalseWithTrue", "ReplaceTrueWithFalse", "ZeroIterationForLoop",
    "ReplaceUnaryOperator_Delete_Not", "ReplaceUnaryOperator_Delete_USub",
)  # fmt: skip
SEED = 20261202
"""Draws the share where the call names no other."""


def operators() -> list[str]:
    """The operators to use, by cosmic-ray's names, sorted; those that this version does not have are left out."""
    wanted = {f"core/{name}" for name in PLAIN}
    wanted |= {f"core/Replace{kind}_{swap}" for kind, swaps in SWAPS.items() for swap in swaps}
    return sorted(wanted & set(operator_names()))


def mutants_of(code: str, operator: str) -> Iterator[str]:
    """Every program that differs from `code` in one place by `operator`, in the order of the places."""
    make, occurrence = get_operator(operator)(), 0
    while (mutated := mutate_code(code, make, occurrence)) is not None:
        yield mutated
        occurrence += 1


def changed_line(code: str, mutated: str) -> tuple[int, str, str]:
    """Number of the first line that differs, what stood there and what stands there now."""
    before, after = code.splitlines(), mutated.splitlines()
    matcher = difflib.SequenceMatcher(None, before, after, autojunk=False)
    _, start, end, new_start, new_end = next(found for found in matcher.get_opcodes() if found[0] != "equal")
    return start + 1, "\n".join(before[start:end]).strip(), "\n".join(after[new_start:new_end]).strip()


def matters(code: str, mutated: str) -> bool:
    """False for what does not parse, and for what differs in annotations or decorators alone (`frozen`, `slots`)."""
    try:
        return ast.dump(_Bare().visit(ast.parse(code))) != ast.dump(_Bare().visit(ast.parse(mutated)))
    except SyntaxError:
        return False


class _Bare(ast.NodeTransformer):
    """Takes annotations and decorators out."""

    def visit_arg(self, node: ast.arg) -> ast.arg:
        node.annotation = None
        return node

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        node.returns, node.decorator_list = None, []
        return self.generic_visit(node)

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.AST:
        node.decorator_list = []
        return self.generic_visit(node)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AST:
        node.annotation = ast.Constant(None)
        return self.generic_visit(node)


def main(folder: Path, share: float, seed: int) -> None:
    """Writes the mutated files and `mutants.json`, which tells what each of them is; `seed` decides which share."""
    folder.mkdir(parents=True, exist_ok=True)
    found = []
    for path in sorted(path for package in PACKAGES for path in Path(package).glob("*.py")):
        code = path.read_text(encoding="utf-8")
        for operator in operators():
            found += [(path, operator, code, text) for text in mutants_of(code, operator) if matters(code, text)]
    draw = random.Random(seed)  # noqa: S311 - a sample, not a secret
    kept = sorted(draw.sample(range(len(found)), round(share * len(found))))
    listed = []
    for number in kept:
        path, operator, code, mutated = found[number]
        line, before, after = changed_line(code, mutated)
        (folder / f"{number}.py").write_text(mutated, encoding="utf-8")
        listed.append({"id": number, "path": str(path), "line": line, "before": before, "after": after})
    (folder / "mutants.json").write_text(json.dumps(listed, indent=0), encoding="utf-8")
    print(f"{len(found)} mutants in all, {len(kept)} written, drawn by {seed}")


if __name__ == "__main__":
    main(
        Path(sys.argv[1]),
        float(sys.argv[2]) if len(sys.argv) > 2 else 1.0,
        int(sys.argv[3]) if len(sys.argv) > 3 else SEED,
    )
