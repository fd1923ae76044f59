"""A slow referee of *Érase una vez* in plain Python that follows a deal beside the kernels.

It is written from the clauses of RULES.md over dicts, lists and sets. Chance is not its affair: what is dealt and
shuffled is told to it, and where a lot is drawn it raises `Undecided` until it is told how the lot fell.
"""

import pickle

from erase_tale import GROUP, SPECIAL, THINGS, Tale


class Undecided(Exception):
    """A lot is to be drawn; the argument has all ways in which it may fall."""


class AnotherDeck(Exception):
    """Lots cannot have fallen so: other decks would have been shuffled."""


class Sentence:
    """A line of the log: what was told, what it hung on, and what became of it."""

    def __init__(self, seat, kind, thing, hook=None):
        self.seat, self.kind, self.thing, self.hook = seat, kind, thing, hook
        self.fate, self.taker, self.card = "stands", None, None

    def line(self):
        return self.seat, self.kind, self.thing, self.hook, self.fate, self.taker, self.card


class Referee(Tale):
    """A deal as the clauses have it: `legal()` names what may be done, `play(action)` follows it."""

    def __init__(self, setup, dealt):
        super().__init__()
        self.setup, self.seats = setup, setup["seats"]
        self.hands, self.deck = [set(hand) for hand in dealt["hands"]], list(dealt["deck"])
        self.endings, self.pile = [list(held) for held in dealt["endings"]], list(dealt["pile"])
        self.knowers = {ending: {seat} for seat, held in enumerate(self.endings) for ending in held if ending}
        self.open, self.buried, self.shown = set(), {}, set()
        self.log, self.fines, self.wrong = [], [0] * self.seats, 0
        self.over, self.winners, self.won_with = None, set(), None
        self.script, self.decks = [], []  # how lots fall, and decks that are shuffled, in this ply
        self.reactions, self.claims, self.votes, self.case, self.claimant = {}, {}, {}, None, None
        self._begin_turn(dealt["first"])
        self._play_forced()

    # What is asked, and what is allowed.

    def seat(self):
        return self.waiting[0] if self.stage in ("react", "vote") else self.narrator

    def legal(self):
        """Return what may be done: tuples like `("card", "P01")` and `("pass",)`."""
        if self.stage == "vote":
            return {("yes",), ("no",)}
        if self.stage == "react":
            return self.offers[self.waiting[0]] | {("nothing",)}
        if self.stage == "hook":
            return self._may_hang() | self._may_stop()
        if self.stage == "passing":
            return self._may_discard()
        return self._may_tell() if self.chosen is not None else self._may_tell() | self._may_stop()

    def _may_hang(self):
        """Return the things of the context, by where they come first."""
        return {("hook", self.context.index(thing)) for thing in self.context}

    def _may_tell(self):
        hand, may = self.hands[self.narrator], set()
        if not self.played or self.idle >= self.setup["between_cards"]:
            may |= {("card", card) for card in hand}
        if hand:
            may |= {("tell", thing) for thing in THINGS}
        elif self.links < 2:
            may |= {("tell", thing) for thing in self.told}
        return may

    def _may_stop(self):
        hand = self.hands[self.narrator]
        may = {("pass",)} if hand or not self.setup["must_end"] else set()
        return may if hand else may | {("end", slot) for slot in self._held(self.narrator)}

    def _may_discard(self):
        may = {("keep",)} | {("discard", card) for card in self.hands[self.narrator]}
        if self.setup["change_ending"]:
            may |= {("change", slot) for slot in self._held(self.narrator)}
        return may

    def _held(self, seat):
        return [slot for slot, ending in enumerate(self.endings[seat]) if ending]

    def sense_of(self, thing, is_card=False):
        """Return how much sense it makes to tell of something now, in tenths (C4)."""
        if not self.has_all(thing):
            return 2
        if self.listed >= 2 and self._goes_on_listing(thing) and self.closeness(thing) < 2:
            return 4
        stale, idle = self._counts_after(thing, is_card)
        if stale > 2 or (idle > 6 and self.hands[self.narrator]):
            return 3
        return 10 if self.closeness(thing) else 7

    def _goes_on_listing(self, thing):
        """Return whether a thing is new, and as merely there as the one before it in this turn (C4.2)."""
        return thing not in self.told and GROUP[thing] in "POL" and self.row == GROUP[thing]

    def _counts_after(self, thing, is_card):
        """Return the sentences in a row with nothing new, and without a card, one about `thing` included."""
        return 0 if is_card or thing not in self.told else self.stale + 1, 0 if is_card else self.idle + 1

    def accepts(self, ending):
        """Say whether the judge finds that an ending ends the tale; the log may hold it already."""
        ended = bool(self.log) and self.log[-1].kind == "end" and self.log[-1].fate == "stands"
        return self.fits(ending, self.setup["strictness"], len(self.log) - ended)

    # What is done.

    def play(self, action, script=(), decks=()):
        """Follow an action, and all that follows by itself; lots fall as `script` says, decks are as `decks` says."""
        self.script, self.decks = list(script), list(decks)
        self._play(*action)
        self._play_forced()
        if self.decks:
            raise AnotherDeck

    def outcomes(self, action, decks):
        """Give what an action may lead to: a referee for each way in which lots may fall."""
        before, scripts = pickle.dumps(self), [[]]
        while scripts:
            one, script = pickle.loads(before), scripts.pop()
            try:
                one.play(action, script, decks)
            except Undecided as lot:
                scripts += [[*script, way] for way in lot.args[0]]
            except AnotherDeck:
                continue
            else:
                yield one

    def _play_forced(self):
        while not self.over and len(may := self.legal()) == 1:
            self._play(*may.pop())

    def _play(self, what, which=None):
        if self.stage == "react":
            self.reactions[self.waiting.pop(0)] = (what, which)
            if not self.waiting:
                self._resolve()
        elif self.stage == "vote":
            self.votes[self.waiting.pop(0)] = what == "yes"
            if not self.waiting:
                self._count_votes()
        elif self.stage == "passing":
            self._pass(what, which)
        else:
            {"hook": self._hang, "pass": self._say_pass, "end": self._end}.get(what, self._tell)(what, which)

    def _lot(self, ways):
        if len(ways) == 1:
            return ways[0]
        if not self.script:
            raise Undecided(ways)
        return self.script.pop(0)

    def _draw(self, seat):
        if not self.deck and self.setup["reshuffle"] and (self.open or self.buried):
            self.deck = list(self.decks.pop(0)) if self.decks else []
            if sorted(self.deck) != sorted([*self.open, *self.buried]):
                raise AnotherDeck
            self.open, self.buried = set(), {}
        if self.deck:
            self.hands[seat].add(self.deck.pop())

    def _begin_turn(self, seat):
        self.narrator, self.stale, self.idle, self.links, self.played = seat, 0, 0, 0, False
        self.protested, self.last, self.broke_in, self.listed, self.row = set(), None, None, 0, None
        self._ask()

    def _next_turn(self):
        self._begin_turn((self.narrator + 1) % self.seats)

    def _ask(self):
        """Ask the narrator, unless the tale is too long."""
        self.chosen, self.case, self.claimant = None, None, None
        chooses = self.setup["hook"] == "manual" and len(self._may_hang()) > 1 and self._may_tell()
        self.stage = "hook" if chooses else "tell"
        if len(self.log) >= self.setup["max_sentences"]:
            fewest = min(map(len, self.hands))
            self.over, self.winners = "too long", {seat for seat, hand in enumerate(self.hands) if len(hand) == fewest}

    def _hang(self, _, which):
        self.chosen, self.stage = which, "tell"

    # Sentences, and the window after them.

    def _tell(self, what, thing):
        kind = "card" if what == "card" else "link" if thing in self.told else "bridge"
        hook = self.context[self.chosen] if self.chosen is not None else self.hook_of(thing)
        self.sense, self.hooked = self.sense_of(thing, kind == "card"), hook
        self.was = pickle.dumps((self.told, self.told_at, self.facts, self.context))
        self.listed = self.listed + 1 if self._goes_on_listing(thing) else 1
        self.row = GROUP[thing] if thing not in self.told and GROUP[thing] in "POL" else None
        self.listed *= self.row is not None
        if not self.hands[self.narrator]:
            self.links += 1
        self.stale, self.idle = self._counts_after(thing, kind == "card")
        self.log.append(Sentence(self.narrator, kind, thing, hook))
        self.last, self.chosen, self.broke_in = self.log[-1], None, None
        self.means = self.claims_of(thing, hook, self.sense in (2, 4))
        self.becomes_told(thing, kind == "card", len(self.log))
        if kind == "card":
            self.played = True
            self._lay(self.narrator, thing)
        self._open_window()

    def _lay(self, seat, card):
        self.hands[seat].remove(card)
        self.shown.discard(card)
        self.table.add(card)

    def _give_back(self, seat, card):
        self.hands[seat].add(card)
        self.shown.add(card)

    def _open_window(self):
        if self.setup["auto_protest"] and self.sense < 5:
            self._undo()
            return
        thing = self.last.thing
        self.offers = {}
        for seat, hand in enumerate(self.hands):
            may = {("claim", card) for card in hand if self.means[card]}
            if self.last.kind == "card":
                may |= self._may_interrupt(hand, thing)
            if self.sense < 5 and not self.setup["auto_protest"] and seat not in self.protested:
                may.add(("protest", None))
            if may and seat != self.narrator:
                self.offers[seat] = may
        self._open(self._ask)

    def _may_interrupt(self, hand, card):
        return {("interrupt", own) for own in hand if own in SPECIAL and GROUP[own] == GROUP[card]}

    def _open(self, nobody):
        """Ask all who have something to say, clockwise; where there is nobody, go on."""
        self.reactions = {}
        self.waiting = [seat for seat in self._clockwise() if seat in self.offers]
        self.stage = "react"
        if not self.waiting:
            nobody()

    def _clockwise(self):
        """Return the seats after the narrator."""
        return [(self.narrator + step) % self.seats for step in range(1, self.seats)]

    def _resolve(self):
        """Lay all reactions open: protests first (C6.1)."""
        self.protesters = [seat for seat in range(self.seats) if self.reactions.get(seat, ("",))[0] == "protest"]
        self.claims = {seat: said for seat, said in self.reactions.items() if said[0] in ("claim", "interrupt")}
        self.protested |= set(self.protesters)
        self.shown |= {card for _, card in self.claims.values()}
        if self.protesters:
            self._put_to_vote("protest", {self.narrator, *self.protesters})
        else:
            self._next_claim()

    def _put_to_vote(self, case, involved):
        """Ask those who are not involved, or the judge where there are none (C8)."""
        voters = [seat for seat in range(self.seats) if seat not in involved | set(self.claims)]
        if self.setup["judge"] == "rules" or self.seats == 2 or not voters:
            self._verdict(case, self._judge(case))
        else:
            self.stage, self.case, self.votes, self.waiting = "vote", case, {}, voters

    def _judge(self, case):
        if case == "protest":
            return self.sense < 5
        if case == "ending":
            return self.accepts(self.last.thing)
        return self._lot([True, False])

    def _opinion(self, case):
        """Return how the judge would have voted (C8.3)."""
        return self.means[self.reactions[self.claimant][1]] >= 50 if case == "claim" else self._judge(case)

    def _count_votes(self):
        yes = sum(self.votes.values())
        no = len(self.votes) - yes
        if self.setup["judge"] == "mixed":
            opinion = self._opinion(self.case)
            for seat, vote in self.votes.items():
                self.fines[seat] = min(10, self.fines[seat] + (vote != opinion))
        case, self.case = self.case, None
        self._verdict(case, None if yes == no else yes > no)

    def _verdict(self, case, yes):
        if case == "ending":
            self._ended(yes is not False)
        elif case == "claim":
            self._judged(yes)
        elif yes:
            self._undo()
        else:
            if self.setup["protest_penalty"]:
                for seat in self.protesters:
                    self._draw(seat)
            self._next_claim()

    def _undo(self):
        self.last.fate = "undone"
        self.claims = {}
        self.told, self.told_at, self.facts, self.context = pickle.loads(self.was)
        if self.last.kind == "card" and self.setup["protest_card"] == "back":
            self.table.remove(self.last.thing)
            self._give_back(self.narrator, self.last.thing)
        self._draw(self.narrator)
        self._next_turn()

    # Claims and interruptions.

    def _next_claim(self):
        """Deal with one claim after another, in random order (C6.2)."""
        if not self.claims:
            self._ask()
            return
        self.claimant = self._lot(sorted(self.claims))
        what, card = self.claims.pop(self.claimant)
        if what == "interrupt" or self.means[card] >= 75:
            self._take_over(self.claimant, card, "claimed" if what == "claim" else "interrupted")
        elif self.means[card] < 35:
            self._judged(False)
        else:
            self._put_to_vote("claim", {self.narrator, self.claimant})

    def _judged(self, yes):
        seat, card = self.claimant, self.reactions[self.claimant][1]
        if yes:
            self._take_over(seat, card, "claimed")
            return
        if yes is False:
            self.hands[seat].remove(card)
            self.shown.discard(card)
            self.open.add(card)
            self.wrong += 1
            self._draw(seat)
            self._draw(seat)
        self._next_claim()

    def _take_over(self, seat, card, fate):
        old = self.narrator
        if self.broke_in:  # a row of its own for who is broken in on (O6)
            self.log.append(Sentence(old, "break in", self.broke_in))
        told = fate == "claimed" or self.setup["special_tells"]
        row = self.log[-1]
        row.fate = "told too" if told and fate == "interrupted" else fate
        row.taker, row.card = seat, card
        self._lay(seat, card)
        self.claims = {}
        if told:
            self.becomes_told(card, by_card=True, number=len(self.log))
        self._draw(old)
        self._begin_turn(seat)
        if self.setup["chain"]:
            self.broke_in = card
            self.offers = {
                other: may
                for other in range(self.seats)
                if other != seat and (may := self._may_interrupt(self.hands[other], card))
            }
            self.over, self.winners = None, set()  # the card may be answered, though the tale is told
            self._open(self._ask)

    # Passing and ending.

    def _say_pass(self, *_):
        self.log.append(Sentence(self.narrator, "pass", None))
        self.stage, self.last = "passing", None
        if self.setup["pass_draw"] == "before":
            self._draw(self.narrator)

    def _pass(self, what, which):
        seat, draws = self.narrator, self.setup["pass_draw"] == "after"
        if what == "discard":
            self.hands[seat].remove(which)
            self.buried[which] = seat
            self.shown -= self.hands[seat] | {which}
        elif what == "change":
            if None not in self.endings[seat]:  # nobody else knows which of two it was (H4)
                self.knowers |= {held: {seat} for held in self.endings[seat]}
            self.pile.append(self.endings[seat][which])
            self._draw_ending(seat, which)
            draws += 1
        for _ in range(draws):
            self._draw(seat)
        self._next_turn()

    def _draw_ending(self, seat, slot):
        self.endings[seat][slot] = self.pile.pop(0)
        self.knowers.setdefault(self.endings[seat][slot], set()).add(seat)

    def _end(self, _, slot):
        self.last = Sentence(self.narrator, "end", self.endings[self.narrator][slot])
        self.log.append(self.last)
        self.knowers[self.last.thing].add("all")
        self.slot = slot
        self._put_to_vote("ending", {self.narrator})

    def _ended(self, accepted):
        self.last.fate = "accepted" if accepted else "refused"
        if accepted:
            self.over, self.winners, self.won_with = "cheered", {self.narrator}, self.last.thing
            return
        seat, slot = self.narrator, self.slot
        if self.setup["rejected"] == "kept" and None in self.endings[seat]:
            slot = self.endings[seat].index(None)
        else:
            self.pile.append(self.last.thing)
        self._draw_ending(seat, slot)
        self._draw(seat)
        self._next_turn()

    def payoffs(self):
        """Return what the deal pays: a win is shared, the rest pay it; a fine is paid to the others (C11.2)."""
        losers = 1 / (self.seats - 1)
        won = [(1 + losers) * (seat in self.winners) / len(self.winners) - losers for seat in range(self.seats)]
        if self.setup["judge"] != "mixed" or self.seats == 2:
            return won
        whole = 1 - 10 * self.setup["fine"] / 100  # so that no fines leave [-1, 1]
        fines = [self.setup["fine"] / 100 * count for count in self.fines]
        return [whole * one - fine + (sum(fines) - fine) * losers for one, fine in zip(won, fines, strict=True)]
