"""The choice of words for a sentence of *Érase una vez*: the best fit, then the least used, then chance.

Words for a hook whose card may be claimed always mention it if they can (H9).
"""

from sobremesa.envs.erase_una_vez.tables import NO_THING, NUM_ELEMENTS
from sobremesa.envs.erase_una_vez.text import lexicon as lex
from sobremesa.envs.erase_una_vez.text.flavour import CONNECTIVES, TAILS, WISHES, Lead
from sobremesa.envs.erase_una_vez.text.lexicon import Wording, wordings_of
from sobremesa.envs.erase_una_vez.text.plot import WANTED, SentencePlan, Tale

LAST_CONNECTIVES = 3  # sentences with a connective that the next one does not repeat
SELDOM = 4  # one in so many sentences that may have a connective has one
TIME_RESTS = 5  # sentences between two connectives that let time pass
WORDING, HOW_OFTEN, WHICH, MODE, NAMED, TAIL, LONGING = range(7)  # what each byte of chance decides


def choose(so_far: Tale, thing: int, hook: int, chance: bytes, *, free: bool, meant: bool = False) -> SentencePlan:
    """Choose the words for `thing`; `free` if its card is on the table once this is told, or it has none.

    With `meant`, `thing` is another word for the hook; wordings for that come first.
    """
    moment = lex.AGAIN if thing in so_far.told else lex.NEW if so_far.told else lex.FIRST
    follows = [one.needs for one in wordings_of(thing, moment) if one.is_consequence and one.cast]
    roles = roles_for(so_far, thing, hook, follows)
    found = _fitting(so_far, wordings_of(thing, lex.MEANT), roles) if meant else []
    found = found or _fitting(so_far, wordings_of(thing, moment), roles)
    if hook < NUM_ELEMENTS and hook not in so_far.laid:
        found = [one for one in found if one.roles] or found
    costs = [cost(so_far, wording, thing, roles) for wording in found]
    cheapest = [wording for wording, one in zip(found, costs, strict=True) if one == min(costs)]
    return _told(so_far, cheapest[chance[WORDING] % len(cheapest)], roles, chance, free)


def roles_for(so_far: Tale, thing: int, hook: int, follows: list[frozenset[str]]) -> dict[str, int]:
    """Return the things that can fill each role: the hook, and a character who acts."""
    roles = {"thing": thing}
    if hook not in (thing, NO_THING):
        roles |= {role: hook for role, kinds in lex.ROLES.items() if lex.NOUNS[hook].kind in kinds}
    actor = so_far.actor(thing, hook, follows)
    if actor != NO_THING:
        roles |= {role: actor for role, kinds in lex.CAST_ROLES.items() if lex.NOUNS[actor].kind in kinds}
    return roles


def _fitting(so_far: Tale, wordings: tuple[Wording, ...], roles: dict[str, int]) -> list[Wording]:
    """Return the wordings whose gaps can be filled and whose needs are met."""
    return [
        one
        for one in wordings
        if one.roles | one.cast <= set(roles)
        and (not one.cast or one.starter in lex.CAST_ROLES or so_far.has_name(roles[min(one.cast)]))
        and all(any(so_far.has(roles[role], state) for role in one.all_roles) for state in one.needs)
        and (WANTED not in one.needs or so_far.longs.get(roles["hero"]) in roles.values())
        and (not one.seeks or so_far.may_seek(one, roles))
    ]


def cost(so_far: Tale, wording: Wording, thing: int, roles: dict[str, int]) -> tuple[int, ...]:
    """Return how badly a wording fits, to be compared: contradictions, repetition, then what it leaves untold."""
    ones = {roles[role] for role in wording.all_roles}
    general = not wording.roles | wording.cast and wording.when == lex.NEW
    barred = sum(so_far.has(one, state) for one in (so_far.told if general else ones) for state in wording.bars)
    barred += len(so_far.where(ones) & wording.bars)
    wakes = wording.starter if wording.lead == "then" else ""  # who acts here, after the effect of a hard state
    bound = sum(so_far.is_bound(roles[role]) for role in wording.all_roles if role != wakes
                and lex.NOUNS[roles[role]].kind in lex.LIVING and not wording.is_consequence)  # fmt: skip
    own = lex.NOUNS[thing].kind not in wording.of
    hero = roles.get("hero", NO_THING)
    acts = bool(wording.cast) or (hero != NO_THING and hero in ones)
    speaks = bool(wording.roles) or acts or (own and wording.when == lex.AGAIN)
    lacks = (
        2 * (not speaks)
        + (own and wording.when == lex.AGAIN and not wording.needs)
        + (so_far.is_absent(hero) and not acts)
        + wording.is_vague
        + (bool(wording.roles & {"trait", "deed"}) and so_far.is_free(roles[min(wording.roles)]))
        + (wording.beat not in ("", so_far.due))
    )
    return (
        barred + bound,
        so_far.used.get(wording.number, 0),
        lacks - 2 * wording.is_consequence - 3 * wording.seeks,
        not own and not speaks,
    )


def _told(so_far: Tale, wording: Wording, roles: dict[str, int], chance: bytes, free: bool) -> SentencePlan:
    """Return a sentence with its lead, its references to characters, and the name and wish that it introduces."""
    thing = roles["thing"]
    spoken = wording.all_roles if wording.when == lex.AGAIN else wording.roles | wording.cast
    modes = {roles[role]: so_far.mode(roles[role], role, wording, chance[MODE]) for role in sorted(spoken)}
    introduced = wording.when in (lex.FIRST, lex.NEW) and "{tail}" in wording.text["es"]
    name = so_far.name_for(thing, chance[NAMED]) if introduced and free else -1
    seeker = so_far.seeker_in(wording, roles)
    lead = _effect(so_far, wording, roles, chance) or _connective(so_far, wording, roles, chance)
    return SentencePlan(
        wording, lead, roles, frozenset(so_far.told), modes, so_far.names | ({thing: name} if name >= 0 else {}),
        chance[TAIL] % len(TAILS[thing]), name >= 0,
        -1 if seeker == NO_THING else so_far.wish if so_far.wish >= 0 else chance[LONGING] % len(WISHES),
        seeker, so_far.wish,
    )  # fmt: skip


def _effect(so_far: Tale, wording: Wording, roles: dict[str, int], chance: bytes) -> Lead | None:
    starter = roles[wording.starter] if wording.starter else NO_THING
    if starter == NO_THING or starter not in so_far.told or wording.is_consequence:
        return None
    return so_far.effect(starter, wording, chance[WHICH])


def _connective(so_far: Tale, wording: Wording, roles: dict[str, int], chance: bytes) -> Lead | None:
    """Return a connective for some of the sentences that may have one, of another kind than the last.

    Time does not pass again soon after it passed, and one character does nothing meanwhile.
    """
    if not wording.lead or so_far.count < 2 or chance[HOW_OFTEN] % SELDOM:
        return None
    before = [one for one in so_far.leads if one is not None and not one.state]
    recent = [one.text for one in before[-LAST_CONNECTIVES:]]
    timed = any(one is not None and one.kind == "time" for one in so_far.leads[-TIME_RESTS:])
    fitting = [
        one
        for one in CONNECTIVES
        if one.lead == wording.lead
        and one.text not in recent
        and (not before or one.kind != before[-1].kind)
        and not (timed and one.kind == "time")
        and not (wording.is_adverbial and one.kind in ("hour", "next", "time"))
        and not (one.kind == "meanwhile" and so_far.heard.get(roles.get(wording.starter, NO_THING)) == so_far.count)
    ]
    return fitting[chance[WHICH] % len(fitting)] if fitting else None
