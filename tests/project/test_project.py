"""Import layers, packaging, and documents: links, examples, commands."""

import ast
import re
import runpy
import shlex
import subprocess
import sys
import sysconfig
import tomllib
from functools import cache
from pathlib import Path

import pytest
from fresh import documents
from plays import SHORT, installed

import sobremesa
from sobremesa import cli, envs
from sobremesa.report import results

ROOT = Path(__file__).resolve().parents[2]
LIBRARY = ("sobremesa", "envs", "agents", "training", "configs")
FILES = sorted(file for folder in LIBRARY for file in (ROOT / folder).rglob("*.py"))
TESTS = sorted((ROOT / "tests").rglob("*.py"))
ROOMS = sorted(file.parent.name for file in (ROOT / "envs").glob("*/__init__.py") if file.parent.name != "core")
DOCUMENTS = documents()
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
LONGEST_FILE, LONGEST_FUNCTION = 450, 60
HEAVY = ("torch", "onnxruntime", "matplotlib", "pygame", "stable_baselines3", "PIL", "resvg_py")


def named(path):
    return str(path.relative_to(ROOT))


def module_name(file):
    """Return the name by which a file of the library is imported."""
    parts = list(file.relative_to(ROOT).with_suffix("").parts)
    if parts[0] != "sobremesa":
        parts.insert(0, "sobremesa")
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


@cache
def tree_of(file):
    return ast.parse(file.read_text(encoding="utf-8"))


@cache
def imports_of(file):
    """Return the names of all modules that `file` imports, wherever in it; relative ones begin with a dot."""
    found = set()
    for node in ast.walk(tree_of(file)):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            module = "." * node.level + (node.module or "")
            found |= {f"{module}.{alias.name}" if module == "sobremesa" else module for alias in node.names}
            found |= {f"{module}.{alias.name}" for alias in node.names if module.startswith("sobremesa.")}
    return found


def within(module, *places):
    return any(module == place or module.startswith(place + ".") for place in places)


def layer(module):
    """Return the layer of a module of the library: a module imports its own layer and lower ones."""
    if within(module, "sobremesa.envs.core"):
        return 0
    if any(within(module, f"sobremesa.envs.{room}") for room in ROOMS):
        return 1
    order = {"sobremesa.envs": 2, "sobremesa.agents": 3, "sobremesa.configs": 4, "sobremesa.training": 4}
    return next((number for place, number in order.items() if within(module, place)), 5)


# A pickled game is its name: the games are asked for it when it is unpickled.
UPWARDS = {("sobremesa.envs.core.game", "sobremesa.envs")}


def points_up(mine, module):
    """Say whether the module `mine` may not import `module`: one of a higher layer, or of another room."""
    if not within(module, "sobremesa") or (mine, module) in UPWARDS:
        return False
    room = ".".join(mine.split(".")[:3])
    return layer(module) > layer(mine) or (layer(mine) == 1 and not within(module, room, "sobremesa.envs.core"))


def test_imports_point_one_way():
    imports = [(module_name(file), module) for file in FILES for module in imports_of(file)]
    assert not [f"{mine} imports {module}" for mine, module in imports if points_up(mine, module)]


def test_the_guard_of_imports_sees_what_it_forbids():
    assert layer("sobremesa.envs.core.game") < layer(f"sobremesa.envs.{ROOMS[0]}.rules") < layer("sobremesa.envs")
    assert layer("sobremesa.envs") < layer("sobremesa.agents.arena.play") < layer("sobremesa.training.runs.run")
    assert layer("sobremesa.training") < layer("sobremesa.cli") == layer("sobremesa.report.show") == layer("sobremesa")
    assert "sobremesa.training.runs.run" in imports_of(ROOT / "training" / "bots.py")
    assert {"torch", "numpy"} <= imports_of(ROOT / "training" / "networks" / "policy.py")
    assert "onnxruntime" in imports_of(ROOT / "agents" / "networks" / "runtime.py")  # in a function
    rules = f"sobremesa.envs.{ROOMS[0]}.rules"
    assert points_up("sobremesa.envs.core.game", rules)
    assert points_up(rules, f"sobremesa.envs.{ROOMS[1]}.state")
    assert not points_up(rules, "sobremesa.envs.core.compile.kernel")


