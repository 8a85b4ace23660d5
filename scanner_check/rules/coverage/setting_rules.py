"""What an edit of a settings file, a deployment file or Terraform does, by the meaning of what it is in."""

from __future__ import annotations

import posixpath
import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from enum import Enum, auto
from functools import cached_property
from typing import NamedTuple

from dataflow_generator.jobs.kinds import CountedJob
from scanner_check.edits import documents
from scanner_check.edits.commands import changed_commands, does_nothing
from scanner_check.edits.dockerfiles import is_dockerfile
from scanner_check.edits.documents import Document, read_documents
from scanner_check.edits.images import START, copied_sources, image_edits
from scanner_check.edits.settings import Setting, is_same_object, patched_settings, setting_edits
from scanner_check.inputs.git import ObjectReader, Trees
from scanner_check.knowledge import resources
from scanner_check.knowledge.clients import Meaning, decides_reads, is_of_framework, meaning_of, names_concept
from scanner_check.knowledge.connectors import changed_settings
from scanner_check.knowledge.names import all_words, words_of
from scanner_check.rules.coverage.setting_readers import SettingReaders
from scanner_check.rules.flows.program_changes import ProgramChanges
from scanner_check.sides.commit import Commit, files_using, uses_of
from scanner_check.sides.mentions import is_script
from scanner_extractor.repository.applications.settings import Settings as ApplicationSettings
from scanner_extractor.repository.applications.settings import read_settings
from scanner_extractor.repository.applications.settings_topics import lacks_function
from scanner_extractor.repository.topic_files.forms import ITEM, ReadEntry, are_unread_rights_equal, read_entries
from scanner_extractor.repository.undeclared import is_program, names_in_text
from scanner_extractor.systems.terraform.reader import RESOURCES
from scanner_model.declarations import Declaration

KUSTOMIZATIONS = frozenset(("kustomization.yaml", "kustomization.yml", "Kustomization"))


class Effect(Enum):
    """What an edit comes to."""

    NOTHING = auto()
    """It changes neither records, nor who reads or writes them."""
    SHOWN = auto()
    """Its effect shows in topics, flows or declarations, which are compared."""
    UNKNOWN = auto()
    """It may change records, or who reads or writes them."""
    STOPPED = auto()
    """It stops the programs that it is of."""
    ACCESS = auto()
    """It may take from a program what it reads or writes."""


class Judgement(NamedTuple):
    """The effect of an edit; *jobs* are the programs that it is of, empty if they are not known."""

    effect: Effect
    jobs: tuple[CountedJob, ...] = ()


_ABOUT = (("apiVersion",), ("kind",), ("status",))
"""Members of resources that say nothing of what they declare."""
RUNS = resources.WORKLOADS["Pod"].harmless - {"metadata", "selector"}
"""Members of resources that say how a program is run."""


_TRANSFORMS = frozenset(("replacements", "vars", "transformers", "generators", "configurations"))
"""Members of a kustomization that change values of the objects that they name. Source: Kustomize, reference."""
_REFERS = frozenset(("configMapKeyRef", "configMapRef", "secretKeyRef", "secretRef", "configMap", "secret"))
"""Members of a workload that hold the name of a ConfigMap or Secret."""


def _data(document: Document) -> Iterator[documents.Leaf]:
    return (leaf for leaf in document.leaves if leaf.path[0] in ("data", "stringData"))


def _plain_key(key: str) -> str:
    name, mark, _ = key.partition("=")
    return ITEM if key == documents.ITEM or (mark and name in documents.NAMES) else key


def _folder_of_pattern(source: str) -> str:
    """Return the path that an image copies; of a pattern, the directory that it is below."""
    plain = re.split(r"[*?\[]", source)[0]
    return posixpath.normpath((plain if plain == source else posixpath.dirname(plain)) or ".")


def _has(files: Iterable[str], folder: str, names: Collection[str]) -> bool:
    """Return whether one of *files* is, or lies in, one of some paths in a directory."""
    wanted = tuple(posixpath.normpath(posixpath.join(folder, name)) for name in names)
    return any(one == path or path == "." or one.startswith(f"{path}/") for path in wanted for one in files)


NOTHING, SHOWN = Judgement(Effect.NOTHING), Judgement(Effect.SHOWN)


