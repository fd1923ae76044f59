"""The tutorials of RLCard, Tianshou, OpenSpiel and PettingZoo beside our algorithms: all must be there, and learn.

    .clients/tutorials/bin/python -m sobremesa.bench.tutorials leduc_poker ese_toro_enamorado

is the same with rounds that are long enough for figures.
"""

import sys

from sobremesa.bench import tutorials

if __name__ == "__main__":
    sys.exit(tutorials.main(["leduc_poker", "ese_toro_enamorado", *sys.argv[1:]]))
