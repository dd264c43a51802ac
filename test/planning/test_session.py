"""A session ends its episode in every case, with an outcome and a reason, within bounds."""

from collections.abc import Iterable

import pytest
from fakes import EPISODE, GOAL, STEP, FakeBackend, FakeLink, confirm, ended, fates, stranger

from sage_ros.contract.judgement import Decision, Episode, EpisodeOutcome, Verdict
from sage_ros.contract.plan import Plan
from sage_ros.contract.remembering import ContextReply, ContextRequest
from sage_ros.contract.requests import EndCause
from sage_ros.contract.task import TaskRequest, TaskResult
from sage_ros.planning.backend import BackendError, Done, GoalError, NoPlan, Proposal
from sage_ros.planning.session import Limits, run_task

GO = Proposal((STEP,))
REQUEST = TaskRequest(goal='go to the desk')


def run(link: FakeLink, backend: FakeBackend, **options: object) -> TaskResult:
    return run_task(link, REQUEST, lambda _: backend, **options)


def success(plan: Plan) -> list[Verdict | Episode]:
    return [*confirm(plan), ended(EpisodeOutcome.SUCCESS, 'the goal facts hold')]


def refuse(plan: Plan) -> list[Verdict]:
    return fates(plan, Decision.REFUSED)


def nothing(plan: Plan) -> Iterable[Verdict | Episode]:
    return ()


def test_goal_reached() -> None:
    link, seen = FakeLink(success), []
    result = run(link, FakeBackend([GO]), on_verdict=seen.append)
    assert result.success
    assert result.outcome is EpisodeOutcome.SUCCESS
    assert result.actions == ('go to desk 1',)
    assert (result.steps, result.admitted, result.refused, result.replans) == (1, 1, 0, 0)
    assert result.goal_facts == GOAL == link.goals[0]
    assert result.episode_id == EPISODE
    assert [v.decision for v in seen] == [Decision.ADMITTED, Decision.CONFIRMED]
    assert link.ended_by is None
    assert link.plans[0].based_on_seq == 1
    assert link.plans[0].planner == 'fake'


def test_no_plan_is_asked_for_when_the_end_comes_just_behind_the_last_fate() -> None:
    class LateEnd(FakeLink):
        def context(self, request: ContextRequest, timeout_s: float) -> ContextReply:
            if self.plans:
                self._inbox.append(ended(EpisodeOutcome.SUCCESS))
            return super().context(request, timeout_s)

    backend = FakeBackend([GO, GO])
    assert run(LateEnd(), backend).success
    assert len(backend.contexts) == 1


def test_empty_goal_takes_the_environments_own() -> None:
    backend = FakeBackend([GO])
    result = run_task(FakeLink(success), TaskRequest(), lambda _: backend)
    assert result.goal == 'what the world asks'
    assert backend.contexts[0].goal_text == 'what the world asks'


def test_own_claim_is_no_success() -> None:
    link = FakeLink()
    result = run(link, FakeBackend([Done('looks fine')]))
    assert not result.success
    assert result.outcome is EpisodeOutcome.CLAIMED
    assert link.ended_by is not None
    assert link.ended_by.cause is EndCause.CLAIMED


def test_no_plan_says_why() -> None:
    result = run(FakeLink(), FakeBackend([NoPlan('no mug anywhere')]))
    assert (result.outcome, result.reason) == (EpisodeOutcome.NO_PLAN, 'no mug anywhere')


def test_goal_that_is_not_understood_ends_before_the_first_plan() -> None:
    link = FakeLink()
    result = run(link, FakeBackend([GO], wanted=GoalError("'dance' is of no form")))
    assert result.outcome is EpisodeOutcome.NO_PLAN
    assert "'dance'" in result.reason
    assert link.plans == []


def test_goal_that_the_monitor_refuses() -> None:
    link = FakeLink(refuse_goal='unknown object mug_9')
    result = run(link, FakeBackend([GO]))
    assert result.outcome is EpisodeOutcome.ERROR
    assert 'mug_9' in result.reason
    assert link.plans == []


def test_step_limit_counts_what_was_carried_out_and_cuts_the_last_plan() -> None:
    link = FakeLink(confirm)
    result = run_task(
        link,
        TaskRequest(goal='g', max_steps=5),
        lambda _: FakeBackend([Proposal((STEP, STEP))]),
    )
    assert result.outcome is EpisodeOutcome.STEP_LIMIT
    assert result.steps == 5
    assert [len(plan.steps) for plan in link.plans] == [2, 2, 1]


def test_refusals_in_a_row_are_bounded_and_the_reason_is_kept() -> None:
    link, backend = FakeLink(refuse), FakeBackend([GO])
    result = run(link, backend)
    assert result.outcome is EpisodeOutcome.NO_PLAN
    assert 'because' in result.reason
    assert result.refused == len(link.plans) == Limits().refused
    assert result.replans == Limits().refused - 1
    assert backend.contexts[1].refusal == 'goto(desk_1) REFUSED: because'


