"""A verdict as files that somebody can run: settings of libraries, versions, checks before and during the run."""

from generator.launch.frameworks import FRAMEWORKS, CannotExpress
from generator.launch.job import Job, find_job, job_of
from generator.launch.render import file_names, files, setting_files

__all__ = ["FRAMEWORKS", "CannotExpress", "Job", "file_names", "files", "find_job", "job_of", "setting_files"]
