"""A language model plans over real nodes; its server is a stand-in that replays replies."""

import json
import os
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / 'language'))
from fake_ollama import FakeOllama

GOAL = 'bring a clean mug over to the desk, please'
FACTS = {
    'facts': [
        {'predicate': 'in', 'args': ['?o:mug', '?r:desk'], 'value': True},
        {'predicate': 'clean', 'args': ['?o:mug'], 'value': True},
    ]
}
STEPS = (
    ('goto', 'cabinet_2'),
    ('open', 'cabinet_2'),
    ('pick', 'mug_1', 'cabinet_2'),
    ('goto', 'sinkbasin_1'),
    ('put', 'mug_1', 'sinkbasin_1'),
    ('toggle', 'sinkbasin_1'),
    ('pick', 'mug_1', 'sinkbasin_1'),
    ('goto', 'desk_1'),
    ('put', 'mug_1', 'desk_1'),
)


def test_a_goal_in_free_words_is_carried_out_with_a_model(ros_domain: int) -> None:
    replies = [json.dumps(FACTS)]
    replies += [json.dumps({'thought': '', 'action': a, 'args': args}) for a, *args in STEPS]
    command = [
        *(sys.executable, '-c', 'import sage_ros.cli; sage_ros.cli.main()', 'run', GOAL),
        *('--planner', 'ollama', '--model', 'test:1b', '--json'),
    ]
    with FakeOllama(replies) as fake:
        done = subprocess.run(
            command,
            capture_output=True,
            text=True,
            timeout=90,
            check=False,
            env={**os.environ, 'OLLAMA_HOST': fake.host},
        )
    assert done.returncode == 0, done.stderr
    result = json.loads(done.stdout)
    assert result['success']
    assert result['goal_facts'] == ['in(?o:mug, ?r:desk)', 'clean(?o:mug)']
    assert result['steps'] == len(STEPS)
    assert result['calls'] == len(replies)
    assert result['tokens']['input'] > 0
