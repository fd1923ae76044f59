"""Train a tiny language model at Kuhn poker with TRL's GRPOTrainer, on the processor, without any download.

    pip install '.[trl]'    # in a clone of the library
    python examples/train_tiny_model.py

The model has random weights and knows the words of the prompts only. It may answer with the words `pass` and `bet`, in
any number; an answer of exactly one word is an action. So it learns first to give one word, and forfeits become rare.
It cannot write numbers, so the table names the decision for it.
"""

import argparse
import re
from functools import partial
from typing import Any

import torch
from datasets import Dataset
from tokenizers import Regex, Tokenizer, decoders, models, pre_tokenizers
from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast, PrinterCallback, TrainerCallback
from trl import GRPOConfig, GRPOTrainer

from sobremesa.agents.trainers import Deals
from sobremesa.agents.trainers.trl import Table, rows

SIZE = 64
PIECES = r"<\|\w+\|>|\w+|[^\w\s]|\s"
UNKNOWN, PAD, END = "<|unknown|>", "<|pad|>", "<|end|>"
MARKS = [UNKNOWN, PAD, END, "<|user|>", "<|assistant|>", "<|tool|>", "<|call|>"]
CHAT = """\
{%- for message in messages -%}
<|{{ message.role }}|>
{%- if message.tool_calls -%}
{%- for call in message.tool_calls -%}
<|call|>{{ call.function.name }} {{ call.function.arguments | tojson }}
{%- endfor -%}
{%- else -%}
{{ message.content }}
{%- endif -%}
<|end|>
{%- endfor -%}
{%- if add_generation_prompt -%}
<|assistant|><|call|>
{%- endif -%}"""
CALL = {"type": "function", "function": {"name": "play", "arguments": {"answer": "{content}"}}}
RESPONSE = {
    "defaults": {"role": "assistant"},
    "start_anchor": "<|assistant|>",
    "fields": {"tool_calls": {"open": "<|call|>", "close": END, "repeats": True, "content": "text", "transform": CALL}},
}


def make_tokenizer(texts: list[str]) -> PreTrainedTokenizerFast:
    """Return a tokenizer whose vocabulary is the pieces of `texts`: words, signs and spaces."""
    pieces = dict.fromkeys([*MARKS, *(piece for text in texts for piece in re.findall(PIECES, text))])
    inner = Tokenizer(models.WordLevel({piece: number for number, piece in enumerate(pieces)}, unk_token=UNKNOWN))
    inner.pre_tokenizer = pre_tokenizers.Split(Regex(PIECES), "removed", invert=True)
    inner.decoder = decoders.Fuse()
    tokenizer = PreTrainedTokenizerFast(
        tokenizer_object=inner, unk_token=UNKNOWN, pad_token=PAD, eos_token=END, padding_side="left"
    )
    tokenizer.add_special_tokens({"additional_special_tokens": MARKS[3:]})
    tokenizer.chat_template, tokenizer.response_template = CHAT, RESPONSE
    return tokenizer


class Head(torch.nn.Linear):
    """The last layer, which gives a chance to the tokens `allowed` only."""

    def __init__(self, size: int, tokens: int, allowed: list[int]) -> None:
        super().__init__(size, tokens, bias=False)
        self.register_buffer("barred", torch.ones(tokens, dtype=torch.bool).index_fill(0, torch.tensor(allowed), False))

    def forward(self, hidden: torch.Tensor) -> torch.Tensor:
        """Return the logits of the tokens."""
        return super().forward(hidden).masked_fill(self.barred, -1e4)


def make_model(tokenizer: PreTrainedTokenizerFast) -> LlamaForCausalLM:
    """Return a model of two layers with random weights, which answers with `pass`, `bet` and the end of an answer."""
    torch.manual_seed(0)
    config = LlamaConfig(
        vocab_size=len(tokenizer), hidden_size=SIZE, intermediate_size=2 * SIZE, num_hidden_layers=2,
        num_attention_heads=4, max_position_embeddings=2048, pad_token_id=tokenizer.pad_token_id,
        eos_token_id=tokenizer.eos_token_id, bos_token_id=None, tie_word_embeddings=False,
    )  # fmt: skip
    model = LlamaForCausalLM(config)
    model.lm_head = Head(SIZE, len(tokenizer), tokenizer.convert_tokens_to_ids(["pass", "bet", END]))
    return model


def texts_of(deals: Deals, seeds: range) -> list[str]:
    """Return the texts of some episodes with good and bad answers, which have the words of all others."""
    found = [Table(deals).reset(seeds[0])]
    for seed in seeds:
        for answer in ("pass", "bet", "pass bet", ""):
            episode = deals.episode(seed)
            while not episode.over:
                episode.answer(answer)
            found += [message["content"] for message in episode.messages]
    return found


class OneCall(Table):
    """A table for a model whose answer is one call at most: the table adds the number of the decision."""

    def play(self, answer: str) -> str:  # type: ignore[override]
        """
        Play an action at the table.

        Args:
            answer: The name of one legal action.

        Returns:
            The next decision, the reason why the answer was refused, or the end of the game.
        """
        return super().play(decision=self.decision, answer=answer)


class Progress(TrainerCallback):
    """Prints the reward and the norm of the gradient of each update."""

    def on_log(self, args: Any, state: Any, control: Any, logs: dict[str, float] | None = None, **_: Any) -> None:
        if logs and "reward" in logs:
            norm = logs["grad_norm"]
            print(f"update {state.global_step}: reward {logs['reward']:+.2f}, gradient norm {norm:.3f}", flush=True)


def train(steps: int, group: int = 8, groups: int = 4, folder: str = "runs/tiny") -> tuple[GRPOTrainer, list[Any]]:
    """Train for `steps` updates on `groups` deals with `group` episodes each; return the trainer and its log."""
    deals = Deals("kuhn_poker", "random", attempts=2)
    tokenizer = make_tokenizer(texts_of(deals, range(20)))
    settings = GRPOConfig(
        output_dir=folder, use_cpu=True, bf16=False, seed=0, max_steps=steps, learning_rate=2e-3, max_grad_norm=0.3,
        lr_scheduler_type="constant", logging_steps=1, disable_tqdm=True,
        per_device_train_batch_size=group * groups, num_generations=group, max_completion_length=512, beta=0.0,
        max_tool_calling_iterations=3, save_strategy="no", report_to=[],
        generation_kwargs={"max_new_tokens": 4},
    )  # fmt: skip
    trainer = GRPOTrainer(
        model=make_model(tokenizer), processing_class=tokenizer, args=settings,
        train_dataset=Dataset.from_list(rows(range(steps * groups))), environment_factory=partial(OneCall, deals),
    )  # fmt: skip
    trainer.remove_callback(PrinterCallback)
    trainer.add_callback(Progress)
    trainer.train()
    return trainer, [entry for entry in trainer.state.log_history if "reward" in entry]


def main() -> None:
    """Train the model."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--steps", type=int, default=40, help="updates (default: %(default)s)")
    train(parser.parse_args().steps)


if __name__ == "__main__":
    main()