class SettingRules:
    """Judges the edits of files of settings between two commits."""

    def __init__(
        self, commits: tuple[Commit, Commit], trees: Trees, programs: ProgramChanges, objects: ObjectReader
    ) -> None:
        self._base, self._head = commits
        self._trees, self._programs, self._objects = trees, programs, objects
        self.readers = SettingReaders(programs, trees, objects)
        self._known_entries: dict[str, tuple[ReadEntry, ...]] = {}
        self._known_edits: dict[str, tuple[tuple[Setting, Judgement], ...] | None] = {}
        self._known_renames: dict[str, Mapping[str, str]] = {}
        self.unbound: set[tuple[str, str]] = set()
        """Topics that edits of bindings without a function name, each with its file."""

    def edits(self, path: str) -> tuple[tuple[Setting, Judgement], ...] | None:
        """Return what differs in a file of settings, each edit with what it does; None if it cannot be parsed."""
        if path not in self._known_edits:
            texts = self._objects.texts(path, self._trees)
            edits = image_edits(path, *texts, self._is_target) if is_dockerfile(path) else setting_edits(path, *texts)
            self._known_edits[path] = None if edits is None else tuple((one, self.judge(path, one)) for one in edits)
        return self._known_edits[path]

    def judge(self, path: str, edit: Setting) -> Judgement:
        """Return what an edit of the file at *path* does.

        Whatever a value is of: one that was the name of a topic and is that of another one may exchange the two.
        """
        if edit.is_removed and edit.document.kind and self._is_moved(path, edit.document):
            return NOTHING
        judgement = self._judgement(path, edit)
        if judgement.effect is Effect.NOTHING and self._exchanges(edit):
            return Judgement(Effect.UNKNOWN, self._named((edit.document.name,)))
        return judgement

    def _exchanges(self, edit: Setting) -> bool:
        """Return whether the whole value was the name of a topic, and is the name of another one."""
        return edit.before in self._base.names and edit.after in self._head.names

    def _judgement(self, path: str, edit: Setting) -> Judgement:
        document = edit.document
        if document.api == "terraform":
            return self._terraform(path, edit)
        if is_dockerfile(path):
            return self._image(path, edit)
        if path.rpartition("/")[2] in KUSTOMIZATIONS or document.kind == "Kustomization":
            return self._kustomization(path, edit)
        if (judgement := self._of_form(path, edit)) is not None:
            return judgement
        if document.kind in ("ConfigMap", "Secret"):
            return self._config_map(path, edit)
        if document.kind == "{{ }}":
            return self._control(path)
        if document.kind and (document.api or document.kind in resources.WORKLOADS):
            return self._resource(path, edit)
        if edit.path[:1] == ("services",) and _is_compose(document):
            return self._service(path, edit)
        if any(leaf.path[0] == "databaseChangeLog" for leaf in document.leaves if leaf.path):
            return SHOWN  # migrations are judged as such
        return self._setting(path, edit, self.owners(path, edit))

    # --- documents of forms

    def is_of_form(self, path: str) -> bool:
        """Return whether a file has entries that a row of the table of forms reads, in either commit."""
        return bool(self._entries(path))

    def _entries(self, path: str) -> tuple[ReadEntry, ...]:
        if path not in self._known_entries:
            texts, forms = self._objects.texts(path, self._trees), self._base.reading.forms
            self._known_entries[path] = tuple(entry for text in texts for entry in read_entries(path, text, forms))
        return self._known_entries[path]

    def _of_form(self, path: str, edit: Setting) -> Judgement | None:
        """Judge an edit of an entry that a row reads: of what is read, or of something else; None outside entries."""
        document, keys = edit.document, tuple(_plain_key(key) for key in edit.path)
        about = document.api, document.kind, document.name
        entries = [entry for entry in self._entries(path) if entry.document == about]
        if any(entry.describes for entry in entries):
            return SHOWN
        inside = [entry for entry in entries if keys[: len(entry.keys)] == entry.keys]
        entries = inside or [entry for entry in entries if entry.is_pipeline]
        if not entries:
            return None
        if any(entry.is_right for entry in entries):
            return self._user(edit) if self._differs_in_unread(path) else SHOWN
        if any(self._is_compared(path, entry, keys) for entry in entries):
            return SHOWN
        is_meant = meaning_of(all_words(edit.keys)) is not Meaning.NOTHING and keys[:1] not in _ABOUT
        if edit.is_added or not is_meant or not RUNS.isdisjoint(keys):
            return NOTHING
        using = tuple(job for job in self._jobs.values() if path in files_using(job))
        return Judgement(Effect.ACCESS, using or self.owners(path, edit))

    def _differs_in_unread(self, path: str) -> bool:
        """Return whether rights that no row reads, such as those of groups, are others than before."""
        texts = self._objects.texts(path, self._trees)
        return not all(texts) or not are_unread_rights_equal(path, texts, self._base.reading.forms)

    def _is_compared(self, path: str, entry: ReadEntry, keys: tuple[str, ...]) -> bool:
        """Return whether what an edit is of is among the facts of its own file, which are compared."""
        if not any(keys[: len(member)] == member for member in entry.members):
            return False
        readings = [commit.reading for commit in (self._base, self._head)]
        is_declared = any(path in reading.places or reading.schema_files.get(path) for reading in readings)
        return is_declared and all(self._is_own(path, topic) for topic in entry.topics)

    # --- whose it is

    @cached_property
    def _jobs(self) -> dict[str, CountedJob]:
        """Return the jobs of both commits by name, those of the first last, which are what may be lost."""
        return {job.flows.job.name: job for commit in (self._head, self._base) for job in commit.jobs}

    def owners(self, path: str, edit: Setting) -> tuple[CountedJob, ...]:
        """Return the programs that an edit names, else those of the module that the file is in."""
        named = self._named((*edit.keys, edit.document.name, *self._images(edit.document)))
        return named or self._of_module(self._programs.modules.of(path))

    def concerns(self, path: str, documents: Iterable[Document]) -> bool:
        """Return whether a file is of a module that uses Kafka, or one of its objects is of Kafka or runs a program."""
        modules = self._programs.modules
        is_own = modules.of(path) in {modules.of(using) for using in self._programs.applications}
        return is_own or any(
            resources.is_of_kafka(one.api, one.kind) or self._named((one.name, *self._images(one))) for one in documents
        )

    def _of_module(self, module: str) -> tuple[CountedJob, ...]:
        """Return the programs that a module is part of and that have code there."""
        jobs = self._programs.programs_of(module)
        return tuple(job for job in jobs if any(map(is_program, files_using(job))))

    # --- images

    def _image(self, path: str, edit: Setting) -> Judgement:
        """Judge what differs in an image: its environment, its files, the commands that made them and what it runs."""
        if edit.path[0] == "ENV":
            variable = edit._replace(path=edit.path[1:])
            return self._setting(path, variable, self.owners(path, variable))
        jobs = self._of_module(self._programs.modules.of(path))
        copied = () if jobs else self._copied_programs(path)
        jobs = jobs or tuple(job for one in copied for job in self._of_module(self._programs.modules.of(one)))
        if not jobs and not copied:
            return NOTHING
        if edit.path[0] == START and edit.after is not None and does_nothing(edit.after):
            return Judgement(Effect.STOPPED if jobs else Effect.UNKNOWN, jobs)
        # Without its recipe an image is not built any more: what runs is as it was, unless there is another recipe.
        is_unbuilt = edit.is_removed and not any(
            is_dockerfile(one) for one in self._trees.head.keys() - self._trees.base
        )
        return NOTHING if edit.is_added or is_unbuilt else Judgement(Effect.ACCESS, jobs)

    def _copied_programs(self, path: str) -> tuple[str, ...]:
        """Return the files using Kafka that an image is built from, below its own directory or that of the repository.

        The directory is the one that has what the image copies.
        """
        folder = posixpath.dirname(path)
        sources = {one for text in self._objects.texts(path, self._trees) for one in copied_sources(text)}
        paths = {_folder_of_pattern(one.strip("/")) for one in sources}
        named = paths - {"."}
        files = (*self._trees.base, *self._trees.head)
        context = next((at for at in (folder, "") if _has(files, at, named)), folder)
        if not named and not any(one.startswith(f"{folder}/") for one in self._programs.applications):
            context = ""
        areas = {context} if "." in paths else {posixpath.join(context, one) for one in named}
        return tuple(one for one in self._programs.applications if any(_has((one,), "", (area,)) for area in areas))

    def _is_target(self, name: str) -> bool:
        """Return whether a compose file, script or build file asks for a stage of an image by its name."""
        deploying = (path for path in self._trees.head if path.endswith((".yaml", ".yml", ".hcl")) or is_script(path))
        return any(
            name in words_of_line and "target" in line
            for path in deploying
            for line in self._objects.text(self._trees.head[path]).splitlines()
            for words_of_line in [re.findall(r"[\w.-]+", line)]
        )

    def _named(self, names: Iterable[str]) -> tuple[CountedJob, ...]:
        return tuple(self._jobs[name] for name in dict.fromkeys(names) if name in self._jobs)

    @staticmethod
    def _images(document: Document) -> Iterator[str]:
        for leaf in document.leaves:
            if leaf.path[-1:] == ("image",):
                yield leaf.value.rpartition("/")[2].partition(":")[0].partition("@")[0]

    @cached_property
    def names(self) -> frozenset[str]:
        """Return the names of topics, connectors and subjects of both commits."""
        found: set[str] = set()
        for commit in (self._base, self._head):
            found |= commit.names | commit.schemas.keys()
            found |= {entry.name for entry in commit.reading.of(Declaration)}
        return frozenset(found)

    def _mentions(self, edit: Setting) -> bool:
        return any(names_in_text(value, self.names, edit.keys) for value in edit.values)

    def _is_resolved(self, path: str, edit: Setting) -> bool:
        """Return whether the flows show the edit: each of its values is a topic that a job uses on its side."""
        if edit.before is None or edit.after is None:
            uses = self._head.used | self._base.used
            gained = {one.name for one in uses} - ({one.name for one in self._head.used & self._base.used})
            return bool(edit.values) and all(value in gained for value in edit.values)
        return edit.before in self._base.names and self._moves(path, edit)

    def _moves(self, path: str, edit: Setting) -> bool:
        """Return whether a program of the edit uses the new topic and did not before: its flows are compared."""
        before = {job.flows.job.name: {one.name for one in uses_of(job)} for job in self._base.jobs}
        of_chart = self._of_chart(path) if is_values(path) else ()
        owners = {job.flows.job.name for job in (*self.owners(path, edit), *of_chart)}
        return any(
            edit.after in {one.name for one in uses_of(job)}
            and edit.after not in before.get(job.flows.job.name, ())
            and (job.flows.job.name in owners or path in files_using(job))
            for job in self._head.jobs
        )

    # --- settings of programs

    def _setting(self, path: str, edit: Setting, owners: tuple[CountedJob, ...]) -> Judgement:
        name = all_words(edit.keys)
        meaning = meaning_of(name)
        if self._is_resolved(path, edit):
            return SHOWN
        if meaning is Meaning.NOTHING or self._is_unbound(path, edit):
            return NOTHING
        is_kafkas = bool(owners) or (meaning and len(name) > 1) or self._is_of_kafka(path, edit.document)
        if meaning or names_concept(name) or is_of_framework(name):
            effect = Effect.ACCESS if meaning is Meaning.READERS or decides_reads(name) else Effect.UNKNOWN
            return Judgement(effect, owners) if is_kafkas else NOTHING
        if _turns(edit, resources.VALUES_STOP.get(edit.keys[-1] if edit.keys else "", frozenset())):
            is_whole = is_values(path) and len(edit.keys) == 1  # all that the chart deploys
            named = self._of_chart(path) or owners if is_whole else self._named(edit.keys[-2:-1])
            is_client = not _CLIENTS.isdisjoint(all_words(edit.keys[-2:]))
            if named or is_client or (is_whole and self._is_of_kafka(path, edit.document)):
                return Judgement(Effect.STOPPED if named else Effect.UNKNOWN, named or owners)
        if not resources.HARMLESS_VALUES.isdisjoint(edit.keys):
            return NOTHING
        if not owners and self._programs.modules.of(path) and not self._is_of_kafka(path, edit.document):
            return NOTHING  # a file of a program that does not use Kafka
        if _is_address(edit.before) and _is_address(edit.after):
            return NOTHING
        reading = self.readers.jobs_reading(edit.keys, owners)
        if reading is None:
            return NOTHING
        return Judgement(Effect.ACCESS if self.readers.decides_reads(edit.keys) else Effect.UNKNOWN, reading)

    def _is_unbound(self, path: str, edit: Setting) -> bool:
        """Return whether an edit is of a binding of Spring Cloud Stream that has no function in either commit."""
        match = _BINDING.match(".".join(edit.keys))
        if match is None:
            return False
        listed = [_settings_of(path, text) for text in self._objects.texts(path, self._trees) if text]
        if not all(lacks_function(match[1], settings, self.readers.in_code) for settings in listed):
            return False
        self.unbound |= {(topic.strip(), path) for value in edit.values for topic in value.split(",")}
        return True

    def _of_chart(self, path: str) -> tuple[CountedJob, ...]:
        """Return the programs that are called like the chart that a file of values is beside, or like its images."""
        folder = posixpath.dirname(path)
        files = (posixpath.join(folder, name) for name in ("Chart.yaml", "values.yaml"))
        documents = [one for file in files for one in self._documents(file)]
        images = (leaf.value for one in documents for leaf in one.leaves if leaf.path[-2:] == ("image", "repository"))
        return self._named([one.value("name") for one in documents] + [name.rpartition("/")[2] for name in images])

    def _is_of_kafka(self, path: str, document: Document) -> bool:
        """Return whether a file is of a program that uses Kafka, by its module, its own settings, or its chart."""
        return self.concerns(path, ()) or is_values(path) or speaks_of_kafka(document)

    def _config_map(self, path: str, edit: Setting) -> Judgement:
        """Judge a value of a ConfigMap; one that is a file itself, by what differs in that."""
        key = edit.keys[-1] if edit.keys else ""
        if edit.path[:1] not in (("data",), ("stringData",)) or edit.is_added:
            return NOTHING
        owners = self.owners(path, edit)
        inside = setting_edits(key, edit.before or "", edit.after or "") if "\n" in "".join(edit.values) else None
        if inside is None:
            variables = list(self._variables_of(edit.document.name, key))
            judged = [self._setting(path, edit, owners)]
            judged += [
                self._setting(path, edit._replace(path=(name,)), jobs or owners) for name, jobs in variables if name
            ]
            return _gravest(judged)
        return _gravest([self._of_connector(path, one) or self._setting(path, one, owners) for one in inside])

    def _of_connector(self, path: str, edit: Setting) -> Judgement | None:
        """Judge a setting of a connector whose configuration is a value of another file; None for any other."""
        known = {leaf.path[-1]: leaf.value for leaf in edit.document.leaves if leaf.path}
        if "connector.class" not in known:
            return None
        if any(path in commit.reading.places for commit in (self._base, self._head)):
            return SHOWN
        old, new = ({**known, edit.path[-1]: str(value)} for value in (edit.before, edit.after))
        is_hit = not edit.is_added and changed_settings(old, new, is_read=False)
        return Judgement(Effect.UNKNOWN) if is_hit else NOTHING

    def _control(self, path: str) -> Judgement:
        """Judge the control lines of a template, which decide whether what they are around exists."""
        documents = self._documents(path)
        if any(resources.is_of_kafka(one.api, one.kind) for one in documents):
            return Judgement(Effect.UNKNOWN)
        jobs = self._named(name for one in documents for name in (one.name, *self._images(one)))
        return Judgement(Effect.UNKNOWN, jobs) if jobs else NOTHING

    def _documents(self, path: str, tree: str = "") -> tuple[Document, ...]:
        trees = {"base": (self._trees.base,), "head": (self._trees.head,)}.get(
            tree, (self._trees.head, self._trees.base)
        )
        for one in trees:
            if path in one:
                return read_documents(path, self._objects.text(one[path])) or ()
        return ()

    # --- objects of Kubernetes

    def _resource(self, path: str, edit: Setting) -> Judgement:
        document = edit.document
        if self._is_patch(path):
            is_hit = resources.is_of_kafka(document.api, document.kind) or self._named((document.name,))
            return Judgement(Effect.UNKNOWN, self._named((document.name,))) if is_hit else NOTHING
        if document.kind in resources.DECLARED:
            return self._declared(path, edit)
        if document.kind == "KafkaUser":
            return self._user(edit)
        if (workload := resources.WORKLOADS.get(document.kind)) is not None:
            return self._workload(path, edit, workload)
        if resources.is_of_kafka(document.api, document.kind):
            harmless = resources.INFRASTRUCTURE.get(document.kind, frozenset({"metadata", "status"}))
            meaning = meaning_of(all_words(edit.keys))
            if edit.is_added or not harmless.isdisjoint(edit.path) or meaning is Meaning.NOTHING:
                return NOTHING
            return Judgement(Effect.UNKNOWN, self._named((document.name,)))
        return NOTHING  # a resource that is not of Kafka; a topic that it names is a mention

    def _declared(self, path: str, edit: Setting) -> Judgement:
        """Judge a topic or connector: what is declared is compared, unless another file declares it, too."""
        kind = edit.document.kind
        if edit.path[:1] in (("metadata",), ("status",), ("apiVersion",), ("kind",)):
            return NOTHING
        if any(path in commit.reading.places for commit in (self._base, self._head)):
            is_own = self._is_own(path, edit.document.name)
            if is_own and (edit.is_added or edit.is_removed or not resources.DECLARED[kind].isdisjoint(edit.path[1:2])):
                return SHOWN
        if edit.is_added and any(path in commit.unread for commit in (self._base, self._head)):
            return Judgement(Effect.UNKNOWN)  # of a template: what it declares may exist already
        if edit.is_added or meaning_of(all_words(edit.keys)) is Meaning.NOTHING:
            return NOTHING
        if not resources.HARMLESS_DECLARED[kind].isdisjoint(edit.path):
            return NOTHING
        return Judgement(Effect.ACCESS, self._named((edit.document.name,)))

    def _is_own(self, path: str, name: str) -> bool:
        """Return whether the declaration of a name is the one in a file, not that of another file."""
        trees = ((self._base, self._trees.base), (self._head, self._trees.head))
        return all(
            any(
                entry.name.partition(" (")[0] == name and entry.place.rpartition(":")[0] == path
                for entry in commit.reading.of(Declaration)
            )
            for commit, tree in trees
            if path in tree
        )

    def _user(self, edit: Setting) -> Judgement:
        """Judge a right: one that is added takes nothing away, unless it denies."""
        if edit.document.kind == "KafkaUser" and not resources.INFRASTRUCTURE["KafkaUser"].isdisjoint(edit.path):
            return NOTHING
        is_denied = (edit.after or "").lower() == "deny"
        if edit.before is None and not is_denied:
            return NOTHING
        return Judgement(Effect.ACCESS, self._named((edit.document.name,)))

    def _workload(self, path: str, edit: Setting, workload: resources.Workload) -> Judgement:
        jobs = self._named((edit.document.name, *edit.keys, *self._images(edit.document)))
        last = edit.path[-1]
        if last in workload.stops:
            is_stopped = _turns(edit, workload.stops[last]) and not edit.is_added
            return Judgement(Effect.STOPPED, jobs) if is_stopped and (jobs or _is_job(edit)) else NOTHING
        if edit.is_added or not workload.harmless.isdisjoint(edit.path):
            return NOTHING
        if edit.is_removed:
            is_gone = bool(jobs) and not self._is_elsewhere(path, edit.document)
            return Judgement(Effect.STOPPED, jobs) if is_gone else NOTHING
        if not {"env", "envFrom", "environment"}.isdisjoint(edit.path):
            return self._setting(path, edit, jobs or self.owners(path, edit))
        if not {"command", "args", "entrypoint"}.isdisjoint(edit.path):
            return self._command(edit, jobs)
        is_known = bool(jobs) or (_is_job(edit) and edit.path[:1] == ("spec",))
        return Judgement(Effect.UNKNOWN, jobs) if is_known or self._mentions(edit) else NOTHING

    def _command(self, edit: Setting, jobs: tuple[CountedJob, ...]) -> Judgement:
        if edit.after is not None and does_nothing(edit.after):
            return Judgement(Effect.STOPPED, jobs) if jobs else NOTHING
        is_hit = bool(jobs) or self._mentions(edit) or _is_job(edit)
        is_hit = is_hit or bool(changed_commands(edit.before or "", edit.after or "", ()))
        return Judgement(Effect.UNKNOWN, jobs) if is_hit else NOTHING

    def _is_moved(self, path: str, document: Document) -> bool:
        """Return whether another changed file of the second commit has an object as it was."""
        return any(is_same_object(document, one) for _, one in self._beside(path))

    def _beside(self, path: str) -> Iterator[tuple[str, Document]]:
        """Yield the objects of the other changed files of the second commit, each with its file."""
        for other in self._trees.changed:
            if other != path and other in self._trees.head and other.endswith((".yaml", ".yml")):
                yield from ((other, one) for one in self._documents(other))

    def _is_elsewhere(self, path: str, document: Document) -> bool:
        """Return whether another file of the second commit has an object of the same kind and name."""
        folder, own = posixpath.dirname(path), (document.kind, document.name)
        return any(
            (one.kind, one.name) == own and posixpath.dirname(other) != folder for other, one in self._beside(path)
        )

    # --- kustomizations

    def _kustomization(self, path: str, edit: Setting) -> Judgement:
        first = edit.path[0]
        if first in ("resources", "bases", "components") and edit.before is not None:
            target = posixpath.normpath(posixpath.join(posixpath.dirname(path), edit.before))
            return _gravest([self._left_out(document) for document in self._below(target)])
        if first.startswith("patches"):
            return self._patch(path, edit)
        if first == "replicas":
            return Judgement(Effect.STOPPED, self._named(edit.keys)) if edit.after == "0" else NOTHING
        if first in ("namePrefix", "nameSuffix"):
            is_hit = any(resources.is_of_kafka(one.api, one.kind) for one in self._below(posixpath.dirname(path)))
            return Judgement(Effect.UNKNOWN) if is_hit else NOTHING
        if first.endswith("Generator"):
            return self._setting(path, edit, self.owners(path, edit))
        if first in _TRANSFORMS:
            named = {word for leaf in edit.document.leaves if leaf.path[0] == first for word in leaf.value.split()}
            jobs = (*self._named(named), *self._configured_by(named))
            return Judgement(Effect.ACCESS, jobs) if jobs else NOTHING
        return NOTHING

    def _configured_by(self, names: Collection[str]) -> tuple[CountedJob, ...]:
        """Return the programs whose workloads refer to ConfigMaps or Secrets of some names."""
        return self._named(
            name
            for one in self._workloads
            if any(leaf.value in names and not _REFERS.isdisjoint(leaf.path) for leaf in one.leaves)
            for name in (one.name, *self._images(one))
        )

    @cached_property
    def _workloads(self) -> tuple[Document, ...]:
        paths = (path for path in self._trees.head if path.endswith((".yaml", ".yml")))
        return tuple(one for path in paths for one in self._documents(path) if one.kind in resources.WORKLOADS)

    def _variables_of(self, name: str, key: str) -> Iterator[tuple[str, tuple[CountedJob, ...]]]:
        """Yield the variables that take their value from an entry of a ConfigMap or Secret, each with its programs."""
        for one in self._workloads:
            references = {leaf.path: leaf.value for leaf in one.leaves if leaf.path[-2:-1] and leaf.path[-2] in _REFERS}
            for path, value in references.items():
                if path[-1] == "key" and value == key and references.get((*path[:-1], "name")) == name:
                    variable = next((part[5:] for part in reversed(path) if part.startswith("name=")), "")
                    yield variable, self._named((one.name, *self._images(one)))

    def _below(self, target: str) -> Iterator[Document]:
        """Yield the documents of a file of the first commit, or of all files in a directory."""
        for path in self._trees.base:
            if path == target or (path.startswith(f"{target}/") and path.endswith((".yaml", ".yml"))):
                yield from self._documents(path, "base")

    def _left_out(self, document: Document) -> Judgement:
        """Judge an object that is no longer deployed; declared connectors and topics are judged as such."""
        if document.kind in resources.WORKLOADS:
            jobs = self._named((document.name, *self._images(document)))
            return Judgement(Effect.STOPPED, jobs) if jobs and document.kind not in resources.SCALERS else NOTHING
        is_hit = resources.is_of_kafka(document.api, document.kind)
        return Judgement(Effect.ACCESS, self._named((document.name,))) if is_hit else NOTHING

    def _patch(self, path: str, edit: Setting) -> Judgement:
        """Judge a patch by what it sets, or by the kinds and names that it, or its file, is for."""
        if inside := patched_settings(edit):
            return _gravest([self._resource(path, one) for one in inside])
        leaves = edit.document.leaves
        text = "\n".join([*edit.values, *(leaf.value for leaf in leaves if leaf.path[0] == edit.path[0])])
        documents = [*(read_documents("patch.yaml", "\n".join(edit.values)) or ())]
        for value in edit.values:
            documents += self._documents(posixpath.normpath(posixpath.join(posixpath.dirname(path), value)))
        jobs = self._named([one.name for one in documents] + text.replace("\n", " ").split())
        configuring = {
            one.name
            for one in documents
            if one.kind in ("ConfigMap", "Secret")
            and any(meaning_of(all_words(leaf.path[-1:])) is not Meaning.NOTHING for leaf in _data(one))
        }
        jobs += self._configured_by(configuring) if configuring else ()
        words = {word for line in text.splitlines() for word in line.replace(":", " ").split()}
        kinds = {one.kind for one in documents} | words
        is_hit = any(resources.is_of_kafka("", kind) for kind in kinds) or any(
            resources.is_of_kafka(one.api, one.kind) for one in documents
        )
        return Judgement(Effect.UNKNOWN, jobs) if is_hit or jobs else NOTHING

    @cached_property
    def _patches(self) -> frozenset[str]:
        """Return the files that kustomizations of the second commit name as patches."""
        found: set[str] = set()
        for path, name in self._trees.head.items():
            if path.rpartition("/")[2] in KUSTOMIZATIONS:
                for document in read_documents(path, self._objects.text(name)) or ():
                    for leaf in document.leaves:
                        if leaf.path and leaf.path[0].startswith("patches") and "\n" not in leaf.value:
                            found.add(posixpath.normpath(posixpath.join(posixpath.dirname(path), leaf.value)))
        return frozenset(found)

    def _is_patch(self, path: str) -> bool:
        return path in self._patches

    # --- compose files

    def _renamed_services(self, path: str) -> Mapping[str, str]:
        """Return the services of a compose file that have another name now, by it: they run the same program."""
        if path not in self._known_renames:
            old, new = (_programs_of_services(self._documents(path, tree)) for tree in ("base", "head"))
            gone = {name: runs for name, runs in old.items() if name not in new}
            come = {name: runs for name, runs in new.items() if name not in old}
            pairs = [(name, was) for name, runs in come.items() for was, ran in gone.items() if runs & ran]
            single = [Counter(names) for names in zip(*pairs, strict=True)]
            self._known_renames[path] = {
                name: was for name, was in pairs if single[0][name] == 1 and single[1][was] == 1
            }
        return self._known_renames[path]

    def _under_one_name(self, path: str, edit: Setting) -> Setting | None:
        """Return an edit of a renamed service as one of the service by its new name; None if only the name differs."""
        renamed = self._renamed_services(path)
        now = next((name for name, was in renamed.items() if edit.path[1:2] == (was,)), "")
        if now:
            moved = (*edit.path[:1], now, *edit.path[2:])
            is_kept = any(leaf.path == moved for one in self._documents(path) for leaf in one.leaves)
            return None if is_kept else edit._replace(path=moved)
        if edit.path[1:2] and edit.path[1] in renamed:
            former = (*edit.path[:1], renamed[edit.path[1]], *edit.path[2:])
            listed = [leaf.value for one in self._documents(path, "base") for leaf in one.leaves if leaf.path == former]
            return None if edit.after in listed else edit._replace(before=next(iter(listed), None))
        return edit

    def _service(self, path: str, whole: Setting) -> Judgement:
        edit = self._under_one_name(path, whole)
        if edit is None:
            return NOTHING
        service = edit.path[1] if len(edit.path) > 1 else ""
        jobs = self._named((service, *self._service_images(edit, service)))
        jobs = jobs or tuple(self._programs.programs_of(service) if service in self._programs.module_names else ())
        has_service = any(leaf.path[:2] == edit.path[:2] for leaf in edit.document.leaves)
        if edit.before is not None and edit.after is None and (edit.is_removed or not has_service):
            is_gone = jobs and not self._runs_elsewhere(path, service)
            return Judgement(Effect.STOPPED, jobs) if is_gone else NOTHING
        member, last = edit.path[2] if len(edit.path) > 2 else "", edit.path[-1]
        if "environment" in edit.path or "env_file" in edit.path:
            is_added = edit.before is None and not jobs and not self._is_built(edit.document, service)
            return NOTHING if is_added else self._setting(path, edit, jobs or self.owners(path, edit))
        if member == "profiles":
            may_stop = jobs and edit.before is None and not self._has_twin(edit.document, service)
            return Judgement(Effect.UNKNOWN, jobs) if may_stop else NOTHING  # whoever starts it chooses the profile
        if last in resources.SERVICE.stops:
            return Judgement(Effect.STOPPED, jobs) if jobs and _turns(edit, resources.SERVICE.stops[last]) else NOTHING
        if not resources.SERVICE.harmless.isdisjoint(edit.path[2:]):
            return NOTHING
        if member in ("command", "entrypoint"):
            is_new = not self._had_service(path, service)
            return NOTHING if is_new else self._command(edit, jobs)
        return Judgement(Effect.UNKNOWN, jobs) if jobs and edit.before is not None else NOTHING

    @staticmethod
    def _service_images(edit: Setting, service: str) -> Iterator[str]:
        for leaf in edit.document.leaves:
            if leaf.path[:2] == ("services", service) and leaf.path[-1] in ("image", "build", "context"):
                yield leaf.value.rstrip("/").rpartition("/")[2].partition(":")[0]

    @staticmethod
    def _is_built(document: Document, service: str) -> bool:
        """Return whether the image of a service is built from the repository; any other one may be foreign software."""
        return any(leaf.path[:3] == ("services", service, "build") for leaf in document.leaves)

    @staticmethod
    def _has_twin(document: Document, service: str) -> bool:
        """Return whether another service of a compose file runs the same command, or the same image."""
        programs: dict[str, set[tuple[str, str]]] = {}
        for leaf in document.leaves:
            if leaf.path[:1] == ("services",) and leaf.path[2:3] in (("command",), ("build",), ("image",)):
                programs.setdefault(leaf.path[1], set()).add((leaf.path[2], leaf.value))
        own = programs.pop(service, set())
        return bool(own) and any(own <= other for other in programs.values())

    def _had_service(self, path: str, service: str) -> bool:
        documents = self._documents(path, "base")
        return any(leaf.path[:2] == ("services", service) for one in documents for leaf in one.leaves)

    def _runs_elsewhere(self, path: str, service: str) -> bool:
        """Return whether another compose file of the second commit has the service, whatever its name is."""
        for other in self._trees.head:
            if other != path and other.endswith((".yaml", ".yml")):
                text = self._objects.read(self._trees.head[other])
                for document in self._documents(other) if b"services:" in text and service.encode() in text else ():
                    if _is_compose(document) and any(
                        leaf.path[:2] == ("services", service) for leaf in document.leaves
                    ):
                        return True
        return False

    # --- Terraform

    def _terraform(self, path: str, edit: Setting) -> Judgement:
        block, _, kind = edit.document.kind.partition(" ")
        words = set(words_of(kind))
        if block != "resource":
            return self._terraform_value(edit)
        is_right = not resources.RIGHTS.isdisjoint(words)
        if resources.is_of_kafka("", kind) and (is_right or words.isdisjoint(resources.TERRAFORM_INFRASTRUCTURE)):
            if edit.is_added:
                return Judgement(Effect.UNKNOWN) if is_right and (edit.after or "").upper() == "DENY" else NOTHING
            if is_right:
                return Judgement(Effect.ACCESS, self._named(edit.values))
            if not {"lifecycle", "depends_on", "provider", "timeouts", "credentials", "rest_endpoint"}.isdisjoint(
                edit.path
            ):
                return NOTHING
            return self._terraform_member(path, edit, kind)
        return NOTHING  # a topic that it names is a mention

    def _terraform_member(self, path: str, edit: Setting, kind: str) -> Judgement:
        """Judge a member of a resource that is read, and compared unless another file declares the same."""
        name = edit.document.value("topic_name") or edit.document.value("name")
        is_plain = bool(name) and not {*name} & {*"${.[("} - {"."} and not name.startswith(_REFERENCES)
        is_copy = is_plain and {"topic", "connector"} & {*words_of(kind)} and not self._is_own(path, name)
        is_dropped = edit.is_removed and name in self._base.topics - self._head.topics
        if kind in RESOURCES and (is_dropped or not is_copy):
            return SHOWN
        is_harmless = meaning_of(all_words(edit.keys)) is Meaning.NOTHING or edit.path[-1] == "replication_factor"
        return NOTHING if is_harmless else Judgement(Effect.UNKNOWN)

    def _terraform_value(self, edit: Setting) -> Judgement:
        """Judge a variable, a local value or an argument of a module."""
        name = all_words((*edit.keys, edit.document.name, edit.document.kind))
        if edit.document.kind.partition(" ")[0] not in _VALUE_BLOCKS:
            return NOTHING  # providers, data and the settings of Terraform itself
        if self._is_declared(edit):
            return SHOWN
        is_added = edit.before is None and not _TAKES & set(name)
        if is_added or meaning_of(name) is Meaning.NOTHING or edit.path[:1] == ("{}",):
            return NOTHING
        is_hit = self._mentions(edit) or names_concept(name)
        return Judgement(Effect.UNKNOWN, self._named(edit.values)) if is_hit else NOTHING

    def _is_declared(self, edit: Setting) -> bool:
        """Return whether the value is a topic that only one of the commits declares."""
        changed = self._base.topics ^ self._head.topics
        return any(value in changed for value in edit.values)


