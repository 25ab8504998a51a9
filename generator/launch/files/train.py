"""Trains by the settings of sft.yaml: `accelerate launch --config_file accelerate.yaml train.py --config sft.yaml`.

Options on the command line win over the file, for instance `--dataset_name my/dataset --max_steps 20`.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from unittest.mock import patch

from datasets import load_dataset
from measure import MeasureCallback, watch
from transformers import AutoConfig, AutoModelForCausalLM, PreTrainedModel
from trl import ModelConfig, ScriptArguments, SFTConfig, SFTTrainer, TrlParser, get_peft_config, get_quantization_config

RECORD = json.loads((Path(__file__).resolve().parent / "trainfit.json").read_text(encoding="utf-8"))


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
        return AutoModelForCausalLM.from_pretrained(name, **how)


def main() -> None:
    """One run, with its peak memory and speed written down at the end."""
    watch()
    script, training, model = TrlParser((ScriptArguments, SFTConfig, ModelConfig)).parse_args_and_config()
    how = {"dtype": model.dtype, "attn_implementation": model.attn_implementation, "revision": model.model_revision}
    quantization = get_quantization_config(model)
    if RECORD["method"] == "pretrain":  # the shape of the model, with weights of its own
        config = AutoConfig.from_pretrained(model.model_name_or_path, revision=how.pop("revision"))
        source = AutoModelForCausalLM.from_config(config, **how)
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
    processing = None
    if not isinstance(source, str):
        from transformers import AutoTokenizer

        processing = AutoTokenizer.from_pretrained(model.model_name_or_path)
    trainer = SFTTrainer(
        model=source,
        args=training,
        train_dataset=data,
        processing_class=processing,
        quantization_config=quantization,
        peft_config=get_peft_config(model),
        callbacks=[MeasureCallback()],
    )
    trainer.train(resume_from_checkpoint=training.resume_from_checkpoint)
    if training.save_strategy != "no":
        if trainer.is_fsdp_enabled:  # checkpoints are saved in shards; of the model at the end, that would save nothing
            trainer.accelerator.state.fsdp_plugin.set_state_dict_type("FULL_STATE_DICT")
        trainer.save_model(training.output_dir)


if __name__ == "__main__":
    main()
