"""A table of *Corre el encierro* as an environment of OpenEnv. Change the game, its setup or the opponents here."""

import uvicorn

from sobremesa.agents.trainers import Deals
from sobremesa.agents.trainers.openenv import make_app

app = make_app(Deals("corre_el_encierro", "strong"))


def main() -> None:
    """Serve on port 8000 of this machine."""
    uvicorn.run(app, host="127.0.0.1", port=8000)


if __name__ == "__main__":
    main()
