"""From a verdict to one job: the plan that a framework's files will run, estimated as it stands."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, fields, replace
from types import MappingProxyType
from typing import Any

from generator.architecture import LORA_TARGETS, adapter_targets
from generator.catalog.catalogue import Catalog
from generator.catalog.records import Recipe
from generator.catalog.stack_records import Environment, Framework
from generator.errors import LaunchError, UnknownIdError
from generator.estimate import Band, Estimate, Plan, estimate
from generator.launch.frameworks import FRAMEWORKS, WRAPPED_LAYERS, CannotExpress, splits_base
from generator.units import gib_from_bytes
from generator.verdict import Setup, Verdict, judge, setup_of, subject_of
from generator.verdict.ladder import memory_verdict, training_time
from generator.verdict.results import FEASIBLE, Rung

SHOWN_RUNGS = 3
"""Recipes that a refusal tells of."""
PLAIN_REASONS = {"needs-bf16": "the card has no bf16", "needs-platform": "its libraries do not run on this card"}
"""Reasons that memory and time have nothing to do with."""
CUDA = "cuda"
"""The platform that all sets of versions in data/stack/environments are for."""
PROCESS_GIB = 2.0
"""Host memory of a process beside weights: PyTorch, CUDA, a piece of the data. An assumption."""
CHECKPOINT_BYTES = {"bf16-pure": 6, "fp32": 12, "bf16-mixed": 12}
"""Bytes per parameter of one saved checkpoint of full training, by precision: weights and two states of AdamW."""
LOGIN = "hf auth login"
"""The command of huggingface_hub, which every set of versions brings along."""
KEPT_CHECKPOINTS = 2
"""Checkpoints that every framework keeps. The oldest is removed when a new one has been written, so that there is one
more for a while (transformers 5.24.0, trainer.py, rotate_checkpoints; torchtitan 0.3.0, checkpointer/dcp.py)."""


@dataclass(frozen=True, slots=True)
class Job:
    """One run: everything that its files say, and nothing that they do not."""

    framework: Framework
    environment: Environment
    model: str
    """Catalogue id."""
    hugging_face: str
    """Repository that the weights come from."""
    native: str | None
    """The model's name in the framework, where it has definitions of its own."""
    rig: str
    method: str
    goal: str
    recipe: str
    compromise: bool
    plan: Plan
    """The recipe's plan as the framework runs it."""
    changed: tuple[str, ...]
    """Fields in which that differs from the recipe."""
    estimate: Estimate
    time: Band | None
    """Hours for the reference fine-tuning, days for pretraining; none where time is not modelled."""
    max_seq_len: int | None
    """Longest context that fits; none where the plan is not the recipe's own."""
    steps: int
    """Optimizer steps to the policy's compute-optimal number of tokens, rounded up."""
    asked: Mapping[str, Any]
    """Settings that the reader chose instead of the reference workload."""

    @property
    def lora_targets(self) -> tuple[str, ...]:
        """The wrapped matrices by their names in this model: a preset of the plan means others where it fuses some."""
        preset = next((name for name, targets in LORA_TARGETS.items() if targets == self.plan.lora_targets), None)
        return adapter_targets(self.plan.shape, preset) if preset else self.plan.lora_targets

    @property
    def lora_modules(self) -> tuple[str, ...]:
        """What says that in the files: those names, or one pattern where a model has towers with such names too.

        They are not trained on text: adapters there would get no gradients, and nobody counted them.
        """
        if not self.has_towers:
            return self.lora_targets
        return (f".*[.]language_model[.].*[.]({'|'.join(self.lora_targets)})",)

    @property
    def has_towers(self) -> bool:
        """Whether the model also sees or hears, by parts that stay as they are."""
        return self.plan.shape.tower_parameters > 0

    @property
    def wrapped_layers(self) -> tuple[str, ...]:
        """Classes that FSDP makes units of, where Accelerate does not find them by itself.

        From scratch the text part is built alone, and names no others.
        """
        return WRAPPED_LAYERS.get(self.model, ()) if self.has_towers else ()

    @property
    def weight_gib(self) -> float:
        """The checkpoint as downloaded: two bytes per parameter."""
        return gib_from_bytes(2 * self.estimate.parameters_total)

    @property
    def host_gib(self) -> float:
        """Host memory that the run needs: weights, offloaded states or what its processes take, whichever is most."""
        width = 4 if not self.plan.trains_adapters and self.plan.precision != "bf16-pure" else 2
        copies = gib_from_bytes(self.host_copies * width * self.estimate.parameters_total)
        processes = PROCESS_GIB * self.plan.n_gpus
        return max(copies, self.estimate.host_ram_gib, self.estimate.host_loading_gib, processes)

    @property
    def host_copies(self) -> int:
        """Whole copies of the weights that lie in host memory at a time, while they are read, made or saved.

        A model that is not split is read straight onto its card, and so is a quantised one; TRL alone has every process
        of DDP read it into host memory (sft_trainer.py, device_map). Of a split one the first process has a copy when
        it reads and when it saves (transformers 5.24.0, modeling_utils.py). From scratch TRL's train.py fills it in the
        first process, LLaMA-Factory in each (model/loader.py), torchtitan on the cards.
        """
        one_each = self.plan.n_gpus
        if self.goal == "pretraining":
            return {"torchtitan": 0, "llama-factory": one_each}.get(self.framework, 1)
        if self.plan.quant != "none":
            return 0
        if self.plan.sharded or self.framework == "deepspeed":
            return 1
        return one_each if self.framework == "trl" and self.plan.sharding == "ddp" else 0

    @property
    def splits_base(self) -> bool:
        """Whether a quantised base is loaded whole before it is split over the cards."""
        return splits_base(self.plan)

    @property
    def loads_on_host(self) -> bool:
        """Whether it waits for that in host memory, and not on every card."""
        return self.splits_base and not self.plan.load_on_card

    @property
    def disk_gib(self) -> float:
        """The download (none when training from scratch) and the most checkpoints that there are at a time.

        The model that is saved at the end comes when the checkpoint too many is gone, and takes less than one.
        """
        return self.first_disk_gib + KEPT_CHECKPOINTS * self.checkpoint_gib

    @property
    def first_disk_gib(self) -> float:
        """The download and one checkpoint: less than that, and nothing is saved at all."""
        return (0.0 if self.goal == "pretraining" else self.weight_gib) + self.checkpoint_gib

    @property
    def checkpoint_gib(self) -> float:
        """One saved checkpoint: what is trained, and two states of AdamW."""
        if self.plan.trains_adapters:
            return gib_from_bytes(CHECKPOINT_BYTES["fp32"] * self.estimate.parameters_trainable)
        gathered = 2 if self.framework == "deepspeed" else 0  # stage3_gather_16bit_weights_on_model_save
        width = CHECKPOINT_BYTES[self.plan.precision] + gathered
        return gib_from_bytes(width * self.estimate.parameters_total)


