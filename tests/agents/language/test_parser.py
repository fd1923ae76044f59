"""The parser: every name parses back, and a mutated answer never becomes another action."""

import json
import random
import unicodedata

import numpy as np
import pytest

from sobremesa import envs
from sobremesa.agents.language.parser import CUT, ILLEGAL, NONE, SEVERAL, parse_answer, refusal
from sobremesa.agents.language.prompt import Style
from sobremesa.agents.trainers.episode import Episode
from sobremesa.envs.core.game import LANGUAGES

GAMES = envs.all_games()
MUTATIONS = 10_000  # a game


def everything(game):
    return np.ones(game.num_actions, np.int8)


def without_accents(name):
    return "".join(sign for sign in unicodedata.normalize("NFD", name) if not unicodedata.combining(sign))


# An answer in another form that means the same.
FORMS = {
    "bare": lambda name: name,
    "marked": lambda name: f"ACTION: {name}",
    "in Spanish": lambda name: f"Acción: {name}",
    "after an argument": lambda name: f"I might pass, or wait.\nBut no:\n\nAction: {name}\n",
    "bare after an argument": lambda name: f"I have thought about it.\n\n{name}",
    "upper case": lambda name: f"ACTION: {name.upper()}",
    "lower case": lambda name: f"action: {name.lower()}",
    "without accents": lambda name: f"ACTION: {without_accents(name)}",
    "decomposed": lambda name: f"ACTION: {unicodedata.normalize('NFD', name)}",
    "bold": lambda name: f"**ACTION:** **{name}**",
    "bold as a whole": lambda name: f"> **Action: {name}.**",
    "quoted": lambda name: f"ACTION: «{name}»",
    "in backticks": lambda name: f"ACTION: `{name}`",
    "in brackets": lambda name: f"ACTION: <{name}>",
    "a full stop": lambda name: f"ACTION: {name}.",
    "spaces": lambda name: f"  ACTION :   {name.replace(' ', chr(160) + ' ')}  \r\n",
    "on the next line": lambda name: f"ACTION:\n\n{name}",
    "fenced": lambda name: f"```text\n{name}\n```",
    "a bullet": lambda name: f"- ACTION: {name}",
    "JSON": lambda name: json.dumps({"thought": "I go on {so}", "action": name}),
    "JSON in a fence": lambda name: f"Well.\n```json\n{json.dumps({'action': name}, indent=1)}\n```",
    "JSON with a mark": lambda name: f'ACTION: {name}\n{{"action": {json.dumps(name)}}}',
    "JSON with a comma": lambda name: f'{{"thought": "so {{", "action": {json.dumps(name)},}}',
    "JSON with a comment": lambda name: f'{{\n  "action": {json.dumps(name)} // the best\n}}',
    "JSON within JSON": lambda name: (
        f"<tool_call>{json.dumps({'name': 'act', 'arguments': {'action': name}})}</tool_call>"
    ),
    "JSON in a text in JSON": lambda name: json.dumps({"arguments": json.dumps({"action": name})}),
    "a message with calls of tools": lambda name: json.dumps(
        {"tool_calls": [{"function": {"name": "act", "arguments": json.dumps({"action": name})}}]}
    ),
    "JSON beside another choice": lambda name: json.dumps({"choices": [{"action": "none"}], "action": name}),
    "JSON in single quotes": lambda name: f"{{'action': '{name}'}}",
    "JSON after a mark": lambda name: f"ACTION:\n{json.dumps({'action': name}, indent=1)}",
    "JSON after braces": lambda name: "{" * 200 + json.dumps({"action": name}),
    "a formula": lambda name: f"So $x = 1$.\n\n$$\\boxed{{\\text{{{name}}}}}$$",
    "a formula in a sentence": lambda name: f"The final answer is $\\boxed{{{name}}}$. Good luck!",
    "a formula after a mark": lambda name: f"ACTION: \\boxed{{{name}}}",
    "a tag": lambda name: f"<action>{name}</action>",
    "a tag on lines": lambda name: f"I think.\n<Answer>\n{name}\n</Answer>\n",
    "a mark in a tag": lambda name: f"<answer>\nACTION: {name}\n</answer>",
    "a final answer": lambda name: f"**Final Answer:** {name}",
    "a final answer in Spanish": lambda name: f"Respuesta final: {name}",
    "a final action in Spanish": lambda name: f"**La acción final**: {name}",
    "an argument marked as an answer": lambda name: f"Answer: I would wait.\nACTION: {name}",
    "a head before a mark": lambda name: f"**My action:**\n\nACTION: {name}",
    "a mark twice": lambda name: f"ACTION: ACTION: {name}",
    "a wide colon": lambda name: f"ACTION：{name}",
    "a decomposed mark": lambda name: f"ACCIO\u0301N: {name}",
    "emoji": lambda name: f"🎯 **ACTION: {name}** 🐂\ufe0f",
    "invisible signs": lambda name: f"\ufeffACTION: \u200b{name}\u200b",
    "the end of a text": lambda name: f"ACTION: {name}<|im_end|></s>",
    "bare above a rule": lambda name: f"{name}\n\n---",
    "a thought": lambda name: f"<think>ACTION: nonsense\n{{</think>\nACTION: {name}",
    "a thought without its beginning": lambda name: f"ACTION: nonsense</think>ACTION: {name}",
    "other signs": lambda name: f"ACTION: {name.replace('-', chr(0x2212)).replace(chr(39), chr(0x2019))}",
    "twice": lambda name: f"ACTION: {name}\nOnce more:\nACTION: {name}",
}


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", GAMES)
def test_every_name_parses_back_in_every_form(name, language):
    game = envs.load(name)
    for action in range(game.num_actions):
        for form, write in FORMS.items():
            answer = write(game.words.action_name(action, language))
            assert parse_answer(answer, game, everything(game), language).action == action, (form, answer)