def _is_compose(document: Document) -> bool:
    """Return whether a document has the services of a compose file, each with an image or what builds it."""
    return any(
        leaf.path[:1] == ("services",) and leaf.path[2:3] in (("image",), ("build",)) for leaf in document.leaves
    )


def runs_programs(document: Document) -> bool:
    """Return whether a document is a workload or a compose file, whose settings are looked up in what they run."""
    return document.kind in resources.WORKLOADS or _is_compose(document)


def _programs_of_services(documents: Iterable[Document]) -> dict[str, set[tuple[str, str]]]:
    """Return what each service of a compose file runs: its image without registry and version, or what builds it."""
    found: dict[str, set[tuple[str, str]]] = {}
    for leaf in (leaf for one in documents for leaf in one.leaves if leaf.path[:1] == ("services",)):
        programs = found.setdefault("".join(leaf.path[1:2]), set())
        match leaf.path[2:]:
            case ("image",):
                programs.add(("image", leaf.value.rpartition("/")[2].partition(":")[0].partition("@")[0]))
            case ("build",) | ("build", "context" | "dockerfile"):
                programs.add((leaf.path[-1], leaf.value))
    return found


_CLIENTS = frozenset(("kafka", "consumer", "producer", "listener", "publisher", "subscriber", "topic"))
_TAKES = frozenset(("deny", "denied", "exclude", "excluded", "except", "ignore", "ignored", "blacklist", "blocklist"))
_JOBS = frozenset(("FlinkDeployment", "FlinkSessionJob"))


