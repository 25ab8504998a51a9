"""What a light page shows of the files that run a verdict: their settings to copy, and the command for all of them."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from functools import cached_property

from markupsafe import Markup

from generator.launch import Job, file_names, setting_files
from generator.site.launch import config_command, loading_note
from generator.site.pages_env import PageWriter, environment, typeset
from generator.site.pages_site import Site
from generator.site.pages_stack import config_path, examples, jobs_of
from generator.verdict import Setup, setup_of
from generator.verdict.results import FEASIBLE, Verdict
from generator.views.light import memory_key


class FilesWriter:
    """Writes the files of verdicts in one language."""

    def __init__(self, site: Site, writer: PageWriter) -> None:
        self.site, self.writer = site, writer
        self._setups: dict[str, Setup] = {}
        self._settings: dict[Hashable, Mapping[str, str]] = {}

    def html(self, rig: str, verdict: Verdict) -> str:
        """The files for a verdict by the first framework that can run it; empty where nothing is recommended."""
        if verdict.verdict not in FEASIBLE:
            return ""
        job = self._job(rig, verdict)
        if job is None:
            return ""
        return (
            environment()
            .get_template("parts/files.html.j2")
            .render(
                t=self._text,
                link=self.writer.link,
                method=job.method,
                framework=self.writer.messages(f"launch.framework.{job.framework}"),
                command=config_command(job, job.method, job.framework, self.site.language, "run"),
                whole=self._whole(job),
                loading=typeset(loading_note(job, self.site.language), self.site.language),
                settings=self._setting_files(job),
            )
        )

    def exist(self, rig: str, verdict: Verdict) -> bool:
        """Whether the light page has files for a verdict, at `#files-<method>`."""
        return verdict.verdict in FEASIBLE and self._job(rig, verdict) is not None

    def _text(self, key: str, **values: str) -> Markup:
        """A message, typeset; files and commands stay as they are."""
        return Markup(typeset(self.writer.messages.html(key, **values), self.site.language))  # noqa: S704 (escaped)

    def _job(self, rig: str, verdict: Verdict) -> Job | None:
        if rig not in self._setups:
            self._setups[rig] = setup_of(self.site.catalog, rig)
        return next(jobs_of(self.site.catalog, verdict, self._setups[rig]), None)

    def _setting_files(self, job: Job) -> Mapping[str, str]:
        """The settings, written once for all rigs on which they are the same."""
        key = (memory_key(job.model, job.plan), job.framework, job.recipe)
        if key not in self._settings:
            self._settings[key] = setting_files(job, self.writer.messages)
        return self._settings[key]

    @cached_property
    def _on_site(self) -> frozenset[str]:
        """Folders of configurations that lie on the site as files."""
        report = self.site.first_report
        shown = examples(self.site.catalog, report, setup_of(self.site.catalog, report.rig))
        return frozenset(config_path(job) for example in shown for job in example.jobs)

    def _whole(self, job: Job) -> Mapping[str, str]:
        """Name → path of every file, where they lie on the site."""
        if config_path(job) not in self._on_site:
            return {}
        return {name: config_path(job, name) for name in file_names(job)}
