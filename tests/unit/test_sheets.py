"""Sheets: any text survives TSV and CSV, and none becomes a formula."""

import csv
import io

import pandas
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.problems import FileFault
from assay.sheets import csv_text, escape, inert, parse_tsv, read_columns, read_tsv, tsv_text, unescape, write_tsv

NASTY = [
    'two\nlines, "quoted", and a\ttab',
    '=HYPERLINK("http://x","y")',
    "+1",
    "-1+cmd|' /C calc'!A0",
    "@SUM(1)",
    "＝1+1",
    "'=1",
    "'",
    "",
    "\ta tab first",
    "\r\n=1 after a line end",
    "a lone\rcarriage return",
    "\\n is no line end, \\\\t no tab, and a last \\",
    "漢字 é \u2028 \x85 \x0b \x0c",
    '"',
    '""',
    " spaces kept ",
    ",",
    "NA",
    "null",
    "1e5",
    "007",
]


def back_from_csv(text: str) -> list[list[str]]:
    return [list(row) for row in csv.reader(io.StringIO(text, newline=""), strict=True)]


def without_apostrophe(cell: str) -> str:
    return cell[1:] if cell.startswith("'") else cell


@given(st.text())
def test_a_tsv_cell_is_one_line_without_tabs_and_comes_back(text):
    cell = escape(text)
    assert not set("\t\r\n") & set(cell)
    assert unescape(cell) == text


@pytest.mark.parametrize("text", NASTY)
def test_nasty_texts_survive_a_tsv_file(tmp_path, text):
    rows = [{"a": text, "b": "x"}, {"a": "y", "b": text}]
    write_tsv(tmp_path / "t.tsv", ["a", "b"], rows)
    assert read_tsv(tmp_path / "t.tsv") == rows
    assert len((tmp_path / "t.tsv").read_bytes().split(b"\n")) == 4
    assert read_columns(tmp_path / "t.tsv") == ["a", "b"]


@given(st.lists(st.tuples(st.text(), st.text()), max_size=5))
def test_any_texts_survive_csv_read_by_the_standard_reader(pairs):
    rows = [{"a": a, "b": b} for a, b in pairs]
    header, *found = back_from_csv(csv_text(["a", "b"], rows))
    assert header == ["a", "b"]
    assert [[without_apostrophe(cell) for cell in row] for row in found] == [[r["a"], r["b"]] for r in rows]


def test_nasty_texts_survive_csv_read_by_pandas(tmp_path):
    rows = [{"note": text, "end": "."} for text in NASTY]
    path = tmp_path / "t.csv"
    path.write_bytes(csv_text(["note", "end"], rows).encode("utf-8"))
    table = pandas.read_csv(path, dtype=str, keep_default_na=False)
    assert [without_apostrophe(cell) for cell in table["note"]] == NASTY
    assert set(table["end"]) == {"."}


def test_nasty_texts_survive_tsv_read_by_pandas(tmp_path):
    write_tsv(tmp_path / "t.tsv", ["note", "end"], [{"note": text, "end": "."} for text in NASTY])
    table = pandas.read_csv(tmp_path / "t.tsv", sep="\t", dtype=str, keep_default_na=False, quoting=csv.QUOTE_NONE)
    assert [unescape(cell) for cell in table["note"]] == NASTY


@pytest.mark.parametrize("text", NASTY)
def test_no_csv_cell_is_a_formula(text):
    cell = back_from_csv(csv_text(["a", "b"], [{"a": text, "b": ""}]))[1][0]
    assert not cell.startswith(("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠"))
    assert cell in (text, "'" + text)


def test_an_apostrophe_is_put_only_before_what_needs_it():
    assert [inert(text) for text in ("7.5", "a=b", "=a", "'a")] == ["7.5", "a=b", "'=a", "''a"]


def test_a_column_of_numbers_keeps_its_minus():
    assert csv_text(["n", "t"], [{"n": "-1", "t": "-1"}], frozenset({"n"})) == "n,t\n-1,'-1\n"


def test_a_missing_column_is_an_error_and_not_an_empty_cell():
    with pytest.raises(KeyError):
        tsv_text(["a", "b"], [{"a": "x"}])


def test_a_text_that_utf_8_cannot_hold_is_written_as_its_escape(tmp_path):
    write_tsv(tmp_path / "t.tsv", ["a"], [{"a": "note \ud83d"}])
    assert read_tsv(tmp_path / "t.tsv") == [{"a": "note \\ud83d"}]


def test_a_ragged_table_names_its_row(tmp_path):
    (tmp_path / "t.tsv").write_text("a\tb\n1\t2\n3\n")
    with pytest.raises(FileFault, match=r"t\.tsv, row 3: 1 cells, but the header has 2"):
        read_tsv(tmp_path / "t.tsv")


@pytest.mark.parametrize(
    ("data", "what"), [(None, "missing"), (b"a\xff", "not UTF-8: byte 1"), ("dir", "cannot be read")]
)
def test_a_table_that_cannot_be_read_says_why(tmp_path, data, what):
    path = tmp_path / "t.tsv"
    if data == "dir":
        path.mkdir()
    elif data is not None:
        path.write_bytes(data)
    with pytest.raises(FileFault, match=what):
        read_tsv(path)


@pytest.mark.parametrize(
    "text", ["a\tb\n1\t2\n", "a\tb\r\n1\t2\r\n", "a\tb\n\n1\t2", '"a"\t"b"\n"1"\t2\n', "a\tb\n1\t2\t\t\n"]
)
def test_a_sheet_from_any_editor_or_spreadsheet_is_understood(text):
    columns, rows, faults = parse_tsv(text)
    assert (columns, [dict(row.cells) for row in rows], faults) == (["a", "b"], [{"a": "1", "b": "2"}], [])


def test_rows_know_their_line_in_the_file():
    assert [row.line for row in parse_tsv("a\n1\n\n2\n")[1]] == [2, 4]


def test_quotes_inside_a_cell_are_text():
    cells = ['"quoted" and "quoted"', '"whole, ""doubled"""', 'an "inner" one', '"', "''"]
    rows = parse_tsv("a\n" + "\n".join(cells) + "\n")[1]
    assert [row["a"] for row in rows] == ['"quoted" and "quoted"', 'whole, "doubled"', 'an "inner" one', '"', "''"]


def test_faults_of_form_are_told_with_their_line():
    _, rows, faults = parse_tsv("a\tb\ta\n1\t2\t3\n1\t2\t3\t4\n")
    assert faults == [(1, "the column a stands twice in the header"), (3, "4 cells, but the header has 3 columns")]
    assert len(rows) == 1


def test_a_short_row_has_empty_cells():
    assert dict(parse_tsv("a\tb\tc\n1\n")[1][0].cells) == {"a": "1", "b": "", "c": ""}
