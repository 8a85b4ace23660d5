"""The spool and the importer of its segments: what is on disk is stored, in whatever order things fail."""

import json
import os
import subprocess
import sys
import threading

import pytest
from waiting import wait_until

from dataflow_generator.openlineage.importer import SpoolImporter
from dataflow_generator.openlineage.spool import Spool, SpoolFull, whole_lines
from scanner_dictionary.write.events import EventSummary
from scanner_model.errors import DictionaryUnusable, InputInvalid


@pytest.fixture
def spool(tmp_path):
    """Return an empty spool."""
    spool = Spool(tmp_path / "spool", tmp_path / "aside.ndjson")
    yield spool
    spool.close()


def stored(spool: Spool) -> list[str]:
    return [line for file in spool.closed() for line in whole_lines(file)]


def test_a_line_cut_off_by_a_crash_is_left_out_and_the_rest_is_found_again(tmp_path) -> None:
    """It was never acknowledged; the next listener writes another segment."""
    first = Spool(tmp_path / "spool", tmp_path / "aside")
    first.append(("a", "b"))
    first.close()
    (file,) = (tmp_path / "spool").glob("*.ndjson")
    file.write_bytes(file.read_bytes() + b'{"half":')
    second = Spool(tmp_path / "spool", tmp_path / "aside")
    second.append(("c",))

    assert stored(second) == ["a", "b", "c"]
    second.close()


def test_two_listeners_do_not_share_a_spool(spool) -> None:
    """One would store and remove what the other writes."""
    with pytest.raises(InputInvalid):
        Spool(spool.directory, spool.directory / "aside")


def test_too_many_who_wait_are_turned_away(tmp_path) -> None:
    """A queue without an end would only hide that the disk is too slow."""
    spool = Spool(tmp_path / "spool", tmp_path / "aside", waiting=1)
    results: list[str] = []

    def keep() -> None:
        try:
            spool.append(("x",))
            results.append("kept")
        except SpoolFull:
            results.append("full")

    with spool._turn:  # the disk takes its time
        threads: list[threading.Thread] = []
        while "full" not in results:
            threads.append(threading.Thread(target=keep))
            threads[-1].start()
            threads[-1].join(0.05)
            assert len(threads) < 20
    for thread in threads:
        thread.join()

    assert results.count("full") == 1
    assert results.count("kept") == len(threads) - 1
    spool.close()


def test_what_the_dictionary_does_not_take_stays_in_the_spool(spool, producer, tmp_path) -> None:
    """It is reported once, and stored when the dictionary is back."""
    spool.append((json.dumps(producer.run_event()), "no event"))
    down = [True]
    output: list[str] = []

    def store(events):
        if down[0]:
            raise DictionaryUnusable("the dictionary is in use", where="d.db")
        return EventSummary(len(events), 0)

    keeping = SpoolImporter(spool, store, tmp_path / "aside.ndjson", output.append)
    keeping.store_all()
    keeping.store_all()
    error = keeping.error
    down[0] = False
    keeping.store_all()

    assert "in use" in error
    assert len(output) == 1
    assert (keeping.result.stored, keeping.result.refused, keeping.error) == (1, 1, "")
    assert spool.size() == 0


def test_the_size_of_the_spool_is_known_without_a_look_at_the_disk(tmp_path) -> None:
    """Metrics show it, and a disk may hang; what an operator removes is noticed with the next import."""
    spool = Spool(tmp_path / "spool", tmp_path / "aside", largest=5)
    spool.append(("four",))
    first, _ = spool.size(), spool.append(("x",))
    with pytest.raises(SpoolFull):
        spool.append(("y",))
    for file in spool.closed():
        file.unlink()
    spool.closed()

    assert (first, spool.size()) == (5, 0)
    spool.close()
    (tmp_path / "spool" / "0000000009.ndjson").write_text("{}\n")
    again = Spool(tmp_path / "spool", tmp_path / "aside")
    assert again.size() == 3
    again.close()


