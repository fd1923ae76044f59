"""Configuration of the site for Sphinx: `make docs` builds it from the pages of the repository, where they are.

The order of the pages is that of the links in docs/README.md. The build adds films to the first page, figures from the
library to the page of each game, and `llms.txt`, a list of the pages as Markdown for language models.
"""

import contextlib
import importlib
import inspect
import io
import json
import pydoc
import re
import shutil
import tomllib
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
MAP = ROOT / "docs" / "README.md"
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
PICTURE = re.compile(r"!\[([^\]]*)\]\(envs/(\w+)/\S+\.svg\)")
STRIP = re.compile(r"^\| !\[.*\n\|[-|]+\n", re.MULTILINE)  # the pictures in README.md, the head of a table


def linked(text: str, page: Path) -> list[Path]:
    """Return the pages of the repository that `text`, a part of `page`, links to, in order and each once."""
    found = re.findall(r"\]\((?!https?:)([^)#\s]+\.(?:md|rst|ipynb))", text)
    return list(dict.fromkeys((page.parent / target).resolve() for target in found))


def document(page: Path) -> str:
    """Return the name that Sphinx gives to `page`."""
    return page.relative_to(ROOT).with_suffix("").as_posix()


def sections() -> dict[str, list[Path]]:
    """Return the pages that each section of docs/README.md links to, by its heading."""
    parts = (part.partition("\n") for part in MAP.read_text(encoding="utf-8").split("\n## ")[1:])
    return {heading: linked(body, MAP) for heading, _, body in parts}


def below(page: Path) -> list[Path]:
    """Return the pages in the folder of `page`, a README, that it links to and that docs/README.md does not name."""
    if page.name != "README.md" or page in (MAP, ROOT / "README.md"):
        return []
    named = {one for pages in sections().values() for one in pages}
    found = linked(page.read_text(encoding="utf-8"), page)
    return [one for one in found if one.parent == page.parent and one != page and one not in named]


def pages() -> list[Path]:
    """Return every page of the site, in the order of its contents."""
    first = [one for found in sections().values() for one in found]
    return [MAP, *(one for page in first for one in (page, *below(page)))]


def contents(found: list[Path], caption: str = "") -> str:
    """Return a hidden table of contents, which the navigation shows."""
    labels = re.findall(r"\[([^\]]+)\]\((\S+)\)", MAP.read_text(encoding="utf-8"))
    label_of = {(MAP.parent / target).resolve(): label for label, target in labels}
    others = [page for page in found if page != ROOT / "README.md"]
    lines = "\n".join(
        f"{label_of[one]} </{document(one)}>" if one in label_of else f"/{document(one)}" for one in others
    )
    named = f":caption: {caption}\n" if caption else ""
    return f"\n```{{toctree}}\n:hidden:\n{named}\n{lines}\n```\n"


def printed(*words: str) -> str:
    """Return what the command `sobremesa` prints for `words`."""
    from sobremesa import cli

    with contextlib.redirect_stdout(io.StringIO()) as out:
        if cli.main(list(words)):
            raise RuntimeError(f"sobremesa {' '.join(words)} failed")
    return out.getvalue()


def film(found: re.Match[str]) -> str:
    """Return the film of a game, which plays by itself, in the place of its picture."""
    from sobremesa import envs

    title, page = envs.load(found[2]).words.title["es"], f"films/{found[2]}.html"
    frame = f'<iframe loading="lazy" title="{found[1]}" src="{page}#play"></iframe>'
    links = f'<a href="envs/{found[2]}/README.html">{title}</a> · <a href="{page}">step through this deal</a>'
    return f'<figure class="film">{frame}<figcaption>{links}</figcaption></figure>'


def space_of(space: Any) -> str:
    """Return a space in one line; of a box with a limit for each number, the lowest and the highest one."""
    if not hasattr(space, "low"):
        return str(space)
    return f"Box({space.low.min()}, {space.high.max()}, {space.shape}, {space.dtype})"


