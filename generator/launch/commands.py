"""What a reader types and writes: the commands that train, and the places of settings in the files of a framework."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from generator.catalog.stack_records import Framework
from generator.launch.job import Job

TRIAL_STEPS = 20
"""Steps of a first short run: enough to see the peak of memory and the speed."""
_TRL = "accelerate launch --config_file accelerate.yaml train.py --config sft.yaml"
COMMANDS: Mapping[Framework, str] = MappingProxyType(
    {
        "trl": _TRL,
        "deepspeed": _TRL,
        "axolotl": "axolotl train axolotl.yaml",
        "llama-factory": "accelerate launch --config_file accelerate.yaml run.py llama_factory.yaml",
        "torchtitan": "torchrun --nproc-per-node {gpus} -m torchtitan.train --module pretrain --config trainfit",
    }
)
"""What starts the training."""
TRIALS: Mapping[Framework, str] = MappingProxyType(
    {
        "trl": "--max_steps {steps} --save_strategy no",
        "deepspeed": "--max_steps {steps} --save_strategy no",
        "axolotl": "--max-steps {steps} --output-dir trial",
        "llama-factory": "max_steps={steps} output_dir=trial overwrite_output_dir=true save_strategy='\"no\"'",
        "torchtitan": "--training.steps {steps} --checkpoint.no-enable",
    }
)
"""What ends it after some steps and leaves nothing that the whole run would go on from: LLaMA-Factory and torchtitan
resume from what they find in their folder, LLaMA-Factory unless it is told to overwrite it (hparams/parser.py). It
reads options as YAML, whose bare `no` is false."""
LEAVE_A_MODEL = ("axolotl", "llama-factory")
"""Frameworks whose first short run leaves a model in `trial`: they save one at the end whatever one asks for."""
RESUMES: Mapping[Framework, str] = MappingProxyType(
    {
        "trl": " --resume_from_checkpoint last",
        "deepspeed": " --resume_from_checkpoint last",
        "axolotl": " --auto-resume-from-checkpoints",
        "llama-factory": "",
        "torchtitan": "",
    }
)
"""What makes the command go on from the newest checkpoint; nothing where it does so by itself. `last` is a word of
train.py. Sources: Axolotl 0.19.0, cli/config_options.py and utils/train.py; LLaMA-Factory 0.9.5, hparams/parser.py,
get_train_args; torchtitan 0.3.0, components/checkpointer/dcp.py, load."""
CHECKPOINTS: Mapping[Framework, tuple[str, int]] = MappingProxyType(
    {
        "trl": ("output", 500),
        "deepspeed": ("output", 500),
        "axolotl": ("output", 500),
        "llama-factory": ("output", 500),
        "torchtitan": ("outputs/checkpoint", 1000),
    }
)
"""Where checkpoints lie, and after how many steps each is written."""
PLACES: Mapping[Framework, tuple[str, str, Mapping[str, str]]] = MappingProxyType(
    {
        "trl": ("sft.yaml", ": ", {"seq_len": "max_length", "micro_batch": "per_device_train_batch_size"}),
        "deepspeed": ("sft.yaml", ": ", {"seq_len": "max_length", "micro_batch": "per_device_train_batch_size"}),
        "axolotl": ("axolotl.yaml", ": ", {"seq_len": "sequence_len", "micro_batch": "micro_batch_size"}),
        "llama-factory": (
            "llama_factory.yaml",
            ": ",
            {"seq_len": "cutoff_len", "micro_batch": "per_device_train_batch_size"},
        ),
        "torchtitan": ("pretrain.py", "=", {"seq_len": "seq_len", "micro_batch": "local_batch_size"}),
    }
)
"""File, what stands between a name and its value, and the names of settings of a plan."""


def start_command(job: Job) -> str:
    """The line that starts the training."""
    return COMMANDS[job.framework].format(gpus=job.plan.n_gpus)


def trial_command(job: Job) -> str:
    """The same for a few steps."""
    return f"{start_command(job)} {TRIALS[job.framework].format(steps=TRIAL_STEPS)}"


def resume_command(job: Job) -> str:
    """The line that goes on with a run that stopped."""
    return start_command(job) + RESUMES[job.framework]


def prepare_command(job: Job) -> str:
    """What has to be there before training; empty where the framework fetches everything by itself.

    torchtitan reads the tokenizer from a folder (torchtitan 0.3.0, components/tokenizer.py).
    """
    if job.framework != "torchtitan":
        return ""
    return f"hf download {job.hugging_face} tokenizer.json tokenizer_config.json --local-dir {assets_dir(job)}"


def assets_dir(job: Job) -> str:
    """Where the tokenizer lies for torchtitan."""
    return f"assets/hf/{job.hugging_face.rpartition('/')[2]}"


def setting(job: Job, name: str, value: int) -> dict[str, str]:
    """A setting of the plan as it stands in the files: `setting` is the line, `file` the name of the file."""
    file, equals, names = PLACES[job.framework]
    return {"setting": f"{names[name]}{equals}{value}", "file": file}