_BINDING = re.compile(r"(?i)spring\.cloud\.stream\.(?:\w+\.(?:streams\.)?)?bindings\.([^.]+)")


_ADDRESS = re.compile(r"(?:[A-Za-z][\w+.-]{0,30}://)?[\w.-]{1,253}:\d{4,5}/?")


def _is_address(value: str | None) -> bool:
    """Return whether a value is where servers are: each of its parts is a host with a port."""
    return value is not None and all(_ADDRESS.fullmatch(part.strip()) for part in value.split(","))


def _settings_of(path: str, text: str) -> ApplicationSettings:
    settings = ApplicationSettings()
    for setting in read_settings(path, text):
        settings.add(setting)
    return settings


def is_values(path: str) -> bool:
    """Return whether a file holds the values of a chart."""
    return path.rpartition("/")[2].startswith("values") and path.endswith((".yaml", ".yml"))


_REFERENCES = ("var.", "local.", "each.", "module.", "data.", "count.")
_VALUE_BLOCKS = frozenset(("module", "locals", "variable", "output", ""))


def _is_job(edit: Setting) -> bool:
    """Return whether an object is a job of Flink, whatever it reads and writes."""
    return edit.document.kind in _JOBS


def _turns(edit: Setting, values: Collection[str]) -> bool:
    """Return whether a setting gets one of *values* and had another one."""
    after, before = (edit.after or "").lower(), (edit.before or "").lower()
    return edit.after is not None and after in values and before not in values


def _gravest(judgements: Sequence[Judgement]) -> Judgement:
    order = list(Effect)
    gravest = max(judgements, key=lambda one: order.index(one.effect), default=NOTHING)
    jobs = {job.flows.job.name: job for one in judgements if one.effect is gravest.effect for job in one.jobs}
    return Judgement(gravest.effect, tuple(jobs.values()))


def speaks_of_kafka(document: Document) -> bool:
    """Return whether a document has a setting of a client of Kafka, or names Kafka in a key or value."""
    for leaf in document.leaves:
        name = all_words(leaf.path)
        is_client = len(leaf.path[-1:]) > 0 and len(words_of(leaf.path[-1])) > 2 and meaning_of(name) is not None
        if "kafka" in name or is_client or is_of_framework(name) or "kafka" in words_of(leaf.value[:_LONGEST]):
            return True
    return False


_LONGEST = 200