def mangled(draw, name, other):
    """Return `name` with a fault in its letters or words, or beside `other`."""
    place, words = draw.randrange(len(name) + 1), name.split()
    letter = draw.choice("abcdeimnorstz0123456789+-áñ.,①②²½ ")
    return draw.choice(
        [
            name[:place] + name[place + 1 :],
            name[:place] + letter + name[place:],
            name[:place] + letter + name[place + 1 :],
            name[:place] + name[place:][::-1],
            name[:place],
            name[place:],
            " ".join(draw.sample(words, len(words))),
            " ".join(words[: draw.randrange(len(words) + 1)]),
            f"{name} {other}",
            f"{name}, {other}",
            f"{name} / {other}",
            f"not {name}",
            f"{name} because it is good",
            name.replace("+", "-"),
            name.replace("-", "+"),
            f"{name}\n{other}",
        ]
    )


def plain(text):
    """Return `text` as a person reads it: without case, accents and outer signs."""
    return " ".join(without_accents(text).casefold().split()).strip(" .,;:!'\"`*_~<>[]{}«»“”‘’")


@pytest.mark.parametrize("name", GAMES)
def test_mutated_answers_never_become_another_action(name):
    game, draw = envs.load(name), random.Random(7)
    mask, refused = everything(game), 0
    for _ in range(MUTATIONS):
        language = draw.choice(LANGUAGES)
        action, other = (
            game.words.action_name(one, language) for one in (draw.randrange(game.num_actions) for _ in range(2))
        )
        text = mangled(draw, action, other)
        read = parse_answer(draw.choice(list(FORMS.values()))(text), game, mask, language).action
        found = None if read is None else game.words.action_name(read, language)
        refused += read is None
        # Otherwise the faulty text is itself the name of that other action, letter by letter.
        assert found in (None, action) or plain(text) == plain(found), (text, found)
    assert refused > MUTATIONS / 4