def figures(name: str) -> str:
    """Return a section with spaces, ladder and champion of a game, a film, and its short rules in Spanish."""
    from sobremesa import envs

    game, env = envs.load(name), envs.make(name)
    env.reset(seed=0)
    agent = env.agent_selection
    parts = {**env.observation_space(agent), "action": env.action_space(agent)}
    spaces = "\n".join(f"{part:12} {space_of(space)}" for part, space in parts.items())
    ladder = printed("ladder", name).split("\n\n")[1].rstrip()
    card = json.loads((ROOT / "envs" / name / "home/champion/bot.json").read_text(encoding="utf-8"))["card"]
    return f"""
## Figures from the library

<a href="../../films/{name}.html">Watch a deal</a> between scripted agents, step by step.

The spaces of one player:

```text
{spaces}
```

`sobremesa ladder {name}` prints, among other tables:

```text
{ladder}
```

<details><summary>The model card of <code>champion</code></summary>

```json
{json.dumps(card, ensure_ascii=False, indent=1)}
```

</details>

## En español

![El tablero](home/board.es.svg)

Las reglas cortas, como las muestra la mesa. El resto de esta página está solo en inglés.

```text
{game.words.help("es")}
```
"""


def notebook_page(text: str) -> str:
    """Return a notebook as Markdown, with the texts and the figures of its outputs."""
    parts = []
    for cell in json.loads(text)["cells"]:
        source = "".join(cell["source"])
        parts.append(source if cell["cell_type"] == "markdown" else f"```python\n{source}\n```")
        for output in cell.get("outputs", ()):
            data = output.get("data", {})
            if "image/png" in data:
                parts.append(f'<img alt="Figure of the cell above" src="data:image/png;base64,{data["image/png"]}">')
            else:
                parts.append("```text\n" + "".join(output.get("text") or data["text/plain"]).rstrip() + "\n```")
    return "\n\n".join(parts) + "\n"


def complete(app, name: str, source: list[str]) -> None:
    """Add to the text of a page what only the site has, before Sphinx parses it."""
    page, text = Path(app.env.doc2path(name)), source[0]
    if page.suffix == ".ipynb":
        text = notebook_page(text)
    text = re.sub(r"\[([^\]]+)\]\(([^)#:\s]+)\)", lambda link: of_folder(link, page), text)
    if page == ROOT / "README.md":
        text = STRIP.sub(lambda row: "\n\n".join(map(film, PICTURE.finditer(row[0]))) + "\n", text) + contents([MAP])
        text += "".join(contents(found, caption) for caption, found in sections().items())
    elif page.parent.name in tabletop() and page.name == "README.md":
        text += figures(page.parent.name)
    source[0] = text + (contents(below(page)) if below(page) else "")


def of_folder(link: re.Match[str], page: Path) -> str:
    """Return a link to a folder as one to its README, or as text without one; another `link` stays as it is."""
    folder = page.parent / link[2]
    if not folder.is_dir():
        return link[0]
    return f"[{link[1]}]({link[2]}/README.md)" if (folder / "README.md").is_file() else link[1]


def tabletop() -> list[str]:
    """Return the names of the games that the first page shows."""
    return [name for _, name in PICTURE.findall((ROOT / "README.md").read_text(encoding="utf-8"))]


def public_name(app, env, node, content):
    """Resolve a reference to an object by the module that defines it: the reference has it where it is public."""
    from sphinx.util.nodes import make_refnode

    if not node["reftarget"].startswith("sobremesa.") or (target := pydoc.locate(node["reftarget"])) is None:
        return None
    for name in [f"{page.stem}.{node['reftarget'].rpartition('.')[2]}" for page in REFERENCE]:
        found = env.domaindata["py"]["objects"].get(name)
        if found and pydoc.locate(name) is target:
            return make_refnode(app.builder, node["refdoc"], found.docname, found.node_id, content)
    return None


