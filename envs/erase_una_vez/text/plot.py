"""The model of a tale that its words follow: who is in it, who has a name, and what became of each.

The model follows from the rows of the log alone (H9): the characters who were told of first get their own name, a
tail that distinguishes them, and the first of them a wish. A *free* character can be claimed no more, because the card
is on the table or does not exist; only a free character acts in sentences about other things (H14).
"""

import copy
from collections.abc import Collection
from dataclasses import dataclass, field, fields

from sobremesa.envs.erase_una_vez.tables import NO_THING, NUM_ELEMENTS
from sobremesa.envs.erase_una_vez.text import lexicon as lex
from sobremesa.envs.erase_una_vez.text.flavour import EFFECTS, GLAD, HARD, LASTS, NAMES, TAILS, Lead
from sobremesa.envs.erase_una_vez.text.lexicon import Wording

MOST_NAMED = 3  # characters with a name
MOST_PRONOUNS = 2  # sentences in a row that call a character by a pronoun
NOUN, NAME, PRONOUN = range(3)  # ways to refer to a character
EFFECT_LASTS = 3  # sentences after which an effect is mentioned no more
# Sentences from one mention of the goal to the next, and to the next that gives a thing its part in the plot.
GOAL_RESTS, NEWCOMER_RESTS = 3, 1
ENOUGH = 3  # sentences that a character with a name should have
FIRST_ACTS = 6  # sentences that another character must have rested longer than the first one, to act instead
OVERDUE = 2  # sentences after which a character should act again
WANTING, WANTED = "wanting", "wanted"  # the states of one who longs for something, and of that thing
SEEN = "seen"  # the state of what was spoken of twice


@dataclass(frozen=True)
class SentencePlan:
    """The content of a sentence and its choice of words."""

    wording: Wording
    lead: Lead | None  # a connective, or an effect of what happened before
    roles: dict[str, int]  # the thing that fills each gap
    known: frozenset[int]  # things told of before
    modes: dict[int, int]  # how each character is referred to: NOUN, NAME or PRONOUN
    names: dict[int, int]  # characters with a name, this one included
    tail: int  # which tail of the subject
    named: bool  # whether the sentence gives its subject a name
    wish: int  # which wish it tells; -1 for none
    seeker: int  # the character with that wish; NO_THING without one
    goal: int  # which wish its words may speak of; -1 for none

    @property
    def thing(self) -> int:
        """Return the subject."""
        return self.roles["thing"]

    def mentioned_things(self) -> set[int]:
        """Return the things that the words name: subject, hook and actor."""
        return {self.roles[role] for role in self.wording.all_roles}

    def mentioned(self) -> list[int]:
        """Return the living beings that the words name."""
        return sorted(one for one in self.mentioned_things() if lex.NOUNS[one].kind in lex.LIVING)


