"""Texts from TOML files: sections by language, and files that do not agree."""

import pytest

from sobremesa.envs.core.words import load_words


def test_texts_come_by_section_and_language(tmp_path):
    (tmp_path / "en.toml").write_text('help = "Dig."\n[story]\nwon = "{seat} won."\n')
    (tmp_path / "es.toml").write_text('help = "Cava."\n[story]\nwon = "Ha ganado {seat}."\n')
    texts = load_words(str(tmp_path / "words.py"))
    assert texts["help"] == {"en": "Dig.", "es": "Cava."}
    assert texts["story"]["es"]["won"] == "Ha ganado {seat}."


@pytest.mark.parametrize(
    ("spanish", "told"),
    [
        ('[story]\nwin = "Ha ganado {seat}."\n', "es.toml differs from en.toml in story.win, story.won"),
        ('[story]\nwon = "Ha ganado {}."\n', "differs from en.toml in story.won;"),
        ("[story\n", "es.toml is not valid TOML"),
    ],
)
def test_files_that_do_not_agree_are_refused(tmp_path, spanish, told):
    (tmp_path / "en.toml").write_text('[story]\nwon = "{seat} won."\n')
    (tmp_path / "es.toml").write_text(spanish)
    with pytest.raises(ValueError, match=told):
        load_words(str(tmp_path / "words.py"))