def describe(app, what: str, name: str, value, options, lines: list[str]) -> None:
    """List the keys of a configuration with their help, and leave out "Alias for field number 0" of a NamedTuple.

    Napoleon takes words before a colon for a type, unless an empty comment comes first.
    """
    if what == "class":
        fields = getattr(value, "__dataclass_fields__", {})
        lines += [f":param {key}: {one.metadata['doc']}" for key, one in fields.items() if "doc" in one.metadata]
    elif what in ("attribute", "data", "property") and lines:
        lines[:] = [] if lines[0].startswith("Alias for field number") else ["..", "", *lines]


def signature(app, what: str, name: str, value, options, text, returns) -> tuple[str, str] | None:
    """Return all arguments of a function that is the default of a field, and short types where Sphinx shows a text.

    It shows a signature as it is, with `~` before types, where defaults such as `<factory>` are no Python.
    """
    from sphinx.util.inspect import stringify_signature

    if what == "class" and "<" in (text or ""):
        return re.sub(r"~[\w.]*\.(?=\w)", "", text), returns
    if what != "method" or value.__name__ == name.rpartition(".")[2] or "self" in inspect.signature(value).parameters:
        return None
    return stringify_signature(inspect.signature(value), unqualified_typehints=True), ""


def undescribed(objects) -> list[str]:
    """Return the public names without an entry among the `objects` of the reference."""
    names = []
    for page in REFERENCE:
        excluded = re.findall(r"\w+", "".join(re.findall(r":exclude-members:(.*)", page.read_text(encoding="utf-8"))))
        public = [name for name in importlib.import_module(page.stem).__all__ if not name.startswith("__")]
        names += [f"{page.stem}.{name}" for name in public if name not in excluded]
    return [name for name in names if name not in objects]


def finish(app, error) -> None:
    """Write the films, `llms.txt`, and the first page once more as `index.html`.

    Raises RuntimeError if the reference lacks a public name.
    """
    if error:
        return
    if missing := undescribed(app.env.domaindata["py"]["objects"]):
        raise RuntimeError(f"the reference lacks {', '.join(missing)}")
    out = Path(app.outdir)
    shutil.copy(out / "README.html", out / "index.html")
    (out / "films").mkdir(exist_ok=True)
    for name in tabletop():
        printed("watch", name, "--seed", "1", "--out", str(out / "films" / f"{name}.html"))
    _, _, body = MAP.read_text(encoding="utf-8").partition("\n## ")
    listed = re.sub(
        r"\]\(([^)#\s:]+)", lambda link: f"](_sources/{(MAP.parent / link[1]).resolve().relative_to(ROOT)}", body
    )
    text = f"# Sobremesa\n\n> {PROJECT['description']}\n\n## {listed}"
    (out / "llms.txt").write_text(text, encoding="utf-8")


def setup(app) -> None:
    """Connect the functions above to the steps of the build."""
    from pygments.lexers.special import TextLexer

    app.add_lexer("caddy", TextLexer)
    app.connect("source-read", complete)
    app.connect("missing-reference", public_name)
    app.connect("autodoc-process-docstring", describe, priority=400)
    app.connect("autodoc-process-signature", signature)
    app.connect("build-finished", finish)


REFERENCE = sorted((ROOT / "docs" / "reference").glob("*.rst"))
project, version, release = PROJECT["name"].title(), PROJECT["version"], PROJECT["version"]
author = copyright = "The Sobremesa authors"
extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
root_doc = "README"
source_suffix = {".rst": "restructuredtext", ".md": "markdown", ".ipynb": "markdown"}
include_patterns = [page.relative_to(ROOT).as_posix() for page in pages()]
exclude_patterns = [".*", "build", "runs", "dist"]
default_role = "code"
nitpicky = True
nitpick_ignore_regex = [("py:.*", r"(?!sobremesa\.).*")]  # other libraries: the build has no network
myst_heading_anchors = 4
autodoc_default_options = {"members": True, "undoc-members": True}
autodoc_member_order = "bysource"
autodoc_preserve_defaults = True
autodoc_typehints_format = "short"
html_theme = "furo"
html_title = f"Sobremesa {version}"
html_static_path = ["site.css"]
html_css_files = ["site.css"]
html_sourcelink_suffix = ""
