"""Names of modules in kernels: `module.NAME` compiles like a name that was imported.

Numba types a global number as a constant, but an attribute of a module as a variable. The length of a scratch array
must be a constant, so this pass replaces such attributes by their values before types are inferred.
"""

from types import ModuleType
from typing import Any

from numba.core import ir
from numba.core.compiler import CompilerBase, DefaultPassBuilder
from numba.core.compiler_machinery import FunctionPass, register_pass
from numba.core.untyped_passes import IRProcessing

_OF_NUMBA = ("numpy", "math")  # modules that Numba knows itself


@register_pass(mutates_CFG=False, analysis_only=False)  # type: ignore[untyped-decorator]
class ReadModules(FunctionPass):  # type: ignore[misc]
    """Replace `module.NAME` by the value of the name."""

    _name = "sobremesa_read_modules"

    def __init__(self) -> None:
        super().__init__()

    def run_pass(self, state: Any) -> bool:
        """Change the function in `state`; return whether there was something to replace."""
        modules: dict[str, ModuleType] = {}
        found = False
        for _, block in sorted(state.func_ir.blocks.items()):
            for line in block.find_insts(ir.Assign):
                value = _value(line.value, modules)
                if isinstance(value, ModuleType):
                    modules[line.target.name] = value
                if isinstance(line.value, ir.Expr) and value is not None:
                    definitions = state.func_ir._definitions[line.target.name]
                    at = definitions.index(line.value)
                    line.value = definitions[at] = ir.Global(line.value.attr, value, line.loc)
                    found = True
        return found


def _value(of: Any, modules: dict[str, ModuleType]) -> Any:
    """Return the module or the attribute of a module that `of` is; None for others."""
    if isinstance(of, ir.Global) and isinstance(of.value, ModuleType):
        return None if of.value.__name__.partition(".")[0] in _OF_NUMBA else of.value
    if isinstance(of, ir.Expr) and of.op == "getattr" and of.value.name in modules:
        return getattr(modules[of.value.name], of.attr, None)
    return None


class Pipeline(CompilerBase):  # type: ignore[misc]
    """Numba's compiler with this pass."""

    def define_pipelines(self) -> list[Any]:
        """Return the passes of Numba, and this one before types are inferred."""
        passes = DefaultPassBuilder.define_nopython_pipeline(self.state)
        passes.add_pass_after(ReadModules, IRProcessing)
        passes.finalize()
        return [passes]
