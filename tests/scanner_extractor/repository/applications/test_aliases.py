"""What files of settings say about the meaning of imports."""

from __future__ import annotations

import pytest

from scanner_extractor.repository.applications.aliases import EVERY, resolution


@pytest.mark.parametrize(
    ("path", "before", "after", "names"),
    [
        (
            "tsconfig.json",
            '{"compilerOptions": {"paths": {"@s/*": ["a/*"]}}}',
            '{"compilerOptions": {"paths": {"@s/*": ["b/*"]}}}',
            {"@s"},
        ),
        ("jsconfig.json", '{"compilerOptions": {"strict": true}}', '{"compilerOptions": {"baseUrl": "src"}}', {EVERY}),
        ("libs/s/package.json", '{"name": "@x/s", "main": "a.js"}', '{"name": "@x/s", "main": "b.js"}', {"@x/s"}),
        ("package.json", '{"dependencies": {"s": "file:a"}}', '{"dependencies": {"s": "file:b"}}', {"s"}),
        ("package.json", '{"name": "a", "version": "1"}', '{"name": "a", "version": "2"}', set()),
        ("package.json", '{"dependencies": {"lodash": "4"}}', '{"dependencies": {"lodash": "5"}}', set()),
        ("go.mod", "module a\n\nreplace x/s => ./a\n", "module a\n\nreplace x/s => ./b\n", {"x/s"}),
        ("a.json", '{"main": "a"}', '{"main": "b"}', set()),
    ],
)
def test_settings_say_what_imports_mean(path, before, after, names) -> None:
    """Those that mean something else now have another value."""
    old, new = resolution(path, before), resolution(path, after)

    assert {name for name in old.keys() | new.keys() if old.get(name) != new.get(name)} == names
