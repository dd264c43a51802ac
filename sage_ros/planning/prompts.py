"""What a language model is told: the goal to be turned into facts, and the next step to choose."""

from collections.abc import Iterable

from sage_ros.contract.execution import Status
from sage_ros.contract.remembering import Transition
from sage_ros.planning.backend import Context
from sage_ros.symbols.domain import Domain
from sage_ros.symbols.facts import format_atom

GOAL_SYSTEM = """\
You translate a goal in plain words into facts about objects. Answer with one JSON object:
{"thought": "...", "facts": [{"predicate": "in", "args": ["?o:mug", "?r:desk"], "value": true}]}
An argument is the name of a known object, or a variable ?name:type for any object of a type.
Different variables are different objects, the same variable is the same object in all facts.
Say only what the goal says; use no predicate, type or object that is not listed."""

STEP_SYSTEM = """\
You control a robot with one hand, one action at a time. A monitor checks every action and
refuses what cannot be done. Answer with one JSON object:
{"thought": "one short sentence", "action": "goto", "args": ["desk_1"], "done": false}
Use only the listed actions with known objects of the listed types, in this order of arguments.
Do not repeat an action that failed. When all goal facts hold, answer {"done": true}."""

_RECENT = 8


def goal_prompt(text: str, context: Context, domain: Domain) -> str:
    """Ask for the facts of a goal."""
    thing, place = domain.predicates['in']
    predicates = (format_atom((name, *types)) for name, types in domain.predicates.items())
    return '\n'.join(
        (
            f'GOAL: {text}',
            f'PREDICATES: {", ".join(predicates)}',
            f'TYPES of {thing}: {", ".join(sorted(domain.types.subtypes(thing)))}',
            f'TYPES of {place}: {", ".join(sorted(domain.types.subtypes(place)))}',
            f'KNOWN OBJECTS: {", ".join(context.belief.objects)}',
        )
    )


def step_prompt(context: Context, domain: Domain, actions: Iterable[str]) -> str:
    """Ask for the next step."""
    lines = [
        f'GOAL: {context.goal_text}',
        f'GOAL FACTS: {context.goal}',
        'ACTIONS:',
    ]
    for name in actions:
        types = (p.type for p in domain.actions[name].parameters)
        lines.append(f'  {format_atom((name, *types))}')
    lines += ['SCENE:', context.text, f'LAST OBSERVATION: {context.observation_text}']
    if context.transitions:
        lines.append('LAST ACTIONS:')
        lines += [f'  {_told(t)}' for t in context.transitions[-_RECENT:]]
    if context.refusal:
        lines.append(f'LAST PROPOSAL: {context.refusal}')
    futile = sorted(context.barred | context.failed_here)
    if futile:
        lines.append(f'DO NOT TRY AGAIN NOW: {", ".join(map(str, futile))}')
    if context.loop_warning:
        lines.append(f'WARNING: {context.loop_warning}')
    lines.append(f'STEPS LEFT: {context.steps_left}')
    return '\n'.join(lines)


def _told(transition: Transition) -> str:
    action = format_atom((transition.action, *transition.args))
    if transition.status is Status.DONE:
        return f'{action}: {transition.text or "done"}'
    return f'{action}: {transition.status.name.lower()}: {transition.reason or transition.text}'
