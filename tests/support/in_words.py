"""An agent that tells the game's own sentences of *Érase una vez* as texts, so that the detector listens to them."""

from sobremesa.envs.core.sayings import telling_of
from sobremesa.envs.erase_una_vez.rules import play
from sobremesa.envs.erase_una_vez.state import A_CARD, A_PASS
from sobremesa.envs.erase_una_vez.text.telling import sentence


class InWords:
    """`agent`, whose sentences are told as texts in `language`; `missed` counts those that do not name their thing."""

    def __init__(self, agent, language):
        self.agent, self.language, self.name = agent, language, agent.name
        self.told = self.missed = 0
        self.saying = None

    def act(self, view):
        action, telling = self.agent.act(view), telling_of(view.game)
        self.saying = None
        if telling.takes(view.state) and A_CARD <= action < A_PASS:
            after = view.state.copy()
            play(after[0], action)
            text = sentence(after[0].log, int(after[0].sentences) - 1, self.language)
            saying = telling.listen(view.state, text, self.language)
            self.told += 1
            if action in telling.actions(view.state, saying):
                self.saying = saying
            else:
                self.missed += 1
        return action

    def said(self):
        return self.saying
