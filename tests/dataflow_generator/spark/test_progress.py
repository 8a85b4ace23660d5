"""The tasks of Spark are counted over all stages that run."""

from types import SimpleNamespace

from dataflow_generator.spark.session import TASKS, StageProgress


def tracker(running: dict[int, tuple[int, int] | None]) -> SimpleNamespace:
    """Return of the stages that run, as Spark's status tracker; of one that ends between two questions nothing."""
    infos = {
        stage: told and SimpleNamespace(numCompletedTasks=told[0], numTasks=told[1]) for stage, told in running.items()
    }
    return SimpleNamespace(getActiveStageIds=lambda: list(infos), getStageInfo=infos.__getitem__)


def heard() -> tuple[list[tuple[str, int, int | None]], StageProgress]:
    said: list[tuple[str, int, int | None]] = []
    return said, StageProgress(lambda *each: said.append(each))


def test_tasks_of_all_stages_are_added_up() -> None:
    """Two jobs of one command run side by side, or after each other."""
    said, seen = heard()
    seen.poll(tracker({1: (3, 4), 2: (0, 10)}))
    seen.poll(tracker({2: (5, 10), 3: None}))

    assert said == [(TASKS, 3, 14), (TASKS, 9, 14)]


def test_nothing_is_reported_before_a_stage_began() -> None:
    """A bar of none of none says nothing."""
    said, seen = heard()
    seen.poll(tracker({}))

    assert said == []


def test_what_a_server_reports_by_itself_is_passed_on() -> None:
    """A Spark Connect server answers no questions about its stages, and says them while it works."""
    said, seen = heard()
    seen.on_update([SimpleNamespace(stage_id=1, num_completed_tasks=2, num_tasks=3)], inflight_tasks=1, done=False)
    seen.on_update(None, inflight_tasks=0, done=True)

    assert said == [(TASKS, 2, 3), (TASKS, 3, 3)]
