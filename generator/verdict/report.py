"""Everything that is said about a rig: verdicts, recommended modes, capability map, headline."""

from __future__ import annotations

from collections.abc import Mapping

from generator.architecture import count_parameters
from generator.catalog.catalogue import Catalog
from generator.catalog.records import SizeClass
from generator.units import PARAMETERS_PER_BILLION
from generator.verdict.advice import context_variants, improvements, max_seq_len
from generator.verdict.ladder import best, best_of_ladder, choose, try_ladder, worst
from generator.verdict.results import (
    FEASIBLE,
    Cell,
    Headline,
    Mode,
    Reason,
    Recommendation,
    RigReport,
    Verdict,
    VerdictId,
    closest,
)
from generator.verdict.setup import Setup, Subject, setup_of, subject_of, subject_of_size

Verdicts = Mapping[tuple[str, str], Verdict]

SPARSE = frozenset({"moe", "per-layer-embeddings"})
"""What makes a size say little: most parameters are experts, or tables of embeddings, that a token never multiplies."""


def judge(catalog: Catalog, subject: Subject, method_id: str, setup: Setup) -> Verdict:
    """One method for one model on one machine."""
    rungs = () if subject.shape.unmodelled else try_ladder(catalog, subject, method_id, setup)
    verdict, chosen = choose(rungs)
    shown = rungs[chosen] if chosen is not None else closest(rungs)
    if shown is None:
        reason = Reason("not-modelled")
        return Verdict(subject.id, method_id, "unknown", None, (), (reason,), None, ())
    better = () if verdict == "comfortable" else tuple(improvements(catalog, subject, method_id, setup, verdict))
    reasons = shown.reasons
    if verdict == "not-recommended" and any(change.kind == "ecc-off" for change in better):
        reasons += (Reason("ecc-off-only"),)
    plan = shown.estimate.plan
    return Verdict(
        model=subject.id,
        method=method_id,
        verdict=verdict,
        chosen=chosen,
        rungs=rungs,
        reasons=reasons,
        max_seq_len=max_seq_len(catalog, plan, subject.context_tokens) if chosen is not None else None,
        contexts=tuple(context_variants(catalog, plan)),
        improvements=better,
    )


def verdict_of(catalog: Catalog, subject: Subject, method_id: str, setup: Setup) -> VerdictId:
    """The verdict alone, as `judge` gives it."""
    if subject.shape.unmodelled:
        return "unknown"
    return best_of_ladder(catalog, subject, method_id, setup)


def verdicts_alone(catalog: Catalog, rig: str) -> dict[tuple[str, str], VerdictId]:
    """(model, method) → verdict on a rig of the catalogue, for every text-generating model; raises UnknownIdError."""
    setup = setup_of(catalog, rig)
    return {
        (model_id, method_id): verdict_of(catalog, subject_of(catalog, model_id), method_id, setup)
        for model_id, model in catalog.models.items()
        if model.objective == "causal-lm"
        for method_id in catalog.methods
    }


def size_class_of(catalog: Catalog, parameters: float) -> SizeClass:
    """The class of the policy that a number of parameters falls into."""
    return next(
        size
        for size in catalog.policy.size_classes
        if size.below_billions is None or parameters < size.below_billions * PARAMETERS_PER_BILLION
    )


def recommend(catalog: Catalog, model: str, verdicts: Verdicts) -> Recommendation:
    """The fullest comfortable method, after any fuller borderline one.

    Its equals come with it (LoRA and QLoRA train the same adapters). Where nothing is comfortable: what is borderline.
    """
    modes: list[Mode] = []
    fullest: str | None = None
    for method_id, method in catalog.methods.items():
        verdict = verdicts[model, method_id].verdict
        if method.goal != "fine-tuning" or verdict not in FEASIBLE:
            continue
        if fullest is not None and (verdict != "comfortable" or method.trains != catalog.methods[fullest].trains):
            continue
        modes.append(Mode(method_id, verdict))
        if verdict == "comfortable" and fullest is None:
            fullest = method_id
    return Recommendation(model, tuple(modes))


def _capability(catalog: Catalog, parameters: Mapping[str, int], verdicts: Verdicts) -> dict[tuple[str, str], Cell]:
    cells = {}
    for size in catalog.policy.size_classes:
        members = tuple(model for model, count in parameters.items() if size_class_of(catalog, count).id == size.id)
        for method_id in catalog.methods:
            found = [verdicts[model, method_id].verdict for model in members]
            cells[size.id, method_id] = Cell(
                size.id, method_id, worst(found) if found else "unknown", best(found), members
            )
    return cells


def _reach(catalog: Catalog, method_id: str, cells: Mapping[tuple[str, str], Cell], verdicts: Verdicts) -> str | None:
    """The largest class up to which (nearly) every model is comfortable and none worse than borderline, without a gap.

    One unusual model (a vocabulary of 256,000 in 7B) does not take its class away: the share is the policy's.
    """
    reached = None
    for size in catalog.policy.size_classes:
        cell = cells[size.id, method_id]
        if not cell.models:
            continue
        comfortable = sum(verdicts[model, method_id].verdict == "comfortable" for model in cell.models)
        enough = comfortable >= catalog.policy.headline_share.value * len(cell.models)
        if cell.verdict not in FEASIBLE or not enough:
            break
        reached = size.id
    return reached


def _headline(
    catalog: Catalog,
    cells: Mapping[tuple[str, str], Cell],
    verdicts: Verdicts,
    pretraining: Mapping[float, Verdict],
) -> Headline:
    feasible = []
    for billions, verdict in sorted(pretraining.items()):
        if verdict.verdict not in FEASIBLE:
            break
        feasible.append(billions)
    return Headline(
        full=_reach(catalog, "full", cells, verdicts),
        lora=_reach(catalog, "lora", cells, verdicts),
        qlora=_reach(catalog, "qlora", cells, verdicts),
        pretrain_from_billions=feasible[0] if feasible else None,
        pretrain_to_billions=feasible[-1] if feasible else None,
    )


def judge_setup(catalog: Catalog, setup: Setup) -> RigReport:
    """All verdicts on a machine: every text-generating model, every method."""
    subjects = [
        subject_of(catalog, model_id) for model_id, model in catalog.models.items() if model.objective == "causal-lm"
    ]
    parameters = {subject.id: count_parameters(subject.shape).total for subject in subjects}
    subjects.sort(key=lambda subject: (parameters[subject.id], subject.id))
    ordered = {subject.id: parameters[subject.id] for subject in subjects}
    verdicts = {
        (subject.id, method_id): judge(catalog, subject, method_id, setup)
        for subject in subjects
        for method_id in catalog.methods
    }
    pretraining_methods = [id_ for id_, method in catalog.methods.items() if method.goal == "pretraining"]
    pretraining = {
        billions: judge(catalog, subject_of_size(billions), pretraining_methods[0], setup)
        for billions in catalog.policy.pretraining_sizes_billions
        if pretraining_methods
    }
    dense = {
        subject.id: parameters[subject.id]
        for subject in subjects
        if not subject.shape.unmodelled and not SPARSE & subject.shape.features
    }
    cells = _capability(catalog, dense, verdicts)
    return RigReport(
        rig=setup.name,
        verdicts=verdicts,
        recommended={model: recommend(catalog, model, verdicts) for model in ordered},
        pretraining=pretraining,
        capability=cells,
        headline=_headline(catalog, cells, verdicts, pretraining),
    )


def judge_rig(catalog: Catalog, rig: str) -> RigReport:
    """All verdicts on a rig of the catalogue; raises UnknownIdError."""
    return judge_setup(catalog, setup_of(catalog, rig))
