"""The fate of the running step: its outcome, what was observed after it, and the judge."""

from collections.abc import Callable, Iterator

from sage_ros.contract.execution import Failure, Outcome, Status
from sage_ros.contract.judgement import Decision, Stage
from sage_ros.contract.judging import Judgement, JudgeReply, JudgeRequest
from sage_ros.contract.plan import ExpectationKind
from sage_ros.monitoring.matching import Match, compare, failure_phrase
from sage_ros.monitoring.plans import Plans, failed_rule
from sage_ros.monitoring.rule_ids import Rule
from sage_ros.monitoring.session import Lost, Running, Session
from sage_ros.scene.belief import Belief
from sage_ros.scene.observation import Observation
from sage_ros.symbols.facts import Value

_ENDS = {
    Status.FAILED: Rule.OUTCOME_FAILED,
    Status.REFUSED: Rule.OUTCOME_REFUSED,
    Status.STOPPED: Rule.OUTCOME_STOPPED,
    Status.UNKNOWN: Rule.OUTCOME_UNKNOWN,
}
_JUDGED = {
    Judgement.HOLDS: (Decision.CONFIRMED, Rule.JUDGE_HOLDS),
    Judgement.VIOLATED: (Decision.MISMATCH, Rule.JUDGE_VIOLATED),
    Judgement.CANNOT_TELL: (Decision.MISMATCH, Rule.JUDGE_CANNOT_TELL),
}


