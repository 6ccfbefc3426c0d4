"""A profile for LLMServingSim of predictions, in place of one that was measured on a device (docs/predictor.md).

    python3 llmservingsim_profile.py CONFIG MACHINE FOLDER [--tp 1,2] [--tokens 2048] [--sequences 256] [--context 32768]

CONFIG: a config.json of a model whose architecture LLMServingSim calls llama (profiler/models/llama.yaml: Llama, Mistral); FOLDER:
profiler/perf/HARDWARE/MODEL/VARIANT of LLMServingSim, where VARIANT is "bf16" for these weights. Times are microseconds as expected by roofline.
"""
import argparse
import csv
import json
import os

import roofline


def tokens_up_to(most):
    """As the profiler's own grid: every count, then every fourth, then every sixteenth."""
    return sorted({*range(1, min(16, most + 1)), *range(16, min(64, most + 1), 4), *range(64, most + 1, 16), most})


def doubling(first, most):
    """0: this part of a batch is not there."""
    grid = [0, first]
    while grid[-1] * 2 <= most:
        grid.append(grid[-1] * 2)
    return sorted({*grid, most})


class Profile:
    def __init__(self, config, machine, tp):
        with open(config) as file:
            c = json.load(file)
        self.hidden, self.vocabulary = c["hidden_size"], c["vocab_size"] // tp
        self.heads, self.kv_heads = c["num_attention_heads"] // tp, max(1, c.get("num_key_value_heads", c["num_attention_heads"]) // tp)
        self.head, self.mlp = c.get("head_dim") or self.hidden // c["num_attention_heads"], c["intermediate_size"] // tp
        self.all_words = c["vocab_size"]
        self.asked = {"machine": roofline.machine(machine), "dtype": "bf16"}

    def times(self, op, **parameters):
        return [1e6 * float(t) for t in roofline.predict(op, **parameters, **self.asked).seconds.expected]

    def dense(self, tokens):
        """Layers that work on every token of a batch."""
        norm = self.times("rmsnorm", rows=tokens, cols=self.hidden)
        q, kv = self.heads * self.head, self.kv_heads * self.head
        return {
            "embedding": self.times("embedding", tokens=tokens, hidden=self.hidden),
            "layernorm": norm,
            "qkv_proj": self.times("linear", batch=tokens, in_=self.hidden, out=q + 2 * kv),
            "rotary_emb": self.times("rope", tokens=tokens, queries=q, keys=kv),
            "o_proj": self.times("linear", batch=tokens, in_=q, out=self.hidden),
            "gate_up_proj": self.times("linear", batch=tokens, in_=self.hidden, out=2 * self.mlp),
            "act_fn": self.times("swiglu", n=[t * self.mlp for t in tokens]),
            "down_proj": self.times("linear", batch=tokens, in_=self.mlp, out=self.hidden),
            "final_layernorm": norm,
        }

    def per_sequence(self, sequences):
        """Layers that work on the last token of every sequence."""
        head = self.times("linear", batch=sequences, in_=self.hidden, out=self.vocabulary)
        return {"lm_head": head, "sampler": self.times("softmax", rows=sequences, cols=self.all_words)}

    def _attend(self, shapes):
        """Of (sequences, queries, tokens before them) each; none takes no time."""
        asked = sorted(shape for shape in set(shapes) if shape[0] > 0 and shape[1] > 0)
        batch, queries, past = zip(*asked)
        pairs = [q * p + q * (q + 1) // 2 for q, p in zip(queries, past)]
        one = {"heads": self.heads, "key_dim": self.head, "value_dim": self.head, "stored": 2 * self.kv_heads * self.head}
        times = self.times("attend", batch=list(batch), q_len=list(queries), kv_len=[q + p for q, p in zip(queries, past)], pairs=pairs, **one)
        known = dict(zip(asked, times))
        return [known.get(shape, 0) for shape in shapes]

    def attention(self, grid):
        """A piece of a prompt and sequences that generate, in one batch: the sum of both parts."""
        return [a + b for a, b in zip(self._attend([(1, chunk, past) for chunk, past, _, _ in grid]), self._attend([(n, 1, kv) for _, _, n, kv in grid]))]


def attention_grid(tokens, sequences, context):
    prompts = [(chunk, past) for chunk in doubling(16, tokens) for past in doubling(16, context) if chunk > 0 or past == 0]
    decodes = [(n, kv) for n in doubling(1, sequences) for kv in doubling(16, context) if (n > 0) == (kv > 0)]
    return [(*prompt, *decode) for prompt in prompts for decode in decodes if prompt[0] > 0 or decode[0] > 0]


def write(path, heads, rows):
    with open(path, "w", newline="") as file:
        csv.writer(file).writerows([heads, *([*row[:-1], f"{row[-1]:.6g}"] for row in rows)])


def layered(tables, keys):
    return [(layer, key, time) for layer in sorted(tables) for key, time in zip(keys, tables[layer])]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    for name in ("config", "machine", "folder"):
        parser.add_argument(name)
    parser.add_argument("--tp", default="1")
    for name, most in (("tokens", 2048), ("sequences", 256), ("context", 32768)):
        parser.add_argument(f"--{name}", type=int, default=most)
    a = parser.parse_args()
    tokens, sequences, grid = tokens_up_to(a.tokens), tokens_up_to(a.sequences), attention_grid(a.tokens, a.sequences, a.context)
    for tp in map(int, a.tp.split(",")):
        folder = os.path.join(a.folder, f"tp{tp}")
        os.makedirs(folder, exist_ok=True)
        profile = Profile(a.config, a.machine, tp)
        write(f"{folder}/dense.csv", ("layer", "tokens", "time_us"), layered(profile.dense(tokens), tokens))
        write(f"{folder}/per_sequence.csv", ("layer", "sequences", "time_us"), layered(profile.per_sequence(sequences), sequences))
        heads = ("prefill_chunk", "kv_prefill", "n_decode", "kv_decode", "time_us")
        write(f"{folder}/attention.csv", heads, [(*shape, time) for shape, time in zip(grid, profile.attention(grid))])
    with open(f"{a.folder}/meta.yaml", "w") as file:  # JSON is YAML
        limits = {"max_num_batched_tokens": a.tokens, "max_num_seqs": a.sequences}
        json.dump({"source": f"roofline {roofline.__version__}: predictions for {a.machine}", "engine_effective": limits}, file)


if __name__ == "__main__":
    main()
