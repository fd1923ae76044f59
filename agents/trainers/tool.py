"""An episode that a model plays by calls of a tool, each of which names its decision."""

from sobremesa.agents.decisions import Decisions
from sobremesa.agents.language.prompt import texts
from sobremesa.agents.trainers.episode import Episode


class ToolCalls:
    """The calls of a tool in `episode`: each message ends with the number of the decision that it asks for.

    Args:
        episode: an episode whose style names the tool.
        key: that of `Decisions`; the numbers follow from it and from the answers.
    """

    def __init__(self, episode: Episode, key: bytes) -> None:
        self.episode = episode
        self.decisions: Decisions[str] = Decisions(key)

    @property
    def shown(self) -> str:
        """The present decision with its number, or the last message of an episode that is over."""
        episode = self.episode
        return self._numbered(episode.prompt if episode.over else episode.decisions[-1].prompt, self.decisions.number)

    def call(self, decision: object, answer: str) -> str:
        """Read `answer` to the decision with the number `decision`; return the next message.

        A repeated call gets the message of the first one and plays nothing. Raises NotPresent, with the present
        decision in its text, for a call that names another decision or none, and for one after the end.
        """

        def play(following: int) -> str:
            self.episode.answer(answer)
            return self._numbered(self.episode.prompt, following)

        return self.decisions.once(decision, answer, play, self._show)

    def _show(self) -> str:
        return f"{'It is over' if self.episode.over else 'The present one is this'}:\n\n{self.shown}"

    def _numbered(self, message: str, number: int) -> str:
        if self.episode.over:
            return message
        return f"{message}\n{texts('turn', self.episode.style)['decision'].format(number=number)}"