class Fates:
    """Follows the running command to its end and gives its step one fate."""

    def __init__(self, session: Session, plans: Plans) -> None:
        self._session = session
        self._plans = plans

    def timers(self) -> Iterator[tuple[int, Callable[[], None]]]:
        """Iterate over what happens by itself and when."""
        running = self._session.running
        if running is not None:
            yield running.wait_until, self._give_up

    # ------------------------------------------------------------ inputs

    def ended(self, outcome: Outcome) -> None:
        """Take the outcome of a command; one that is not waited for is only counted."""
        session, running = self._session, self._session.running
        lost = session.lost
        if lost is not None and outcome.command_id == lost.command_id:
            session.lost = None
            session.heard_at = session.clock.time
            session.counts['outcome.late'] += 1
        elif running is None or outcome.command_id != running.command.command_id:
            session.counts['outcome.unexpected'] += 1
        elif running.outcome is not None:
            session.counts['outcome.doubled'] += 1
        else:
            session.heard_at = session.clock.time
            running.outcome = outcome
            running.wait_until = session.after(session.config.observation_timeout)
            self._judge(running)

    def observed(self, observation: Observation) -> bool:
        """Take an observation that is folded in; False if it belongs to no running command.

        The belief that counts is the first one that holds the command's own observation and
        missed nothing before it.
        """
        running = self._session.running
        if running is None:
            return False
        own = observation.command_id == running.command.command_id
        if own and running.observation is None:
            running.observation = observation
        belief, first = self._session.belief, running.observation
        complete = first is not None and not belief.stale and belief.seq >= first.seq
        if complete and running.seen is None:
            running.seen = belief
            self._judge(running)
        return own

    def replied(self, reply: JudgeReply) -> None:
        """Take a reply of the judge; one that is not waited for is only counted."""
        session, running = self._session, self._session.running
        if (
            running is None
            or not running.judging
            or reply.command_id != running.command.command_id
        ):
            session.counts['judge.unexpected'] += 1
            return
        decision, rule = _JUDGED[reply.judgement]
        reason = f'{reply.reason} (score {reply.score:.2f})'.lstrip()
        self._close(decision, Stage.OBSERVATION, Match(Value.UNKNOWN, rule, reason))

    def abandon(self, reason: str) -> None:
        """End waiting for the running command, whose fate nobody will know."""
        if self._session.running is not None:
            match = Match(Value.UNKNOWN, Rule.EPISODE_ENDED, reason)
            self._close(Decision.UNKNOWN, Stage.EXECUTION, match)

    # ------------------------------------------------------------ judging

    def _judge(self, running: Running) -> None:
        """Give the fate as soon as outcome and observation allow it."""
        outcome = running.outcome
        if outcome is None:
            return
        if outcome.status is Status.UNKNOWN:
            self._close(Decision.UNKNOWN, Stage.EXECUTION, _end_of(outcome), distrust=True)
        elif outcome.status is Status.REFUSED:
            # Nothing was executed, so there is nothing to observe either.
            self._close(Decision.MISMATCH, Stage.EXECUTION, _end_of(outcome))
        elif running.seen is None:
            return
        elif outcome.status is Status.DONE:
            self._compare(running, running.seen)
        else:
            self._close(Decision.MISMATCH, Stage.EXECUTION, _end_of(outcome))

    def _compare(self, running: Running, seen: Belief) -> None:
        """Compare what the step expected with what was observed after it."""
        session, step = self._session, running.step
        assert running.observation is not None
        text, expected = running.observation.text, step.expectation
        phrase = failure_phrase(session.table.failure_phrases, expected, text)
        if phrase is not None:
            match = Match(Value.FALSE, Rule.TEXT_FAILURE, f'observed {phrase!r}')
            self._close(Decision.MISMATCH, Stage.OBSERVATION, match)
            return
        if expected.kind is ExpectationKind.NONE:
            match = Match(Value.TRUE, Rule.EXPECTATION_NONE)
            self._close(Decision.UNVERIFIED, Stage.OBSERVATION, match)
            return
        # A step that was tried on unknown facts is always compared.
        if step.skip and step.action in session.table.skippable and not running.unknown_facts:
            match = Match(Value.TRUE, Rule.EXPECTATION_SKIPPED)
            self._close(Decision.UNVERIFIED, Stage.OBSERVATION, match)
            return
        try:
            match = compare(expected, seen.value, text)
        except Exception as error:
            refusal = failed_rule(error)
            match = Match(Value.FALSE, refusal.rule, refusal.reason)
        if match.value is Value.TRUE:
            self._close(Decision.CONFIRMED, Stage.OBSERVATION, match)
        elif match.value is Value.UNKNOWN and session.config.judge:
            self._ask(running)
        else:
            self._close(Decision.MISMATCH, Stage.OBSERVATION, match)

    def _ask(self, running: Running) -> None:
        """Ask the judge what neither facts nor words can tell."""
        session, observation = self._session, running.observation
        assert observation is not None
        running.judging = True
        running.wait_until = session.after(session.config.judge_timeout)
        session.effects.append(
            JudgeRequest(
                header=session.header(),
                episode_id=observation.episode_id,
                command_id=running.command.command_id,
                observation_seq=observation.seq,
                image_stamp=observation.header.stamp,
                action=running.step.action,
                args=running.step.args,
                expectation=running.step.expectation,
                text=observation.text,
            )
        )

    def _give_up(self) -> None:
        """Give the fate of a step for which an outcome, an observation or a reply is missing."""
        session, running = self._session, self._session.running
        assert running is not None
        outcome = running.outcome
        if outcome is None:
            session.stop(f'no outcome of {running.command}')
            wait = session.config.bridge_timeout
            session.lost = Lost(running.command.command_id, session.after(wait))
            match = Match(Value.UNKNOWN, Rule.OUTCOME_MISSING, 'no outcome after the deadline')
            self._close(Decision.UNKNOWN, Stage.EXECUTION, match, distrust=True)
        elif running.judging:
            reason = f'no reply within {session.config.judge_timeout:.1f} s'
            match = Match(Value.UNKNOWN, Rule.JUDGE_TIMEOUT, reason)
            self._close(Decision.MISMATCH, Stage.OBSERVATION, match)
        elif outcome.status is Status.DONE:
            what = 'observation' if running.observation is None else 'snapshot after a gap'
            reason = f'no {what} within {session.config.observation_timeout:.1f} s of the outcome'
            match = Match(Value.UNKNOWN, Rule.OBSERVATION_MISSING, reason)
            self._close(Decision.UNKNOWN, Stage.OBSERVATION, match, distrust=True)
        else:
            self._close(Decision.MISMATCH, Stage.EXECUTION, _end_of(outcome), distrust=True)

    def _close(
        self, decision: Decision, stage: Stage, match: Match, *, distrust: bool = False
    ) -> None:
        """Give the running step its fate; a mismatch or an unknown fate ends its batch.

        With ``distrust`` the world has to be looked at again before anything else is admitted.
        """
        session, running = self._session, self._session.running
        assert running is not None
        batch = running.batch
        session.running = None
        session.judged = True
        session.verdict(
            batch,
            running.index,
            stage,
            decision,
            match.rule,
            match.reason,
            facts=match.facts,
            unknown_facts=match.unknown_facts,
            command_id=running.command.command_id,
            belief=running.seen,
        )
        unknown = decision is Decision.UNKNOWN
        session.unknowns = session.unknowns + 1 if unknown else 0
        ends = unknown or (decision is Decision.MISMATCH and not batch.plan.run_on)
        if ends and session.batch is batch:
            reason = f'step {running.index} ended the batch: {match.rule.value}'
            self._plans.drop(Decision.DISCARDED, Rule.BATCH_ENDED, reason)
        if session.batch is None:
            session.idle_since = session.clock.time
        if distrust:
            session.distrust()


def _end_of(outcome: Outcome) -> Match:
    """Say by its outcome why a step did not get done."""
    failure = '' if outcome.failure is Failure.NONE else outcome.failure.name
    reason = ': '.join(part for part in (failure, outcome.reason) if part)
    return Match(Value.FALSE, _ENDS[outcome.status], reason)
