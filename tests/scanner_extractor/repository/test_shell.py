"""Scripts are expanded without running them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scanner_extractor.repository.shell import assignments, expand_script

FILES = {
    "add.sh": 'NAME=$(echo $1 | tr "[a-z]" "[A-Z]")\ncurl -d $\'{"name": "\'$NAME\'"}\' http://connect/connectors',
    "topics.txt": "orders\n\npayments\n",
}


def words(text: str, *arguments: str, **variables: str) -> list[tuple[str, ...]]:
    return [command.words for command in expand_script(text, variables, FILES.get, arguments=arguments)]


def test_variables_are_replaced_as_the_quotes_say():
    assert words("A=one\necho $A '$A' \"${A}s\" a\\$A") == [("echo", "one", "$A", "ones", "a$A")]


def test_an_unknown_variable_stays_as_it_is_written():
    assert words('echo "$URL" ${HOST:-localhost} ${PORT}') == [("echo", "$URL", "localhost", "${PORT}")]


def test_the_environment_has_values():
    assert words("echo $TOPIC", TOPIC="orders") == [("echo", "orders")]


def test_a_loop_runs_for_every_item_of_a_list_and_of_an_array():
    text = 'declare -a all=(a "b c")\nfor x in "${all[@]}"; do echo "$x"; done; for y in d e; do echo $y; done'
    assert words(text) == [("echo", "a"), ("echo", "b c"), ("echo", "d"), ("echo", "e")]


def test_a_loop_reads_the_lines_of_a_file():
    assert words("while IFS= read -r T\ndo create $T\ndone <$1", "topics.txt") == [
        ("create", "orders"),
        ("create", "payments"),
    ]


def test_a_script_that_is_called_has_its_arguments():
    listed = words("for t in orders; do\n  add.sh no\n  bash add.sh $t\ndone")
    assert ("curl", "-d", '{"name": "ORDERS"}', "http://connect/connectors") in listed


def test_a_function_runs_with_its_arguments():
    assert words("create() {\n  send $2\n}\ncreate broker orders")[-1] == ("send", "orders")


def test_a_here_document_is_expanded_unless_its_end_is_quoted():
    text = 'T=orders\nDATA=$(cat <<EOF\n{"t": "$T", "v": "a\\$b"}\nEOF\n)\ncurl -d "$DATA"\nsend <<\'END\'\n$T\nEND\n'
    commands = list(expand_script(text, {}, FILES.get))
    assert commands[0].words == ("curl", "-d", '{"t": "orders", "v": "a$b"}\n')
    assert commands[1].documents == ("$T\n",)


def test_commands_of_a_pipeline_belong_together():
    first, second, third = expand_script("a | \\\n b\nc", {}, FILES.get)
    assert first.pipeline == second.pipeline != third.pipeline


def test_a_script_that_calls_itself_ends():
    assert len(list(expand_script("bash me.sh", {}, lambda _: "bash me.sh"))) < 10


def test_assignments_of_an_environment_file():
    text = "# c\nexport A='one'\nB=\"two words\"\nC=three # why\n#D=four\nE=\n"
    assert dict(assignments(text)) == {"A": "one", "B": "two words", "C": "three", "E": ""}


@given(st.text(alphabet="abdonefrint $'\"`(){}<>|;&\n\\=EOF#", max_size=120))
def test_no_text_raises(text):
    for command in expand_script(text, {}, FILES.get):
        assert all(isinstance(word, str) for word in command.words)


HUGE = {
    "variables that double": "A0=topic\n"
    + "".join(f"A{i + 1}=$A{i}$A{i}$A{i}$A{i}\n" for i in range(40))
    + "echo $A40",
    "a variable that grows": "A=x\n" + "A+=$A$A\n" * 200 + "echo $A",
    "loops without a command": "for a in 1 2 3 4 5 6 7 8 9; do\n" * 12 + "A=x\n" + "done\n" * 12,
    "loops that are not closed": "for a in 1; do\n" * 2_000,
    "conditions that are not closed": "while x; do\n" * 2_000,
}


@pytest.mark.parametrize("text", HUGE.values(), ids=HUGE)
def test_a_script_that_would_run_for_ever_is_followed_in_part(text):
    assert sum(len("".join(command)) for command in words(text)) < 20_000_000
