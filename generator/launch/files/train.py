"""Trains by the settings of sft.yaml: `accelerate launch --config_file accelerate.yaml train.py --config sft.yaml`.

Options on the command line win over the file, for instance `--dataset_name my/dataset --max_steps 20`. A run that
stopped goes on with `--resume_from_checkpoint last`, or with the folder of a checkpoint.
"""

from __future__ import annotations

import json
import os
import sys
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Any
from unittest.mock import patch

RECORD = json.loads((Path(__file__).resolve().parent / "trainfit.json").read_text(encoding="utf-8"))
if RECORD["settings"]["n_gpus"] == 1:
    # Said before PyTorch sees the cards: Trainer splits the batch of one process over all of them by DataParallel.
    os.environ.setdefault("CUDA_VISIBLE_DEVICES", "0")

# ruff: noqa: E402
from datasets import load_dataset
from measure import MeasureCallback, watch
from transformers import (
    MODEL_FOR_CAUSAL_LM_MAPPING,
    AutoConfig,
    AutoModelForCausalLM,
    AutoModelForImageTextToText,
    AutoTokenizer,
    PreTrainedConfig,
    PreTrainedModel,
    PreTrainedTokenizerBase,
    set_seed,
)
from transformers.initialization import no_init_weights
from transformers.integrations import is_deepspeed_zero3_enabled
from trl import (
    ModelConfig,
    ScriptArguments,
    SFTConfig,
    SFTTrainer,
    TrlParser,
    get_peft_config,
    get_quantization_config,
    is_conversational,
)

LAST = "last"
"""Stands for the newest checkpoint in the output folder."""
CHATML = (
    "{% for message in messages %}<|im_start|>{{ message['role'] }}\n{{ message['content'] }}<|im_end|>\n{% endfor %}"
    "{% if add_generation_prompt %}<|im_start|>assistant\n{% else %}{{ eos_token }}{% endif %}"
)
"""How a dialogue is written for a model that has no template for one, as most base models have none."""


def tokenizer_for(name: str, revision: str | None, data: Any, *, templated: bool) -> PreTrainedTokenizerBase:
    """A tokenizer, with a template where the data are dialogues and the model has none; TRL would stop there.

    A model that also sees or hears has a processor of its own, which needs libraries for images: text does not.
    """
    tokenizer = AutoTokenizer.from_pretrained(name, revision=revision)
    if tokenizer.eos_token is None:  # a tokenizer that Mistral keeps in tekken.json alone does not say which it is
        end = AutoConfig.from_pretrained(name, revision=revision).get_text_config().eos_token_id
        tokenizer.eos_token = tokenizer.convert_ids_to_tokens(end[0] if isinstance(end, list) else end)
    if not templated and is_conversational(next(iter(data))) and tokenizer.chat_template is None:
        tokenizer.chat_template = CHATML
        print(RECORD["messages"]["launch.train.chatml"], file=sys.stderr)
    return tokenizer


def class_of(config: PreTrainedConfig) -> Any:
    """The class that builds such a model, with its towers where it has any."""
    return AutoModelForCausalLM if config.get_text_config() is config else AutoModelForImageTextToText


def made_of_nothing(training: SFTConfig) -> AbstractContextManager[None]:
    """In all processes but the first, weights take no memory of the host: nobody writes them there.

    FSDP and DDP send those of the first process to the others before training. DeepSpeed splits them as they are made.
    """
    others = training.process_index > 0 and not is_deepspeed_zero3_enabled()
    return no_init_weights() if others else nullcontext()


def freeze_towers(model: PreTrainedModel) -> None:
    """Trains the text part alone: text gives towers for images and sound no gradients, and DDP would wait for them."""
    if model.config.get_text_config() is model.config:
        return
    text = {id(weight) for part in (model.get_decoder(), model.get_output_embeddings()) for weight in part.parameters()}
    for weight in model.parameters():
        if id(weight) not in text:
            weight.requires_grad_(requires_grad=False)


def loaded_on_host(name: str, card: Any, how: dict[str, Any]) -> PreTrainedModel:
    """The model in host memory, its base quantised there: matrix by matrix on the card, which is faster than the CPU.

    FSDP2 takes it from there layer by layer. Left to itself, transformers puts the whole base on the card of every
    process, which has to hold all of it beside its share until the base is split.
    """
    from bitsandbytes import functional

    quantise = functional.quantize_4bit

    def there_and_back(weight: Any, **settings: Any) -> tuple[Any, Any]:
        packed, state = quantise(weight.to(card), **settings)
        state.to(weight.device)
        return packed.to(weight.device), state

    with patch.object(functional, "quantize_4bit", there_and_back):
        config = AutoConfig.from_pretrained(name, revision=how["revision"])
        return class_of(config).from_pretrained(name, **how)


def main() -> None:
    """One run, with its peak memory and speed written down at the end."""
    watch()
    script, training, model = TrlParser((ScriptArguments, SFTConfig, ModelConfig)).parse_args_and_config()
    how = {"dtype": model.dtype, "attn_implementation": model.attn_implementation, "revision": model.model_revision}
    quantization = get_quantization_config(model)
    if RECORD["method"] == "pretrain":  # the shape of the model, with weights of its own
        config = AutoConfig.from_pretrained(model.model_name_or_path, revision=how.pop("revision"))
        if type(text := config.get_text_config()) in MODEL_FOR_CAUSAL_LM_MAPPING:  # towers are joined later
            config = text
        set_seed(training.seed)
        with made_of_nothing(training):
            source = class_of(config).from_config(config, **how)
        source.tie_weights()  # which belongs to what is left out there
    elif (training.model_init_kwargs or {}).get("device_map") == "cpu":  # which SFTTrainer does not take
        how |= {"quantization_config": quantization, **training.model_init_kwargs}
        training.model_init_kwargs = None
        source = loaded_on_host(model.model_name_or_path, training.device, how)
        quantization = None
    else:
        training.model_init_kwargs = {**how, **(training.model_init_kwargs or {})}
        source = model.model_name_or_path
    if Path(script.dataset_name).is_file():
        data = load_dataset("json", data_files=script.dataset_name, split="train")
    else:
        data = load_dataset(
            script.dataset_name,
            name=script.dataset_config,
            split=script.dataset_train_split,
            streaming=script.dataset_streaming,
        )
    templated = training.chat_template_path is not None
    trainer = SFTTrainer(
        model=source,
        args=training,
        train_dataset=data,
        processing_class=tokenizer_for(model.model_name_or_path, model.model_revision, data, templated=templated),
        quantization_config=quantization,
        peft_config=get_peft_config(model),
        callbacks=[MeasureCallback()],
    )
    if not model.use_peft:  # with it nothing but the adapters is trained
        freeze_towers(trainer.model)
    given = training.resume_from_checkpoint
    trainer.train(resume_from_checkpoint=True if given == LAST else given)
    if training.save_strategy != "no":
        if trainer.is_fsdp_enabled:  # checkpoints are saved in shards; of the model at the end, that would save nothing
            trainer.accelerator.state.fsdp_plugin.set_state_dict_type("FULL_STATE_DICT")
        trainer.save_model(training.output_dir)
    trainer.accelerator.wait_for_everyone()
    trainer.accelerator.end_training()  # a process that leaves its group open may be aborted as it ends


if __name__ == "__main__":
    main()