@pytest.mark.parametrize(
    ("answer", "kind"),
    [
        ("", NONE),
        ("I draw and then stop.", NONE),
        ("ACTION: draw or stop", NONE),
        ("ACTION: 3", NONE),
        ('{"action": 3}', NONE),
        ('{"action": ["draw"]}', NONE),
        ("ACTION: dr", NONE),
        ("draw\nI think", NONE),
        ("ACTION: Big Heads ②", NONE),
        ("ACTION: Big Heads -2", NONE),
        ("ACTION: Exchange", ILLEGAL),
        ("ACTION: draw\nACTION: stop", SEVERAL),
        ("draw\nstop", SEVERAL),
        ('{"action": "draw"} {"action": "stop"}', SEVERAL),
        ('ACTION: draw\n{"action": "jump"}', SEVERAL),
        ('{"action": "draw", "action": "stop"}', SEVERAL),
        ('{"a": {"action": "draw"}, "b": [{"action": "stop"}]}', SEVERAL),
        ('{"action": "draw",} {"action": "stop"}', SEVERAL),
        ('{"action": "draw", "move": 3}', SEVERAL),
        ('{"action": {"action": "draw"}}', NONE),
        ("\\boxed{draw} or \\boxed{stop}", SEVERAL),
        ("ACTION: draw\n\\boxed{stop}", SEVERAL),
        ("<action>draw</action> <action>stop</action>", SEVERAL),
        ("<action>fly</action> <answer>draw</answer>", SEVERAL),
        ("Final answer: draw\nACTION: stop", SEVERAL),
        ("Final answer: draw, or stop", NONE),
        ("\\boxed{draw or stop}", NONE),
        ("ACTION:\n\nACTION:", NONE),
        ("ACTION: not draw 🎯", NONE),
        ("ACTION: draw\n+ Running Shoes", NONE),
        ("ACTION:\ndraw\n+ Running Shoes", NONE),
        ("draw\n+ Running Shoes", NONE),
        ("ACTION: draw\n\nor stop", NONE),
        ("ACTION: draw or\nBig Heads +2", NONE),
        ("ACTION: draw\n(no, stop)", NONE),
        ("ACTION: draw\nunless a bull comes", NONE),
        ("Reject this move:\ndraw", NONE),
        ("Reject this move:\nACTION: draw", NONE),
        ("Never do this:\n\\boxed{draw}", NONE),
        ('I would never answer {"action": "draw"}', NONE),
        ("Do not write <action>draw</action>", NONE),
        ("Rechazo esta jugada:\nACCIÓN: draw", NONE),
        ("I shall not\ndraw", NONE),
        ("The moves are:\n- draw", NONE),
        ("ACTION: ~~draw~~", NONE),
        ("ACTION: draw; stop", NONE),
        ("ACTION: draw ACTION: stop", NONE),
        ("ACTION: 'draw', not 'stop'", NONE),
        ("- draw\n- stop", SEVERAL),
        ("```\ndraw\nstop\n```", SEVERAL),
        ('{"actions": ["draw"]}', NONE),
        ('{"name": "draw", "arguments": {}}', NONE),
        ('{"tool_calls": [{"function": {"name": "act", "arguments": "{}"}}]}', NONE),
        (json.dumps({"tool_calls": [{"arguments": json.dumps({"action": one})} for one in ("draw", "stop")]}), SEVERAL),
        ("ACTION: done", ILLEGAL),
        ("<think>ACTION: draw", CUT),
        ("ACTION: draw" + "x" * 200_000, CUT),
        ("{" * 99_000, NONE),
        ("\x1b]0;title\x07ACTION: draw", NONE),
    ],
)
def test_an_answer_that_names_no_legal_action_is_refused(answer, kind):
    game = envs.load("corre_el_encierro")
    mask = np.zeros(game.num_actions, np.int8)
    mask[[game.words.parse_action(one, "en") for one in ("draw", "stop", "Big Heads +2")]] = 1
    found = parse_answer(answer, game, mask, "en")
    assert (found.action, found.kind) == (None, kind)
    assert found.said.isprintable()
    assert len(found.said) < 200


@pytest.mark.parametrize("name", GAMES)
def test_names_are_never_read_in_part(name):
    """A name that goes on in the next line is refused, also where a part of it or the whole is an action."""
    game = envs.load(name)
    for action in range(game.num_actions):
        for language in LANGUAGES:
            words = game.words.action_name(action, language).split()
            for place in range(1, len(words)):
                answer = f"ACTION: {' '.join(words[:place])}\n{' '.join(words[place:])}"
                read = parse_answer(answer, game, everything(game), language)
                assert read.action is None, answer


def test_a_call_of_a_tool_without_an_action_gets_a_hint():
    game = envs.load("leduc_poker")
    view = Episode(game, "random", seed=1).view
    read = parse_answer('{"tool_calls": [{"function": {"name": "raise", "arguments": "{}"}}]}', game, view.mask, "en")
    assert read.call
    assert "the argument action" in refusal(read, view, Style(), 2)


def test_an_answer_cut_off_is_refused_even_if_it_names_an_action():
    game = envs.load("corre_el_encierro")
    assert parse_answer("ACTION: Advance a Stretch", game, everything(game), "en").action is not None
    assert parse_answer("ACTION: Advance a Stretch", game, everything(game), "en", cut=True).kind == CUT