REFERENCE: Mapping[str, Any] = MappingProxyType({})
"""No wishes: the workload that verdicts are computed for."""


def find_job(
    catalog: Catalog,
    model: str,
    rig: str,
    method: str,
    framework: Framework,
    recipe: str | None = None,
    asked: Mapping[str, Any] = REFERENCE,
) -> Job:
    """The job for a model, a rig and a method of the catalogue; raises UnknownIdError and LaunchError.

    `recipe` takes this rung of the ladder and no other, `asked` holds settings of a plan instead of those of the
    reference workload.
    """
    setup = setup_of(catalog, rig)
    verdict = judge(catalog, subject_of(catalog, model), catalog.resolve_method(method), setup)
    if recipe is not None:
        verdict = _with_recipe(catalog, verdict, recipe, setup)
    try:
        return job_of(catalog, verdict, setup, framework, asked)
    except LaunchError as error:
        if verdict.chosen is None:
            instead = _what_fits(catalog, model, setup, verdict.method)
        else:
            instead = _what_can(catalog, verdict, setup, framework, asked)
        raise LaunchError(f"{error}{instead}") from None


def _with_recipe(catalog: Catalog, verdict: Verdict, recipe: str, setup: Setup) -> Verdict:
    """The verdict as if this recipe were the only one; raises UnknownIdError, and LaunchError on a wrong machine."""
    known = [each.id for each in catalog.methods[verdict.method].ladder]
    if recipe not in known:
        raise UnknownIdError("recipe", recipe, known)
    rungs = tuple(rung for rung in verdict.rungs if rung.recipe == recipe)
    if not rungs and verdict.verdict != "unknown":
        raise LaunchError(f"{recipe} on {setup.name}: expected a machine that this recipe is made for")
    longest = verdict.max_seq_len if recipe == _chosen(verdict) else None
    return replace(verdict, rungs=rungs, chosen=0 if rungs else None, max_seq_len=longest)


