"""Fair votes of *Érase una vez*: as the judge would vote (C8.1), without regard to the own win."""

from sobremesa.envs.core.fair_votes import FairVotes
from sobremesa.envs.erase_una_vez.observe import LAYOUT
from sobremesa.envs.erase_una_vez.react import OPINION
from sobremesa.envs.erase_una_vez.state import A_NO, A_YES, MAX_SEATS

_CLAIM = 4000.0  # logit of a claim of weight 1

# The logit of a yes for each number of the block `case`. Each protest that can be made is right (C5.4).
_YES = (
    100.0,  # a protest
    -_CLAIM * (OPINION - 0.5) / 100,  # a claim, accepted from the judge's opinion on (H6)
    -100.0,  # an ending ...
    *(0.0,) * (MAX_SEATS + 1),
    _CLAIM,  # weight of the claim
    200.0,  # ... that the judge would accept (C9.3)
)
assert len(_YES) == next(block.size for block in LAYOUT if block.name == "case")

FAIR_VOTES = FairVotes("case", (A_YES, A_NO), tuple((yes, 0.0) for yes in _YES))