def test_storing_goes_on_by_itself_until_it_is_stopped(spool, producer, tmp_path) -> None:
    """And what is there at the end is stored before it ends."""
    keeping = SpoolImporter(spool, lambda events: EventSummary(len(events), 0), tmp_path / "aside", print)
    keeping.start()
    spool.append((json.dumps(producer.run_event()),))
    wait_until(lambda: keeping.result.stored)
    spool.append((json.dumps(producer.run_event("START")),))
    keeping.stop()

    assert keeping.result.stored == 2


def test_a_disk_that_keeps_nothing_is_reported_and_nothing_half_written_stays(tmp_path) -> None:
    """Whoever waited sends it again, to a disk with room."""
    spool = Spool(tmp_path / "spool", tmp_path / "no" / "aside")
    keeping = SpoolImporter(spool, lambda events: EventSummary(len(events), 0), tmp_path / "aside", print)
    with pytest.raises(SpoolFull) as error:
        spool.append(("a",), ("refused",))

    assert "cannot be written to disk" in str(error.value)
    assert "cannot be written" in "".join(keeping.problems())
    spool.append(("a",))
    assert keeping.problems() == []
    spool.close()


def test_a_segment_that_cannot_be_read_is_set_aside_and_reported_and_the_others_are_stored(spool, producer, tmp_path):
    """A disk's error or another user's file must not end the storing of events in silence."""
    (spool.directory / "0000000000.ndjson").symlink_to("/nowhere")
    os.mkfifo(spool.directory / "0000000000.5.ndjson")
    spool.append((json.dumps(producer.run_event()),))
    output: list[str] = []
    keeping = SpoolImporter(
        spool, lambda events: EventSummary(len(events), 0), tmp_path / "aside.ndjson", output.append
    )

    assert keeping.store_all()
    assert (keeping.result.stored, len(output)) == (1, 2)
    assert "2 unreadable segments" in "".join(keeping.problems())
    assert keeping.store_all()
    assert len(output) == 2


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
def test_a_storing_thread_that_ended_is_reported(spool, producer, tmp_path) -> None:
    """Even after an error that nobody thought of."""
    ended = threading.Event()

    def store(_):
        ended.set()
        raise SystemExit  # ends a thread without a word

    keeping = SpoolImporter(spool, store, tmp_path / "aside.ndjson", print)
    spool.append((json.dumps(producer.run_event()),))
    keeping.start()
    assert ended.wait(10)
    keeping._thread.join(10)

    assert "has ended" in "".join(keeping.problems())


def test_a_disk_that_takes_a_part_of_a_write_acknowledges_nothing_of_it(tmp_path) -> None:
    """The kernel reports no error then; a limit on the size of files does what a full disk does."""
    code = """
import resource, sys
from pathlib import Path
from dataflow_generator.openlineage.spool import Spool, SpoolFull, whole_lines
spool = Spool(Path(sys.argv[1]), Path(sys.argv[1]) / "aside")
resource.setrlimit(resource.RLIMIT_FSIZE, (1000, resource.RLIM_INFINITY))
kept = []
for number in range(9):
    try:
        spool.append((f"{number}" * 300,))
        kept.append(f"{number}" * 300)
    except SpoolFull:
        print("refused", number)
found = [line for file in spool.closed() for line in whole_lines(file)]
assert found == kept, (found, kept)
"""
    process = subprocess.run([sys.executable, "-c", code, str(tmp_path)], capture_output=True, text=True, check=True)

    assert process.stdout.splitlines() == ["refused 3", "refused 7"]


def test_a_spool_that_everyone_can_write_into_is_refused(tmp_path) -> None:
    """Others could put events into it, or take them out."""
    (tmp_path / "spool").mkdir()
    (tmp_path / "spool").chmod(0o777)

    with pytest.raises(InputInvalid, match="everyone can write"):
        Spool(tmp_path / "spool", tmp_path / "aside")