def job_of(
    catalog: Catalog, verdict: Verdict, setup: Setup, framework: Framework, asked: Mapping[str, Any] = REFERENCE
) -> Job:
    """The first recipe of a verdict, from the chosen one on, that the framework can run and the machine holds.

    With `asked`, settings that replace those of the reference workload, every recipe is tried. Raises LaunchError,
    saying why there is none, and PlanError for settings that contradict themselves.
    """
    title = f"{verdict.model}, {verdict.method} on {setup.name}"
    if verdict.verdict == "unknown":
        raise LaunchError(f"{title}: expected a model whose memory is modelled, found one with an unknown verdict")
    if verdict.chosen is None and not asked:
        told = "; ".join(_why_not(rung) for rung in verdict.rungs[:SHOWN_RUNGS])
        raise LaunchError(f"{title}: no recipe fits ({told})")
    environment = _environment(catalog, framework)
    _needs_cuda(catalog, title, setup, environment)
    native = environment.models.get(verdict.model)
    if environment.models and native is None:
        known = ", ".join(environment.models)
        raise LaunchError(f"{title}: {framework} has no definition of this model (it has {known})")
    _needs_classes(catalog, title, verdict, environment)
    refusals: list[str] = []
    for rung in verdict.rungs[0 if asked else verdict.chosen :]:
        recipe = _recipe(catalog, verdict.method, rung.recipe)
        wanted = replace(rung.estimate.plan, **asked)
        try:
            plan = FRAMEWORKS[framework].adapt(wanted)
        except CannotExpress as error:
            refusals.append(f"{rung.recipe}: {error}")
            continue
        result = rung.estimate if plan == rung.estimate.plan else estimate(catalog, plan)
        # Plain bf16 gives up what a recipe with fp32 weights has, whoever chose it.
        compromise = recipe.compromise or (plan.precision == "bf16-pure" and not plan.trains_adapters)
        problem = _problem(catalog, setup, compromise, result)
        if problem:
            refusals.append(f"{rung.recipe}: {problem}")
            continue
        return _job(catalog, verdict, setup, environment, recipe.id, compromise, wanted, result, asked)
    raise LaunchError(f"{title}: {framework} can run no recipe that fits ({'; '.join(refusals)})")


def _needs_cuda(catalog: Catalog, title: str, setup: Setup, environment: Environment) -> None:
    """Raises LaunchError for a card of somebody else: the pinned PyTorch is the one that PyPI has, built for CUDA."""
    gpu = catalog.gpus[setup.gpu]
    if gpu.platform != CUDA:
        versions = f"PyTorch {environment.packages['torch']} with CUDA {environment.cuda}"
        raise LaunchError(f"{title}: expected a card for {versions}, the only versions there are; found {gpu.name}")


def _needs_classes(catalog: Catalog, title: str, verdict: Verdict, environment: Environment) -> None:
    """Raises LaunchError for a model that only code from elsewhere builds, or that is built with towers from scratch.

    The files never trust code of a model's repository: who reads it and wants it can say so to the library.
    """
    library = f"Transformers {environment.packages.get('transformers', '')}"
    kind = environment.without_class.get(verdict.model)
    if kind is not None:
        origin = next(iter(catalog.models[verdict.model].hugging_face), verdict.model)
        needs = f"it would run code from the repository {origin} (trust_remote_code), which no file here does"
        raise LaunchError(f"{title}: {library} has no class for this model ({kind}): {needs}")
    if catalog.methods[verdict.method].goal != "pretraining":
        return
    shape = catalog.models[verdict.model].architecture.shape()
    if verdict.model in environment.without_text_class:
        kind = environment.without_text_class[verdict.model]
        told = f"{library} has no class for the text part alone ({kind})"
    elif shape.tower_parameters and environment.framework == "llama-factory":
        told = "llama-factory makes the whole model from scratch (model/loader.py, train_from_scratch)"
    else:
        return
    raise LaunchError(f"{title}: {told}, and the estimate is without vision or sound")


