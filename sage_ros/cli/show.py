"""How verdicts and results look on a terminal and as JSON."""

import json
from dataclasses import asdict
from typing import Any

from rich.console import Console
from rich.text import Text

from sage_ros.contract.judgement import Decision, Verdict
from sage_ros.contract.plan import format_action
from sage_ros.contract.task import TaskResult

_COLOURS = {
    Decision.REFUSED: 'red',
    Decision.EXPIRED: 'red',
    Decision.HELD: 'yellow',
    Decision.DISCARDED: 'bright_black',
    Decision.ADMITTED: 'blue',
    Decision.CONFIRMED: 'green',
    Decision.MISMATCH: 'yellow',
    Decision.UNKNOWN: 'yellow',
    Decision.UNVERIFIED: 'cyan',
}


class Story:
    """Prints the verdicts of a task one by one."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._step = 0

    def __call__(self, verdict: Verdict) -> None:
        """Print one verdict: an admitted step with its number, any fate with its reason."""
        if verdict.decision is Decision.ADMITTED:
            self._step += 1
        line = Text()
        line.append(f'{self._step:>4} ' if verdict.decision is Decision.ADMITTED else '     ')
        line.append(f'{verdict.decision.name:<11}', style=_COLOURS[verdict.decision])
        line.append(f' {format_action(verdict.action, verdict.args, verdict.numbers)}')
        if verdict.reason:
            line.append(f'  {verdict.rule_id}: {verdict.reason}', style='bright_black')
        self._console.print(line, soft_wrap=True)


def print_result(console: Console, result: TaskResult) -> None:
    """Print the result of a task in a few lines."""
    facts = ', '.join(str(fact) for fact in result.goal_facts)
    if facts:
        console.print(Text(f'goal facts: {facts}'), soft_wrap=True)
    word, colour = ('done', 'green') if result.success else ('not done', 'red')
    line = Text(f'{word}: ', style=colour)
    line.append(f'{result.outcome.name}', style=f'bold {colour}')
    line.append(f' after {result.steps} steps in {result.wall_s:.1f} s')
    if result.reason:
        line.append(f': {result.reason}')
    console.print(line, soft_wrap=True)
    console.print(
        f'admitted {result.admitted}, refused {result.refused}, mismatches {result.mismatches}, '
        f'replans {result.replans}, model calls {result.calls}',
        style='bright_black',
    )


def as_json(result: TaskResult) -> str:
    """Write a result as one JSON object on one line."""
    content: dict[str, Any] = asdict(result)
    content['outcome'] = result.outcome.name
    content['goal_facts'] = [str(fact) for fact in result.goal_facts]
    return json.dumps(content)