@dataclass
class Tale:
    """The tale so far."""

    told: list[int] = field(default_factory=list)  # things, those told of last at the end
    laid: set[int] = field(default_factory=set)  # cards that lie on the table
    used: dict[int, int] = field(default_factory=dict)  # how often each wording has been, by number
    leads: tuple[Lead | None, ...] = ()  # of all sentences, in order
    lines: bytes = b""  # a digest of all rows
    names: dict[int, int] = field(default_factory=dict)  # of the characters that have one, the hero first
    tails: dict[int, int] = field(default_factory=dict)
    states: dict[int, dict[str, int]] = field(default_factory=dict)  # of each thing, since which sentence
    longs: dict[int, int] = field(default_factory=dict)  # the thing that each character longed for last
    effects: dict[int, tuple[str, int]] = field(default_factory=dict)  # still to be mentioned, and since which sentence
    heard: dict[int, int] = field(default_factory=dict)  # the sentence that spoke of each thing last
    acts: dict[int, int] = field(default_factory=dict)  # sentences that spoke of each thing
    count: int = 0  # sentences
    latest: int = NO_THING  # the character that a pronoun means
    pronouns: int = 0  # sentences in a row that used one
    places: dict[int, int] = field(default_factory=dict)  # where each living being is
    haunts: frozenset[tuple[int, int]] = frozenset()  # living beings, and places where they have been
    seeker: int = NO_THING  # the character with the wish
    wish: int = -1
    wished: int = 0  # the sentence that spoke of the wish last
    parts: dict[int, str] = field(default_factory=dict)  # of things in the plot, one of PARTS, the latest last
    obstacles: int = 0  # sentences with an obstacle to the goal
    means: int = 0  # sentences with a means to the goal

    def copy(self) -> "Tale":
        """Return an independent copy."""
        return Tale(**{one.name: copy.copy(getattr(self, one.name)) for one in fields(self)})

    def is_free(self, thing: int) -> bool:
        """Return whether no card can be claimed for `thing`."""
        return thing in self.laid or NUM_ELEMENTS <= thing < NO_THING

    def has_name(self, one: int) -> bool:
        """Return whether sentences about other things may name a character."""
        return one in self.names and self.is_free(one)

    def has(self, thing: int, state: str) -> bool:
        """Return whether `thing` is in a state; every tail is one."""
        since = self.states.get(thing, {}).get(state)
        if since is None:
            return state == f"tail{self.tails.get(thing, 0)}"
        return self.count - since <= LASTS.get(state, self.count)

    def is_bound(self, thing: int) -> bool:
        """Return whether `thing` cannot act before its state ends: asleep, hidden, lost, trapped or gone."""
        return bool(self.states.get(thing, {}).keys() & HARD)

    def actor(self, thing: int, hook: int, follows: Collection[frozenset[str]]) -> int:
        """Return the character who can act in a sentence about `thing`; NO_THING if there is none.

        A sentence that hangs on a living being leaves the acting to that one. Without a free character with a name, the
        one acts whom a pronoun means. Characters come first who are in all the
        states of one of `follows`, then those who can act, then those who have not been heard of for long.
        """
        if hook != thing and self.has_name(hook):
            return hook
        if hook != NO_THING and lex.NOUNS[hook].kind in lex.LIVING:
            return NO_THING
        cast = [one for one in self.names if one != thing and self.has_name(one)]
        if not cast and self.latest not in (thing, hook) and self.pronouns < MOST_PRONOUNS:
            return self.latest

        def calls(one: int) -> tuple[bool, bool, int]:
            meant = any(all(self.has(one, state) for state in states) for states in follows)
            rest = self.count - self.heard.get(one, 0) + (self.acts.get(one, 0) < ENOUGH)
            return meant, not self.is_bound(one), rest + FIRST_ACTS * (one == self.hero)

        return max(cast, key=calls, default=NO_THING)

    @property
    def hero(self) -> int:
        """Return the character with the wish of the tale, before that the first with a name; NO_THING without one."""
        return self.seeker if self.seeker != NO_THING else next(iter(self.names), NO_THING)

    @property
    def due(self) -> str:
        """Return the beat of the plot that comes next: obstacles and means in turn."""
        return lex.OBSTACLE if self.obstacles <= self.means else lex.MEANS

    def may_seek(self, wording: Wording, roles: dict[str, int]) -> bool:
        """Return whether a wording can speak of the goal now, where only the seeker acts."""
        rests = NEWCOMER_RESTS if wording.sets & lex.PARTS else GOAL_RESTS
        if self.wish < 0 or self.count - self.wished < rests:
            return False
        seeks = bool(wording.cast) or lex.SEEKING in wording.needs
        return not seeks or roles[wording.whom] == self.hero

    def is_absent(self, one: int) -> bool:
        """Return whether a character has not been heard of for some sentences."""
        return one != NO_THING and self.count - self.heard.get(one, 0) >= OVERDUE

    def use(self, told: SentencePlan) -> None:
        """Remember the words of a sentence, also of one that is undone later."""
        number = told.wording.number
        self.used[number] = self.used.get(number, 0) + 1
        self.leads = (*self.leads, told.lead)

    def tell(self, told: SentencePlan, *, unseen: bool = False) -> None:
        """Add a sentence; one that is `unseen`, since the tale has other words for it, has no consequences."""
        self.count += 1
        thing = told.thing
        if thing in self.told:
            self.told.remove(thing)
        else:
            self.tails[thing] = told.tail
            self._alter(thing, sets=TAILS[thing][told.tail].sets)
        self.told.append(thing)
        if told.named:
            self.names[thing] = told.names[thing]
        if told.wish >= 0 and not unseen:
            if self.seeker != NO_THING:  # an earlier seeker becomes a helper of the next one
                self.parts[self.seeker] = lex.HELPER
            self.wish, self.wished, self.seeker = told.wish, self.count, told.seeker
            self._alter(self.hero, frozenset({lex.SEEKING}))
        if not unseen:
            self._turn(told)
            self._move(told)
            self._change(told)
        self._note_mentions(told)

    def _turn(self, told: SentencePlan) -> None:
        """Note the part of a sentence in the plot."""
        wording = told.wording
        if wording.seeks and told.goal >= 0:
            self.wished = self.count
        self.obstacles += wording.beat == lex.OBSTACLE
        self.means += wording.beat == lex.MEANS
        for part in wording.sets & lex.PARTS:
            self.parts.pop(told.thing, None)
            self.parts[told.thing] = part

    def _move(self, told: SentencePlan) -> None:
        """Note where those are whom a sentence moves."""
        places = [one for one in told.mentioned_things() if lex.NOUNS[one].kind in lex.ROLES["where"]]
        for one in told.mentioned():
            if lex.MOVES & told.wording.sets and places:
                self.haunts |= {(one, places[0])}
            if lex.THERE in told.wording.sets and places:
                self.places[one] = places[0]
            elif lex.LEFT in told.wording.sets:
                self.places.pop(one, None)

    def where(self, ones: Collection[int]) -> set[str]:
        """Return how living beings relate to the place of a sentence: at it or elsewhere, knowing it or not."""
        places = {one for one in ones if lex.NOUNS[one].kind in lex.ROLES["where"]}
        living = [one for one in ones if lex.NOUNS[one].kind in lex.LIVING]
        if not places or not living:
            return set()
        known = {self.places[one] for one in living if one in self.places}
        knows = any((one, place) in self.haunts for one in living for place in places)
        return (
            {lex.KNOWS if knows else lex.STRANGE}
            | ({lex.HERE} if known & places else set())
            | ({lex.AWAY} if known - places else set())
        )

    def _change(self, told: SentencePlan) -> None:
        """Apply what a sentence does to the states of those that it is about."""
        lead = told.lead
        if lead is not None and lead.state:
            starter = told.roles[told.wording.starter]
            self._alter(starter, clears=HARD & {lead.state})
            self.effects.pop(starter, None)
        one = told.roles[told.wording.whom]
        for spoken in told.mentioned_things():
            self._alter(spoken, clears=told.wording.clears)
        self._alter(one, told.wording.sets - lex.MOVES - lex.PARTS - {lex.FAR})
        self._alter(told.thing, told.wording.sets & {lex.FAR})
        if WANTING in told.wording.sets:
            self._alter(told.thing, frozenset({WANTED}))
            self.longs[one] = told.thing
        for state in sorted(told.wording.sets & set(EFFECTS)):
            self.effects[one] = state, self.count

    def _alter(self, one: int, sets: frozenset[str] = frozenset(), clears: frozenset[str] = frozenset()) -> None:
        """Change the states of a thing."""
        kept = {state: since for state, since in self.states.get(one, {}).items() if state not in clears}
        self.states[one] = kept | dict.fromkeys(sets, self.count)

    def _note_mentions(self, told: SentencePlan) -> None:
        """Note who was spoken of, and whom a pronoun would mean now."""
        people = told.mentioned()
        for one in told.mentioned_things():
            if one in self.heard:
                self._alter(one, frozenset({SEEN}))
            self.heard[one] = self.count
            self.acts[one] = self.acts.get(one, 0) + 1
        if len(people) == 1:
            self.pronouns = self.pronouns + 1 if told.modes.get(people[0]) == PRONOUN else 0
            self.latest = people[0]
        elif people or self.heard.get(self.latest, 0) < self.count - 1:
            self.latest, self.pronouns = NO_THING, 0

    def effect(self, starter: int, wording: Wording, chance: int) -> Lead | None:
        """Return words for what a character who begins a sentence still feels; None if there is nothing to mention.

        Outside events only hard states are mentioned, and glad states are not mentioned where trouble begins.
        """
        bound = sorted(self.states.get(starter, {}).keys() & HARD)
        state, since = self.effects.get(starter, ("", 0))
        if bound:
            state = bound[0]
        elif (self.leads and self.leads[-1] is not None) or wording.lead != "then" or wording.seeks:
            return None
        else:
            over = not self.has(starter, state) or self.count - since > EFFECT_LASTS
            if over or state in wording.sets or (state in GLAD and wording.sets & lex.TROUBLES):
                return None
        fresh = [one for one in EFFECTS[state] if one not in self.leads]
        fitting = fresh or (EFFECTS[state] if bound else ())
        return fitting[chance % len(fitting)] if fitting else None

    def mode(self, one: int, role: str, wording: Wording, chance: int) -> int:
        """Return how a sentence refers to a character who is not its subject: NOUN, NAME or PRONOUN."""
        if role in lex.CAST_ROLES and not self.has_name(one):
            return PRONOUN
        if not self.is_free(one):
            return NOUN
        if one == self.latest and self.pronouns < MOST_PRONOUNS and wording.starter == role:
            return PRONOUN
        if one not in self.names:
            return NOUN
        return NAME if role in lex.CAST_ROLES or chance % 3 else NOUN

    def name_for(self, thing: int, chance: int) -> int:
        """Return a name for a new character that no other one has; -1 if it gets none."""
        noun = lex.NOUNS[thing]
        if noun.kind not in lex.ROLES["who"] or len(self.names) >= MOST_NAMED:
            return -1
        gender = "f" if noun.gender["es"] == "f" else "m"
        left = [
            number for number, one in enumerate(NAMES) if one.gender == gender and number not in self.names.values()
        ]
        return left[chance % len(left)]

    def seeker_in(self, wording: Wording, roles: dict[str, int]) -> int:
        """Return the character that gets the wish of the tale in a sentence where it alone acts; NO_THING without one.

        That is the first character with a name, or before that any character that is told of again. The first character
        with a name takes the wish over if its absent seeker has no name.
        """
        living = {roles[role] for role in wording.all_roles if lex.NOUNS[roles[role]].kind in lex.LIVING}
        left = self.wish < 0 or (self.seeker not in self.names and self.is_absent(self.seeker))
        if not left or wording.sets & (HARD | {WANTING}) or len(living) != 1:
            return NO_THING
        one = living.pop()
        unnamed = not self.names and one in self.told and lex.NOUNS[one].kind in lex.ROLES["who"]
        known = one == next(iter(self.names), NO_THING) or (unnamed and self.wish < 0)
        return one if known else NO_THING