def _why_not(rung: Rung) -> str:
    """What keeps a recipe from being recommended, in a few words."""
    result = rung.estimate
    for reason in rung.reasons:
        if reason.id in PLAIN_REASONS:
            return f"{rung.recipe}: {PLAIN_REASONS[reason.id]}"
    needs = f"{rung.recipe} needs {result.peak_gib.expected:.1f} GiB of {result.usable_gib:.1f}"
    for reason in rung.reasons:
        if reason.id == "time-exceeds":
            unit = "days" if result.plan.method == "pretrain" else "hours"
            return f"{needs} and {reason.values['expected']:.0f} {unit} of at most {reason.values['borderline']:.0f}"
        if reason.id == "host-ram-exceeds":
            found = reason.values["host_memory_gib"]
            return f"{needs} and {reason.values['host_ram_gib']:.0f} GiB of host memory, found {found:.0f}"
    return needs


def _job(
    catalog: Catalog,
    verdict: Verdict,
    setup: Setup,
    environment: Environment,
    recipe: str,
    compromise: bool,
    wanted: Plan,
    result: Estimate,
    asked: Mapping[str, Any],
) -> Job:
    goal = catalog.methods[verdict.method].goal
    changed = tuple(_changes(wanted, result.plan))
    model = catalog.models[verdict.model]
    tokens = catalog.policy.pretrain_tokens_per_parameter.value * result.parameters_total
    return Job(
        framework=environment.framework,
        environment=environment,
        model=verdict.model,
        hugging_face=next(iter(model.hugging_face), verdict.model),
        native=environment.models.get(verdict.model),
        rig=setup.name,
        method=verdict.method,
        goal=goal,
        recipe=recipe,
        compromise=compromise,
        plan=result.plan,
        changed=changed,
        estimate=result,
        time=training_time(catalog.policy, result, goal),
        max_seq_len=verdict.max_seq_len if recipe == _chosen(verdict) and not changed and not asked else None,
        steps=math.ceil(tokens / (result.plan.tokens * result.plan.grad_accum * result.plan.n_gpus)),
        asked=dict(asked),
    )


def _chosen(verdict: Verdict) -> str | None:
    return None if verdict.chosen is None else verdict.rungs[verdict.chosen].recipe


def _changes(asked: Plan, run: Plan) -> Iterator[str]:
    """Fields in which two plans differ and that mean something for the second one."""
    idle = set() if run.trains_adapters else {"adapter_dtype"}
    idle |= set() if run.sharded else {"reduce_dtype", "root_wrap"}
    for field in fields(Plan):
        if field.name not in idle and getattr(asked, field.name) != getattr(run, field.name):
            yield field.name


def _environment(catalog: Catalog, framework: Framework) -> Environment:
    """The versions of a framework; raises LaunchError where nobody wrote any down."""
    for environment in catalog.environments.values():
        if environment.framework == framework:
            return environment
    raise LaunchError(f"data/stack/environments has no file for {framework}")


def _recipe(catalog: Catalog, method: str, recipe: str) -> Recipe:
    return next(rung for rung in catalog.methods[method].ladder if rung.id == recipe)


def _problem(catalog: Catalog, setup: Setup, compromise: bool, result: Estimate) -> str | None:
    """Why the machine does not hold this plan; none where it does."""
    memory = memory_verdict(catalog.policy, result)
    peak = f"needs {result.peak_gib.expected:.1f} GiB of {result.usable_gib:.1f} as this framework runs it"
    if memory not in FEASIBLE:
        return peak
    if compromise and result.ratio > catalog.policy.compromise_ratio.value:
        return peak
    if result.host_ram_gib > (setup.host_memory_gib or 0.0):
        return f"needs {result.host_ram_gib:.0f} GiB of host memory, found {setup.host_memory_gib or 0:.0f}"
    return None


def _what_fits(catalog: Catalog, model: str, setup: Setup, asked: str) -> str:
    """What else a reader can do, as the end of a sentence."""
    subject = subject_of(catalog, model)
    found = [
        method_id
        for method_id in catalog.methods
        if method_id != asked and judge(catalog, subject, method_id, setup).chosen is not None
    ]
    if not found:
        return "; no other method fits either"
    return f"; what fits: {', '.join(found)} (try --method {found[0]})"


def _what_can(catalog: Catalog, verdict: Verdict, setup: Setup, tried: Framework, asked: Mapping[str, Any]) -> str:
    """Which frameworks have files for a verdict that this one has none for."""
    found = []
    for framework in FRAMEWORKS:
        if framework != tried:
            with suppress(LaunchError):
                found.append(job_of(catalog, verdict, setup, framework, asked).framework)
    return f"; frameworks that can: {', '.join(found)}" if found else ""