def test_refused_action_is_barred_for_the_same_belief() -> None:
    link, backend = FakeLink(refuse), FakeBackend([GO])
    run(link, backend)
    assert not backend.contexts[0].barred
    assert {str(action) for action in backend.contexts[-1].barred} == {'goto(desk_1)'}


@pytest.mark.parametrize(
    ('silent', 'outcome', 'missing'),
    [
        ('bridge', EpisodeOutcome.BRIDGE_LOST, 'no bridge within 5 s'),
        ('begin_episode', EpisodeOutcome.ERROR, 'no begin_episode'),
        ('context', EpisodeOutcome.ERROR, 'no context within 5 s'),
        ('set_goal', EpisodeOutcome.ERROR, 'no set_goal within 10 s'),
    ],
)
def test_nobody_answers_is_said_by_a_deadline(
    silent: str, outcome: EpisodeOutcome, missing: str
) -> None:
    link = FakeLink(silent=(silent,))
    result = run(link, FakeBackend([GO]))
    assert not result.success
    assert result.outcome is outcome
    assert missing in result.reason
    assert link.plans == []


def test_monitor_that_gives_no_fate_is_given_up() -> None:
    link = FakeLink(nothing, silent=('end_episode',))
    result = run(link, FakeBackend([GO]))
    assert result.outcome is EpisodeOutcome.ERROR
    assert 'no fate for goto(desk_1)' in result.reason
    assert 'could not be ended' in result.reason
    # The deadline of goto in home is 60 s, and the monitor has waits of its own.
    assert link.now() < 120_000_000_000


def test_events_of_other_episodes_are_not_counted() -> None:
    def answer(plan: Plan) -> list[Verdict | Episode]:
        strange = [stranger(event) for event in success(plan)]
        return [*strange, *success(plan)]

    result = run(FakeLink(answer), FakeBackend([GO]))
    assert result.success
    assert result.admitted == 1


def test_fates_that_come_after_the_end_are_counted() -> None:
    def answer(plan: Plan) -> list[Verdict | Episode]:
        return [ended(EpisodeOutcome.SUCCESS), *confirm(plan)]

    result = run(FakeLink(answer), FakeBackend([GO]))
    assert result.success
    assert result.steps == 1


@pytest.mark.parametrize('calls', [0, 1, 3, 5])
def test_cancelled_at_any_time(calls: int) -> None:
    asked = []

    def cancelled() -> bool:
        asked.append(1)
        return len(asked) > calls

    link = FakeLink(nothing)
    result = run(link, FakeBackend([GO]), cancelled=cancelled)
    assert result.outcome is EpisodeOutcome.CANCELLED
    assert link.ended_by is not None
    assert link.ended_by.cause is EndCause.CANCELLED


def test_hold_is_waited_out() -> None:
    def answer(plan: Plan) -> list[Verdict | Episode]:
        return success(plan) if plan.plan_seq > 20 else list(fates(plan, Decision.HELD))

    link = FakeLink(answer)
    result = run(link, FakeBackend([GO]))
    assert result.success
    assert len(link.plans) == 21
    assert link.now() > 20_000_000_000


def test_endless_hold_is_given_up() -> None:
    def answer(plan: Plan) -> list[Verdict]:
        return fates(plan, Decision.HELD)

    result = run(FakeLink(answer), FakeBackend([GO]), limits=Limits(held=10.0))
    assert result.outcome is EpisodeOutcome.ERROR
    assert 'held for 10 s' in result.reason


def test_fault_of_a_backend_ends_the_episode_and_is_raised() -> None:
    link = FakeLink()
    with pytest.raises(ZeroDivisionError):
        run(link, FakeBackend([ZeroDivisionError('oops')]))
    assert link.ended_by is not None
    assert link.ended_by.cause is EndCause.ERROR
    assert 'oops' in link.ended_by.reason


def test_backend_that_cannot_be_used_begins_no_episode() -> None:
    def unusable(_: object) -> FakeBackend:
        raise BackendError('model missing: ollama pull qwen3:8b')

    link = FakeLink()
    result = run_task(link, REQUEST, unusable)
    assert result.outcome is EpisodeOutcome.ERROR
    assert 'ollama pull qwen3:8b' in result.reason
    assert link.begun == []


def test_wrong_environment_is_an_error_before_anything_moves() -> None:
    link = FakeLink()
    with pytest.raises(ValueError, match='home, not alfworld'):
        run_task(link, TaskRequest(environment='alfworld'), lambda _: FakeBackend([GO]))
    assert link.begun == []


def test_an_executor_that_does_not_exist_is_an_error_before_anything_moves() -> None:
    link = FakeLink(success)
    with pytest.raises(ValueError, match="unknown executor 'batched'"):
        run_task(link, TaskRequest(goal='x', executor='batched'), lambda _: FakeBackend([GO]))
    assert link.plans == []
