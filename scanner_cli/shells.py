"""Shells that complete commands: those of click, and PowerShell."""

from __future__ import annotations

from click.shell_completion import CompletionItem, FishComplete, add_completion_class

SHELLS = ("bash", "zsh", "fish", "powershell")
VARIABLE = "_SCANNER_COMPLETE"
"""The variable by which a script asks for completions."""

_SCRIPT = """\
Register-ArgumentCompleter -Native -CommandName %(prog_name)s -ScriptBlock {
    param($word, $command, $cursor)
    $line = $command.ToString().PadRight($cursor - $command.Extent.StartOffset)
    $env:COMP_WORDS = $line.Substring(0, $cursor - $command.Extent.StartOffset)
    $env:COMP_CWORD = $word
    $env:%(complete_var)s = 'powershell_complete'
    try {
        %(prog_name)s | Where-Object { $_ } | ForEach-Object {
            $value, $text = $_ -split "`t", 2
            [System.Management.Automation.CompletionResult]::new($value, $value, 'ParameterValue', $text)
        }
    } finally {
        Remove-Item Env:COMP_WORDS, Env:COMP_CWORD, Env:%(complete_var)s -ErrorAction SilentlyContinue
    }
}
"""


class PowerShellComplete(FishComplete):
    """Completion for PowerShell 5.1 and newer; it passes the words and the unfinished word as fish does."""

    name = "powershell"
    source_template = _SCRIPT

    def format_completion(self, item: CompletionItem[str]) -> str:
        """Return a value and its help; nothing for files, which PowerShell completes itself."""
        return f"{item.value}\t{item.help or item.value}" if item.type == "plain" else ""


def register() -> None:
    """Make click know PowerShell."""
    add_completion_class(PowerShellComplete)
