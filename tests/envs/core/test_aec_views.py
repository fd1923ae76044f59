"""Views of AEC environments: encoded observations, text and pictures."""

import sys
import xml.etree.ElementTree as ET

import numpy as np
import pytest
from gymnasium import spaces
from plays import GAMES, allowed, one_game, play_on

from sobremesa import envs
from sobremesa.envs.core import errors
from sobremesa.envs.core.api import encoders
from sobremesa.envs.core.errors import MissingExtra
from sobremesa.envs.core.picture import render


@pytest.fixture(params=GAMES)
def name(request):
    return request.param


def turns(name, plies, **arguments):
    """Yield environments of one deal, one for each of `arguments["encoder"]`, at each ply."""
    several = [envs.make(name, **arguments, encoder=encoder) for encoder in ("flat", "blocks", "text")]
    for env in several:
        env.reset(seed=6)
    for _ in zip(*(play_on(env, 6, plies) for env in several), strict=True):
        if several[0].agents:
            yield several


def test_the_blocks_are_the_flat_observation_by_name(name):
    for flat, blocks, _ in turns(name, 80):
        for agent in flat.agents:
            vector, by_name = flat.observe(agent), blocks.observe(agent)
            assert flat.observation_space(agent).contains(vector)
            assert blocks.observation_space(agent).contains(by_name)
            np.testing.assert_array_equal(vector["action_mask"], by_name["action_mask"])
            expected = flat.game.layout.split(vector["observation"])
            assert list(by_name["observation"]) == [block.name for block in flat.game.layout] == list(expected)
            for block, values in by_name["observation"].items():
                np.testing.assert_array_equal(values, expected[block])


@pytest.mark.parametrize("language", ["en", "es"])
def test_the_text_lies_in_its_space_and_names_the_legal_actions(name, language):
    heading = {"en": "Your actions", "es": "Tus jugadas"}[language]
    for *_, text in turns(name, 60, language=language):
        for agent in text.agents:
            seen = text.observe(agent)
            assert text.observation_space(agent).contains(seen)
            acting = agent == text.agent_selection and not text.terminations[agent]
            assert (heading in seen["observation"]) == acting
            if acting:
                choices = seen["observation"].rsplit(heading, 1)[1]
                assert all(text.game.words.action_name(int(action), language) in choices for action in allowed(text))


def test_the_two_languages_differ(name):
    texts = []
    for language in ("en", "es"):
        env = envs.make(name, encoder="text", language=language)
        env.reset(seed=1)
        texts.append(env.observe(env.agent_selection)["observation"])
    assert texts[0] != texts[1]


@one_game
def test_an_encoder_of_ones_own_is_used_by_its_name(name, monkeypatch):
    monkeypatch.setattr(encoders, "_ENCODERS", dict(encoders._ENCODERS))
    space = lambda game: spaces.Discrete(game.num_actions + 1)  # noqa: E731
    choices = encoders.Encoder("choices", space, lambda view, language: int(view.mask.sum()))
    envs.register_encoder(choices)
    env = envs.make(name, encoder="choices")
    env.reset(seed=1)
    for agent in env.agents:
        seen = env.observe(agent)
        assert env.observation_space(agent).contains(seen)
        assert seen["observation"] == (len(allowed(env)) if agent == env.agent_selection else 0)
    assert encoders.encoders()[-1] == "choices"
    with pytest.raises(ValueError, match="'choices' is registered already"):
        envs.register_encoder(choices)
    with pytest.raises(ValueError, match="there are flat, blocks, text, choices"):
        envs.make(name, encoder="nonsense")


# Pictures.


def dealt(name, mode, **arguments):
    env = envs.make(name, render_mode=mode, **arguments)
    env.reset(seed=2)
    return env


@pytest.mark.parametrize("language", ["en", "es"])
@pytest.mark.parametrize("viewer", [None, 0, 1])
def test_ansi_and_svg_show_what_the_viewer_sees(name, language, viewer):
    text = dealt(name, "ansi", language=language, viewer=viewer)
    picture = dealt(name, "svg", language=language, viewer=viewer)
    for _ in zip(play_on(text, 5, 20), play_on(picture, 5, 20), strict=True):
        assert text.render() == text.game.words.describe(text._states, viewer, language)
        assert picture.render() == text.game.words.scene(text._states, viewer, language)
        assert ET.fromstring(picture.render()).tag == "{http://www.w3.org/2000/svg}svg"


def test_rendering_changes_nothing(name):
    env = dealt(name, "svg")
    before = env.get_state()
    env.render()
    assert env.get_state() == before


def test_rgb_array_is_a_picture_in_more_than_one_colour(name):
    pytest.importorskip("resvg_py")
    pytest.importorskip("PIL")
    env = dealt(name, "rgb_array")
    pixels = env.render()
    assert pixels.dtype == np.uint8
    assert pixels.ndim == 3
    assert pixels.shape[2] == 3
    assert len(np.unique(pixels.reshape(-1, 3), axis=0)) > 4
    list(play_on(env, 1, 9))
    assert (env.render() != pixels).any()


@one_game
def test_human_mode_shows_each_ply_and_reopens_its_window(name, monkeypatch):
    pygame = pytest.importorskip("pygame")
    pytest.importorskip("resvg_py")
    pytest.importorskip("PIL")
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    monkeypatch.setattr(render, "FRAMES_PER_SECOND", 10_000)
    shown = []
    show = render.Window.show
    monkeypatch.setattr(render.Window, "show", lambda window, svg: (shown.append(svg), show(window, svg)))
    env = dealt(name, "human")
    for ply in range(1, 4):
        assert len(shown) == ply
        env.step(int(allowed(env)[0]))
    assert shown[-1] == env.game.words.scene(env._states, None, "en")
    assert env.render() is None
    assert pygame.display.get_caption()[0] == env.game.words.title["en"]
    for _ in range(2):
        env.close()
        assert not pygame.display.get_init()
    env.render()
    assert pygame.display.get_init()
    env.close()


@one_game
def test_render_without_a_mode_names_the_modes(name):
    with pytest.raises(ValueError, match="no render_mode was given; it takes one of ansi, human, rgb_array, svg"):
        dealt(name, None).render()


@one_game
@pytest.mark.parametrize("absent", ["resvg_py", "PIL"])
def test_pixels_without_their_packages_say_what_to_install(name, absent, monkeypatch):
    env = dealt(name, "rgb_array")
    monkeypatch.setitem(sys.modules, absent, None)
    with pytest.raises(MissingExtra, match=r"drawing pixels needs the 'render' extra; run pip install '\.\[render\]'"):
        env.render()


def test_a_dependency_with_two_markers_has_its_extra(monkeypatch):
    given = ['pygame>=2.6; python_version < "3.14" and extra == "render"', 'pygame; extra == "bench"']
    monkeypatch.setattr(errors, "requires", lambda name: given)
    assert errors.extra_of("pygame") == "render"


@one_game
def test_a_window_without_pygame_says_what_to_install(name, monkeypatch):
    monkeypatch.setitem(sys.modules, "pygame", None)
    with pytest.raises(ImportError, match=r"render_mode='human' needs .* pip install '\.\[render\]'"):
        dealt(name, "human")
