"""The page of terms: the words that all other pages use, each with its place on the site."""

from __future__ import annotations

from collections.abc import Mapping

from generator.site.page import Page
from generator.site.pages_site import Site

PATH = "terms/"

GROUPS: Mapping[str, tuple[str, ...]] = {
    "training": (
        "fine-tuning", "full", "lora", "qlora", "pretraining", "adapter", "micro-batch", "accumulation", "context",
        "reference-workload", "compute-optimal",
    ),
    "memory": (
        "peak", "phase", "optimizer-states", "activations", "checkpointing", "logits", "fused-loss", "offload",
        "quantisation", "mixed-precision", "usable-memory", "headroom",
    ),
    "hardware": ("rig", "card", "ecc", "p2p", "sharding", "ddp", "break-even"),
    "verdict": ("verdict", "recipe", "ladder", "compromise", "recommended"),
}  # fmt: skip
"""Terms by group, as keys of `terms.term.*` and ids on the page."""

PLACES: Mapping[str, str] = {
    "full": "methods/full/",
    "lora": "methods/lora/",
    "qlora": "methods/qlora/",
    "pretraining": "methods/pretrain/",
    "reference-workload": "methodology/#workload",
    "peak": "methodology/#q-peak",
    "phase": "methodology/#phases",
    "optimizer-states": "methodology/#q-optimizer-states",
    "activations": "methodology/#q-activations",
    "logits": "methodology/#q-logits",
    "offload": "methodology/#q-host-memory",
    "usable-memory": "methodology/#definition-share",
    "headroom": "methodology/#definition-share",
    "rig": "rigs/",
    "card": "gpus/",
    "break-even": "methodology/#q-break-even-tokens",
    "verdict": "methodology/#thresholds",
    "recipe": "methods/",
    "ladder": "methods/",
}
"""Where the site has more to say."""


def terms_page(site: Site) -> Page:
    """All terms with their other names."""
    writer = site.writer(PATH)
    return writer.page(
        "terms.md.j2",
        section="methodology",
        title=writer.messages("terms.heading"),
        description=writer.messages("terms.description"),
        navigation_title=writer.messages("terms.navigation"),
        groups=GROUPS,
        places=PLACES,
        **site.values(writer),
    )
