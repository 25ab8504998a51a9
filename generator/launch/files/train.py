"""Trains by the settings of sft.yaml: `accelerate launch --config_file accelerate.yaml train.py --config sft.yaml`.

Options on the command line win over the file, for instance `--dataset_name my/dataset --max_steps 20`.
"""

from __future__ import annotations

import json
from pathlib import Path

from datasets import load_dataset
from measure import MeasureCallback, watch
from transformers import AutoConfig, AutoModelForCausalLM
from trl import ModelConfig, ScriptArguments, SFTConfig, SFTTrainer, TrlParser, get_peft_config, get_quantization_config

RECORD = json.loads((Path(__file__).resolve().parent / "trainfit.json").read_text(encoding="utf-8"))


def main() -> None:
    """One run, with its peak memory and speed written down at the end."""
    watch()
    script, training, model = TrlParser((ScriptArguments, SFTConfig, ModelConfig)).parse_args_and_config()
    how = {"dtype": model.dtype, "attn_implementation": model.attn_implementation, "revision": model.model_revision}
    if RECORD["method"] == "pretrain":  # the shape of the model, with weights of its own
        config = AutoConfig.from_pretrained(model.model_name_or_path, revision=how.pop("revision"))
        source = AutoModelForCausalLM.from_config(config, **how)
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
        quantization_config=get_quantization_config(model),
        peft_config=get_peft_config(model),
        callbacks=[MeasureCallback()],
    )
    trainer.train(resume_from_checkpoint=training.resume_from_checkpoint)
    if training.save_strategy != "no":
        trainer.save_model(training.output_dir)


if __name__ == "__main__":
    main()
