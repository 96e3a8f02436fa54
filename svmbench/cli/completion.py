"""``svmbench completion``: the shell function for completion."""

from __future__ import annotations

from collections.abc import Sequence

from svmbench.cli._parser import Parser


def main(arguments: Sequence[str]) -> int:
    """Print the function for a shell."""
    parser = Parser(
        "completion",
        'Print the completion script for a shell. In ~/.bashrc: eval "$(svmbench completion bash)"; in '
        '~/.zshrc, after compinit: eval "$(svmbench completion zsh)".',
    )
    parser.add_argument("shell", choices=("bash", "zsh"), help="the shell")

    from svmbench.cli._candidates import SCRIPTS

    print(SCRIPTS[parser.parse_args(arguments).shell], end="")
    return 0
