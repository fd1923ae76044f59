#!/usr/bin/env bash
# Train the held-out pool of the benchmark again: `tests/pool/make.sh [FOLDER]`, from a clone. About 20 CPU minutes.
# The seeds appear only here. Whether another machine gives the same bytes was not tried.
set -euo pipefail
cd "$(dirname "$0")/../.."
out=${1:-runs/pool}
sobremesa=${SOBREMESA:-.venv/bin/sobremesa}

bot() { # GAME NAME, then arguments of `sobremesa train`
    local game=$1 name=$2 run="$out/runs/$1-$2"
    shift 2
    test -d "$out/$game/$name" && return
    "$sobremesa" train "$game" --out "$run" --threads 1 --evaluate-deals 40 --evaluate-every 1_000_000 "$@"
    mkdir -p "$out/$game"
    "$sobremesa" export "$run" -o "$out/$game/$name"
}

dqn=tests/pool/dqn.toml
bot ese_toro_enamorado quince --config ese_toro_enamorado_advised --setup seats=2,3,4 --steps 1_000_000 --seed 7_000_001
bot ese_toro_enamorado olivo --config $dqn --setup seats=2,3,4 --steps 1_000_000 --seed 7_000_002
bot corre_el_encierro quince --config corre_el_encierro_advised --setup seats=2,3,4,5 --steps 1_500_000 --seed 7_000_003
bot corre_el_encierro olivo --config $dqn --setup seats=2,3,4,5 --steps 1_000_000 --seed 7_000_004
bot erase_una_vez quince --config erase_una_vez_advised --steps 800_000 --seed 7_000_005
bot erase_una_vez olivo --config erase_una_vez_advised --advised-by simple --hidden 64 --steps 500_000 --seed 7_000_006
bot estafado quince --config estafado --advised-by strong --teacher "" --value-first 50_000 --steps 600_000 --seed 7_000_007
bot estafado olivo --config $dqn --steps 1_000_000 --seed 7_000_008
bot bandido_alcatraz quince --config bandido_alcatraz --steps 2_000_000 --seed 7_000_009
bot bandido_alcatraz olivo --config bandido_alcatraz --hidden 32 --gae-lambda 0.95 --steps 2_000_000 --seed 7_000_010