def test_imports_are_absolute_and_of_one_copy():
    imports = [(file, module) for file in FILES + TESTS for module in imports_of(file)]
    wrong = [(named(file), module) for file, module in imports if module[0] == "." or within(module, *LIBRARY[1:])]
    assert not wrong, "relative, or a second copy of sobremesa.<module>"


def test_only_training_and_devices_need_torch():
    outside = [file for file in FILES if file.parent.name != "device"]
    without = [file for file in outside if file.relative_to(ROOT).parts[0] in ("envs", "agents")]
    imports = [(file, module) for file in without for module in imports_of(file)]
    heavy = [named(file) for file, module in imports if within(module, "torch", "safetensors", "stable_baselines3")]
    assert without
    assert not heavy


def test_importing_the_library_is_light():
    code = "import sys; before = set(sys.modules); import sobremesa; print(*sorted(set(sys.modules) - before))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = {name.split(".")[0] for name in done.stdout.split()}
    assert {"sobremesa", "numba"} <= loaded
    assert not loaded & set(HEAVY)


@pytest.mark.skipif(
    not (Path(sysconfig.get_path("purelib")) / "sobremesa.pth").exists(), reason="not an environment of `make setup`"
)
def test_a_folder_called_sobremesa_does_not_hide_the_library(tmp_path):
    (tmp_path / "sobremesa").mkdir()
    (tmp_path / "script.py").write_text("import sobremesa; print(sobremesa.__version__)")
    done = subprocess.run([sys.executable, tmp_path / "script.py"], capture_output=True, text=True, check=False)
    assert done.stdout.strip() == sobremesa.__version__, done.stderr


def test_every_folder_with_code_is_packaged():
    folders = {module_name(file) for file in FILES if file.name == "__init__.py"}
    assert set(PROJECT["tool"]["setuptools"]["packages"]) == folders
    assert all((file.parent / "__init__.py").exists() for file in FILES)
    places = PROJECT["tool"]["setuptools"]["package-dir"]
    assert places == {f"sobremesa.{folder}": folder for folder in LIBRARY[1:]}


def test_the_version_is_in_the_changelog():
    version = PROJECT["project"]["version"]
    assert sobremesa.__version__ == version
    assert f"version = {{{version}}}" in (ROOT / "README.md").read_text(encoding="utf-8")  # as it is cited
    heads = re.findall(r"^## (.+)$", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), re.MULTILINE)
    date = re.search(r"^date-released: (.+)$", (ROOT / "CITATION.cff").read_text(encoding="utf-8"), re.MULTILINE)[1]
    assert heads[:2] == ["Unreleased", f"{version} ({date})"]


def test_files_and_functions_are_short():
    files = [named(file) for file in FILES if len(file.read_text(encoding="utf-8").splitlines()) > LONGEST_FILE]
    functions = [
        f"{named(file)}: {node.name} in line {node.lineno}"
        for file in FILES
        for node in ast.walk(tree_of(file))
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))
        and node.end_lineno - node.lineno >= LONGEST_FUNCTION
    ]
    assert not files + functions


def exit_codes(tree):
    """Return the arguments of `sys.exit` and `SystemExit` that may be NumPy numbers, which Python exits with 1 for."""
    names = ("sys.exit", "exit", "SystemExit")
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call) and ast.unparse(node.func) in names]
    given = [argument for call in calls for argument in call.args]
    plain = (ast.Constant, ast.JoinedStr)
    return [
        ast.unparse(one)
        for one in given
        if not isinstance(one, plain) and not re.match(r"(int|str|(\w+\.)?main|_error_message)\(", ast.unparse(one))
    ]


def test_exit_codes_are_plain_whole_numbers():
    found = {named(file): codes for file in FILES + TESTS if (codes := exit_codes(tree_of(file)))}
    assert not found, "wrap them in int(...)"
    assert exit_codes(ast.parse("sys.exit(sum(compare(name) for name in CHIPS))")) == [
        "sum((compare(name) for name in CHIPS))"
    ]


