"""The tables of *Érase una vez*: an inconsistent one is refused with its place."""

import csv
import re
import shutil
from dataclasses import replace

import pytest

from sobremesa.envs.erase_una_vez import table_files, tables

FILES = ("elements", "concepts", "endings", "facts", "relations")


def lines_of(table):
    """Return the rows of a table as they stand in its file, the names of its columns first."""
    with (table_files.DATA / f"{table}.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.reader(file))


def refused(folder, table, lines):
    """Return why the tables are refused where one of them has these rows."""
    for name in FILES:
        with (folder / f"{name}.csv").open("w", encoding="utf-8", newline="") as file:
            csv.writer(file).writerows(lines if name == table else lines_of(name))
    with pytest.raises(ValueError) as error:
        table_files.read(folder)
    return str(error.value)


def mended(lines, ident, **cells):
    """Return the rows with other cells in the row of an id, and the number of that row."""
    number = next(number for number, line in enumerate(lines) if line[0] == ident)
    columns = ["fact" if column == "if" else column for column in lines[0]]
    line = [cells.get(column, cell) for column, cell in zip(columns, lines[number], strict=True)]
    return [*lines[:number], line, *lines[number + 1 :]], number + 1


BROKEN_CELLS = {
    "an id that is no id": ("elements", "P06", {"id": "P6"}),
    "an id of a concept": ("elements", "P06", {"id": "C33"}),
    "an id without number": ("endings", "F03", {"id": "F"}),
    "no id": ("facts", "amor", {"id": ""}),
    "no group": ("elements", "P06", {"group": ""}),
    "an unknown group": ("elements", "P06", {"group": "X"}),
    "two groups": ("elements", "P06", {"group": "PO"}),
    "a group of another letter": ("elements", "P06", {"group": "O"}),
    "a concept without group": ("concepts", "C07", {"group": ""}),
    "a concept of an unknown group": ("concepts", "C07", {"group": "C"}),
    "an unknown theme": ("elements", "P06", {"tags": "magia peligo"}),
    "a concept of an unknown theme": ("concepts", "C07", {"tags": "magia, peligro"}),
    "a theme twice": ("elements", "P06", {"tags": "magia magia"}),
    "an interruption of 2": ("elements", "P06", {"interruption": "2"}),
    "an interruption in words": ("elements", "P06", {"interruption": "no"}),
    "no interruption": ("elements", "P06", {"interruption": ""}),
    "no name": ("elements", "P06", {"name": ""}),
    "a name of spaces": ("elements", "P06", {"name": "  "}),
    "a name with a space at its edge": ("elements", "P06", {"name": "Bruja "}),
    "no English": ("elements", "P06", {"english": ""}),
    "a concept without name": ("concepts", "C07", {"name": ""}),
    "a concept without English": ("concepts", "C07", {"english": ""}),
    "a name that another one has": ("elements", "P06", {"name": "Lobo"}),
    "a name that another one has with accents": ("concepts", "C07", {"name": "lobo"}),
    "English that another one has": ("elements", "P06", {"english": "wolf"}),
    "words of nothing": ("elements", "P06", {"words": "bruja;; maga"}),
    "an unknown need": ("elements", "P06", {"needs": "alguien"}),
    "an unknown fact that it sets": ("elements", "P06", {"sets": "alegría"}),
    "an unknown fact that it clears": ("elements", "P06", {"clears": "alegría"}),
    "an id twice": ("elements", "P06", {"id": "P05"}, "P05"),
    "an ending without Spanish": ("endings", "F03", {"spanish": ""}),
    "an ending without English": ("endings", "F03", {"english": " "}),
    "an ending twice": ("endings", "F03", {"id": "F02"}, "F02"),
    "an ending that says what another one says": ("endings", "F03", {"spanish": lines_of("endings")[1][1]}),
    "an ending that asks for nothing": ("endings", "F03", {"clauses": ""}),
    "an ending with an empty clause": ("endings", "F03", {"clauses": "amor & "}),
    "an ending with an empty part": ("endings", "F03", {"clauses": "amor | | P05"}),
    "an ending that asks for no fact": ("endings", "F03", {"clauses": "alegría"}),
    "an ending that asks for no thing": ("endings", "F03", {"clauses": "amor | P99"}),
    "an ending with an unknown blocker": ("endings", "F03", {"blockers": "alegría"}),
    "an ending that a thing blocks": ("endings", "F03", {"blockers": "P01"}),
    "an ending of three clauses": ("endings", "F03", {"clauses": "amor & viaje & muerte"}),
    "a clause of five things": ("endings", "F03", {"clauses": "P01 | P02 | P03 | P04 | P05"}),
    "a fact without Spanish": ("facts", "amor", {"spanish": ""}),
    "a fact without English": ("facts", "amor", {"english": ""}),
    "a fact twice": ("facts", "amor", {"id": "agua"}, "agua"),
    "a fact that says what another one says": ("facts", "amor", {"spanish": "hay agua"}),
    "a fact that says it in English": ("facts", "amor", {"english": "there is water"}),
    "a weight in words": ("relations", "P17", {"weight": "mucho"}),
    "no weight": ("relations", "P17", {"weight": ""}),
    "a weight that is not a number": ("relations", "P17", {"weight": "nan"}),
    "a weight of nothing": ("relations", "P17", {"weight": "0"}),
    "a weight below a hundredth": ("relations", "P17", {"weight": "0.001"}),
    "a weight of half a hundredth": ("relations", "P17", {"weight": "0.305"}),
    "a weight above one": ("relations", "P17", {"weight": "1.01"}),
    "a weight below nothing": ("relations", "P17", {"weight": "-0.3"}),
    "a relation from nothing": ("relations", "P17", {"said": ""}, "row 5"),
    "a relation from an unknown thing": ("relations", "P17", {"said": "P99"}, "P99"),
    "a relation to an unknown thing": ("relations", "P17", {"meant": "P99"}),
    "a relation to a concept": ("relations", "P17", {"meant": "C05"}),
    "a relation to itself": ("relations", "P17", {"meant": "P17"}),
    "a relation on no fact": ("relations", "P17", {"fact": "alegría"}),
    "a relation twice": ("relations", "P17", {"said": "P02", "meant": "P01"}, "P02"),
}


@pytest.mark.parametrize("case", BROKEN_CELLS)
def test_c1_a_broken_cell_is_refused_with_file_row_and_id(case, tmp_path):
    table, ident, cells, *named = BROKEN_CELLS[case]
    lines, number = mended(lines_of(table), ident, **cells)
    reason = refused(tmp_path, table, lines)
    assert reason.startswith(f"{table}.csv, row {number}, ")
    assert (named or [cells.get("id", ident) or "without id"])[0] in reason


@pytest.mark.parametrize("table", FILES)
def test_c1_the_columns_of_a_table_are_there_by_their_names(table, tmp_path):
    head, *lines = lines_of(table)
    for place in range(len(head)):
        for other in ([*head[:place], *head[place + 1 :]], [*head[:place], "other", *head[place + 1 :]]):
            assert f"{table}.csv, row 1" in refused(tmp_path, table, [other, *lines])
    assert f"{table}.csv, row 1" in refused(tmp_path, table, [[*head, "other"], *lines])
    assert f"{table}.csv, row 1" in refused(tmp_path, table, [])


@pytest.mark.parametrize("table", FILES)
def test_c1_each_row_of_a_table_has_a_cell_for_each_column(table, tmp_path):
    lines = lines_of(table)
    for row in (lines[4][:-1], [*lines[4], ""], lines[4][:1]):
        assert f"{table}.csv, row 5, {lines[4][0]}" in refused(tmp_path, table, [*lines[:4], row, *lines[5:]])
    assert f"{table}.csv, row 5, without id" in refused(tmp_path, table, [*lines[:4], [], *lines[4:]])


@pytest.mark.parametrize(("table", "count"), [("elements", 105), ("concepts", 32), ("endings", 56)])
def test_c1_there_are_105_story_cards_56_endings_and_32_concepts(table, count, tmp_path):
    lines = lines_of(table)
    assert f"{table}.csv has {count - 1} rows, not {count}" in refused(tmp_path, table, lines[:-1])
    more = [[lines[-1][0][0] + "99", *lines[-1][1:]]]
    assert f"{table}.csv has {count + 1} rows, not {count}" in refused(tmp_path, table, lines + more)


@pytest.mark.parametrize(("ident", "cell"), [("P05", "1"), ("P25", "0")])
def test_c1_1_21_interruptions_are_counted(ident, cell, tmp_path):
    lines, _ = mended(lines_of("elements"), ident, interruption=cell)
    assert f"elements.csv has {20 + 2 * int(cell)} interruptions, not 21" in refused(tmp_path, "elements", lines)


def test_c1_the_tables_as_they_are_hold_together(tmp_path):
    for name in FILES:
        shutil.copy(table_files.DATA / f"{name}.csv", tmp_path)
    assert table_files.read(tmp_path) == tables.TABLES
    assert {tag for one in tables.THINGS for tag in one.tags} == set(table_files.TAGS)
    assert len(table_files.TAGS) == 21


def test_c1_no_thing_means_too_much(tmp_path):
    lines = lines_of("relations")
    more = [["C01", meant, "0.1", ""] for meant in ("E01", "E02", "E03", "E04", "E05", "E06")]
    reason = refused(tmp_path, "relations", lines + more)
    assert "C01 means more than 5 elements" in reason
    assert reason.startswith("relations.csv, row ")


def test_c1_an_ending_with_an_impossible_clause_is_refused(tmp_path):
    head, *lines = lines_of("elements")
    sets = head.index("sets")
    for line in lines:
        line[sets] = " ".join(fact for fact in line[sets].split() if fact != "muerte")
    assert re.match(r"endings.csv, row 24, F23: .*muerte", refused(tmp_path, "elements", [head, *lines]))


def test_c1_an_ending_that_blocks_itself_is_refused(tmp_path):
    lines, _ = mended(lines_of("endings"), "F23", clauses="muerte", blockers="muerte")
    assert "endings.csv, row 24, F23" in refused(tmp_path, "endings", lines)


def checked(things=tables.THINGS, endings=tables.ENDINGS, relations=tables.RELATIONS):
    """Return what is wrong with tables, "" for nothing."""
    rows = tuple(table_files.Relation(*row) for row in relations)
    try:
        table_files.check(replace(tables.TABLES, things=tuple(things), endings=tuple(endings), relations=rows))
    except ValueError as error:
        return str(error)
    return ""


def other(rows, number, **fields):
    """Return rows of a table of which one is another."""
    return [*rows[:number], replace(rows[number], **fields), *rows[number + 1 :]]


def test_c1_a_fact_that_blocks_and_can_be_cleared_is_no_obstacle():
    assert not checked(endings=other(tables.ENDINGS, 0, clauses=(("secreto",),), blockers=("secreto",)))


def test_c1_a_thing_to_which_nothing_leads_is_refused():
    things = other(tables.THINGS, tables.NUMBER["L19"], tags=())
    relations = [row for row in tables.RELATIONS if "L19" not in row[:2]]
    assert "elements.csv, row 60, L19" in checked(things=things, relations=relations)
    things = other(tables.THINGS, tables.NUMBER["C07"], tags=())
    relations = [row for row in tables.RELATIONS if "C07" not in row[:2]]
    assert "concepts.csv, row 8, C07" in checked(things=things, relations=relations)


def test_c1_only_strong_relations_lead_to_a_thing():
    things = other(tables.THINGS, tables.NUMBER["L19"], tags=())
    others = [row for row in tables.RELATIONS if "L19" not in row[:2]]
    assert not checked(things=things, relations=[*others, ("L19", "P24", 0.3, "")])
    assert not checked(things=things, relations=[*others, ("C32", "L19", 0.3, "")])
    assert "L19" in checked(things=things, relations=[*others, ("L19", "P24", 0.29, "")])