def without_encoding(tree):
    """Return calls that read or write text by the encoding of the terminal that they happen to run in."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and not any(one.arg == "encoding" for one in node.keywords):
            name = ast.unparse(node.func).rpartition(".")[2]
            given = [*node.args, *(one.value for one in node.keywords)]
            modes = [one.value for one in given if isinstance(one, ast.Constant) and isinstance(one.value, str)]
            text = any(one.arg in ("text", "universal_newlines") for one in node.keywords)
            opened = name in ("open", "fdopen") and ast.unparse(node.func) in ("open", "os.fdopen")
            opened |= name == "open" and any(mode in ("r", "w", "a", "x") for mode in modes)
            opened &= not any("b" in mode and len(mode) < 4 for mode in modes)
            if text or opened or (name in ("read_text", "write_text") and "utf-8" not in modes):
                yield ast.unparse(node)


def test_text_is_read_and_written_as_utf_8():
    found = {named(file): calls for file in FILES if (calls := list(without_encoding(tree_of(file))))}
    assert not found
    wrong = ["open(name)", "path.read_text()", "subprocess.run(words, text=True)", "path.open('w')", "open(name, 'a')"]
    right = ["open(name, 'rb')", "path.read_bytes()", "store.open(deal)", "open(name, encoding='ascii')"]
    assert [list(without_encoding(ast.parse(code))) for code in wrong] == [[code] for code in wrong]
    assert [list(without_encoding(ast.parse(code))) for code in right] == [[] for _ in right]


def test_files_are_named_for_their_subject():
    unsaid = re.compile(r"util|helper|manager|handler|misc|common|\btypes\b")
    assert not [named(file) for file in FILES + TESTS if unsaid.search(file.stem)]


def shipped():
    """Return every text file of the project, as git lists them."""
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    if done.returncode:
        pytest.skip("not in a git repository")
    for name in done.stdout.splitlines():
        file = ROOT / name
        if file.is_file() and file != Path(__file__):
            yield file


def test_the_project_speaks_of_itself_alone():
    outside = re.compile(r"/root/|(?<![\w>*}])/home/\w|/tmp/\w|C:\\\\")
    found = [
        f"{named(file)}: {line.strip()}"
        for file in shipped()
        for line in file.read_text(encoding="utf-8", errors="ignore").splitlines()
        if outside.search(line)
    ]
    assert not found


def anchors(document):
    """Return what links may say behind `#` of a document, as GitHub makes it of its headings."""
    heads = re.findall(r"^#+ (.+)$", document.read_text("utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", head.lower()).replace(" ", "-") for head in heads}


def test_links_in_documents_lead_somewhere():
    link = re.compile(r"\]\((?!https?:)([^)#\s]*)(?:#([^)\s]+))?\)")
    links = [(document, *found) for document in DOCUMENTS for found in link.findall(document.read_text("utf-8"))]
    assert any(anchor for _, _, anchor in links)
    for document, target, anchor in links:
        path = document.parent / target if target else document
        assert path.exists(), f"{named(document)}: {target}"
        assert not anchor or anchor in anchors(path), f"{named(document)}: {target}#{anchor}"


def blocks(document, language):
    """Return the fenced blocks of a document in one language, but for those marked as not run."""
    text = document.read_text(encoding="utf-8")
    found = re.findall(rf"(<!-- not run -->\n+)?^```{language}\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    return [code for skipped, code in found if not skipped]


def run_blocks(codes, folder):
    """Run each of the blocks `codes` alone in `folder`; return the names of those that fail, and what is told."""
    files = [folder / f"block_{number}.py" for number in range(len(codes))]
    for file, code in zip(files, codes, strict=True):
        file.write_text(code, encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-W", "error::DeprecationWarning:__main__", ROOT / "tests" / "support" / "blocks.py", *files],
        cwd=folder, capture_output=True, text=True, check=False, timeout=500,
    )  # fmt: skip
    failed = [Path(file).stem for file in re.findall(r"^failed: (.+)$", done.stderr, re.MULTILINE)]
    assert done.returncode == len(failed), done.stderr
    return failed, done.stderr


@pytest.mark.parametrize("document", [one for one in DOCUMENTS if blocks(one, "python")], ids=named)
def test_every_block_of_python_in_documents_runs_alone(document, tmp_path):
    failed, told = run_blocks(blocks(document, "python"), tmp_path)
    assert not failed, told


PUBLIC = {page.stem for page in (ROOT / "docs" / "reference").glob("*.rst")}


def test_documents_import_what_the_reference_has():
    found = {}
    for document in DOCUMENTS:
        nodes = [node for code in blocks(document, "python") for node in ast.walk(ast.parse(code))]
        names = {node.module for node in nodes if isinstance(node, ast.ImportFrom) and node.module}
        names |= {alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names}
        if private := {name for name in names if within(name, "sobremesa") and name not in PUBLIC}:
            found[named(document)] = private
    assert not found


def test_blocks_that_do_not_run_alone_are_reported(tmp_path):
    first = "import gymnasium\nimport sobremesa\nname = 'sobremesa/ese_toro_enamorado-v1'\ngymnasium.spec(name)\n"
    forgets = "import gymnasium\ngymnasium.spec('sobremesa/ese_toro_enamorado-v1')\n"
    failed, told = run_blocks([first, "print(name)\n", forgets], tmp_path)
    assert failed == ["block_1", "block_2"]
    assert "name 'name' is not defined" in told
    assert "NamespaceNotFound" in told


def console_lines():
    """Return the lines of console blocks, joined where they are continued, without comments."""
    for document in DOCUMENTS:
        for block in blocks(document, "console"):
            for line in block.replace("\\\n", " ").splitlines():
                yield re.sub(r"\s+#.*$", "", line.removeprefix("$ ")).strip().removeprefix("python -m ")


OWN = {"wild_dice", *(folder.name for folder in (ROOT / "examples").glob("*/") if folder.is_dir())}  # own games
COMMANDS = [shlex.split(line) for line in console_lines() if line.startswith("sobremesa ")]


def test_documents_show_commands():
    assert {words[1] for words in COMMANDS} >= {"train", "export", "rate", "play", "watch"}


@pytest.mark.parametrize("words", COMMANDS, ids=" ".join)
def test_commands_in_documents_are_understood(words, monkeypatch):
    installed(SHORT, monkeypatch)  # the game of the tutorial
    arguments = cli._build().parse_args(words[1:])
    assert callable(arguments.run)
    if hasattr(arguments, "game") and arguments.game:
        assert arguments.game in [*envs.all_games(), *OWN]


@pytest.mark.parametrize(
    "words", [one for one in COMMANDS if one[1] in ("games", "watch") and not OWN & {*one}], ids=" ".join
)
def test_quick_commands_in_documents_run(words, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert cli.main(words[1:]) == 0
    assert capsys.readouterr().out


def test_the_parts_of_make_test_run_each_file_once():
    parts = [f"test-{name}" for name in ("table", "others", "rooms", "every")]
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    assert all(re.search(rf"-j2.* {part} ", makefile) for part in parts)
    done = subprocess.run(["make", "-n", *parts], cwd=ROOT, capture_output=True, text=True, check=True)
    run = [
        word for line in done.stdout.splitlines() if "pytest" in line for word in line.split() if word.endswith(".py")
    ]
    assert sorted(run) == sorted(str(file.relative_to(ROOT)) for file in TESTS if file.name.startswith("test_"))


def test_make_targets_in_documents_exist():
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    text = "\n".join(document.read_text(encoding="utf-8") for document in DOCUMENTS)
    used = set(re.findall(r"(?:^|`)make ([a-z-]+)", text, re.MULTILINE))
    assert {"demo", "test"} <= used
    assert all(re.search(rf"^{target}:", makefile, re.MULTILINE) for target in used)


def test_documented_client_versions_are_those_tried():
    pins, ours = (
        runpy.run_path(str(ROOT / "tests" / "clients" / "run.py"))["CLIENTS"],
        ("torch==", "safetensors==", "dm-tree==", "uvicorn==", "uv=="),
    )
    pinned = {pin.partition("==")[2] for tried in pins.values() for pin in tried if not pin.startswith(ours)}
    tests = results.read(ROOT / "docs" / "results" / "libraries.json")["tests"]
    assert {row.cells[1] for row in tests.whole("libraries/tests")} == pinned
    assert {f"with_{client}.py" for client in pins} == {file.name for file in (ROOT / "tests/clients").glob("with_*")}


def test_extras_in_documents_and_messages_exist():
    texts = [file.read_text(encoding="utf-8") for file in FILES + DOCUMENTS]
    found = [extras for text in texts for extras in re.findall(r"(?:sobremesa|\.)\[([a-z,]+)\]", text)]
    assert found
    assert set(",".join(found).split(",")) <= PROJECT["project"]["optional-dependencies"].keys()
