"""Dispatch of the next step: expiry, freshness, words, preconditions, and then its command."""

from collections.abc import Callable, Iterator
from dataclasses import replace

from sage_ros.contract.execution import Command
from sage_ros.contract.judgement import Decision, Stage
from sage_ros.contract.plan import PlanStep
from sage_ros.monitoring.admission import Refusal, overlay
from sage_ros.monitoring.plans import Plans, failed_rule
from sage_ros.monitoring.rule_ids import Rule
from sage_ros.monitoring.session import Batch, Running, Session, nanoseconds
from sage_ros.symbols.facts import Fact


class Dispatcher:
    """Judges the steps of the batch in hand one by one and sends those that are admitted."""

    def __init__(self, session: Session, plans: Plans) -> None:
        self._session = session
        self._plans = plans

    def timers(self) -> Iterator[tuple[int, Callable[[], None]]]:
        """Iterate over what happens by itself and when."""
        batch = self._session.batch
        if batch is not None and batch.wait_until is not None:
            yield batch.wait_until, self._give_up_waiting

    def advance(self) -> bool:
        """Judge the next step; False if there is none or it has to wait."""
        session, batch = self._session, self._session.batch
        if batch is None or not self._free():
            return False
        plan, now = batch.plan, session.clock.now
        if plan.valid_until and plan.valid_until <= now:
            late = (now - plan.valid_until) / 1e9
            reason = f'valid until {late:.3f} s ago'
            self._plans.drop(Decision.EXPIRED, Rule.PLAN_EXPIRED, reason)
            return True
        if session.belief.stale:
            if batch.wait_until is None:
                batch.wait_until = session.after(session.config.observation_max_age)
                session.ask_resync()
            return False
        batch.wait_until = None
        judged = self._judge(batch.steps[batch.next])
        if isinstance(judged, Refusal):
            self._refuse(batch, judged)
        else:
            self._send(batch, judged)
        return True

    def recheck(self) -> None:
        """Judge the rest of the batch again after the world has changed by itself.

        The next step is judged on what the running command is predicted to lead to. Of later
        ones only the words: they may depend on effects of steps before them.
        """
        session, batch, running = self._session, self._session.batch, self._session.running
        if batch is None or running is None or batch.plan.run_on or session.belief.stale:
            return
        for index in batch.pending:
            refusal = self._words(batch.steps[index])
            if refusal is not None:
                self._plans.refuse(index, refusal, Stage.OBSERVATION)
                return
        refusal = self._broken(batch.steps[batch.next], running)
        if refusal is not None:
            self._plans.refuse(batch.next, refusal, Stage.OBSERVATION)

    def _free(self) -> bool:
        """Tell whether a command may go out now, as far as the monitor is concerned."""
        session = self._session
        return (
            session.active
            and session.held is None
            and session.episode is not None
            and session.ending is None
            and session.running is None
            and session.lost is None
        )

    # ------------------------------------------------------------ judging

    def _judge(self, step: PlanStep) -> Refusal | tuple[Fact, ...]:
        """Refuse, or admit with the unknown facts that the attempt will reveal."""
        session, belief = self._session, self._session.belief
        if session.age > (limit := session.config.observation_max_age):
            reason = f'observation age {session.age:.1f} s > {limit:.1f} s'
            return Refusal(Rule.FRESHNESS_AGE, reason)
        refusal = self._words(step)
        if refusal is not None:
            return refusal
        try:
            judged = session.admission.precondition(step, belief.value, belief.objects)
        except Exception as error:
            return failed_rule(error)
        if isinstance(judged, tuple) and judged:
            key = (belief.digest, step.action, step.args)
            if key in session.tried:
                reason = f'{step} was tried in this very state'
                return Refusal(Rule.REPEAT_TRIED, reason, (), judged)
            session.tried.add(key)
        return judged

    def _words(self, step: PlanStep) -> Refusal | None:
        session = self._session
        try:
            return session.admission.vocabulary(step, session.belief.objects, session.taken)
        except Exception as error:
            return failed_rule(error)

    def _broken(self, step: PlanStep, running: Running) -> Refusal | None:
        """Refuse a step if its precondition will be false when the running one has ended."""
        admission, belief, before = self._session.admission, self._session.belief, running.before
        try:
            effects = admission.effects(running.step, before.value, before.objects)
            after = overlay(belief.value, {fact.atom: fact.value for fact in effects})
            judged = admission.precondition(step, after, belief.objects)
        except Exception as error:
            return failed_rule(error)
        false = isinstance(judged, Refusal) and judged.rule is Rule.PRECONDITION_FALSE
        return judged if isinstance(judged, Refusal) and false else None

    def _refuse(self, batch: Batch, refusal: Refusal) -> None:
        if batch.plan.run_on:
            self._session.refuse(batch, batch.next, Stage.DISPATCH, refusal)
            self._plans.advance()
        else:
            self._plans.refuse(batch.next, refusal, Stage.DISPATCH)

    def _give_up_waiting(self) -> None:
        session, batch = self._session, self._session.batch
        assert batch is not None
        session.resync_asked = False
        reason = f'no snapshot within {session.config.observation_max_age:.1f} s of a gap'
        # All steps of a plan that runs on would wait in vain: they share the fate of a batch.
        self._plans.refuse(batch.next, Refusal(Rule.FRESHNESS_STALE, reason), Stage.DISPATCH)

    # ------------------------------------------------------------ sending

    def _send(self, batch: Batch, unknown_facts: tuple[Fact, ...]) -> None:
        """Say that the step is admitted, then send its command."""
        session, index = self._session, batch.next
        step, now = batch.steps[index], session.clock.now
        assert session.episode is not None
        deadline = session.admission.policy(step.action).deadline_s
        session.counter += 1
        command = Command(
            header=session.header(),
            session_id=session.session_id,
            episode_id=batch.plan.episode_id,
            plan_seq=batch.plan.plan_seq,
            step=index,
            command_id=f'{batch.plan.episode_id}/{batch.plan.plan_seq}/{index}',
            counter=session.counter,
            action=step.action,
            args=step.args,
            numbers=step.numbers,
            deadline=now + nanoseconds(deadline),
        )
        session.verdict(
            batch,
            index,
            Stage.DISPATCH,
            Decision.ADMITTED,
            Rule.PRECONDITION_TRY if unknown_facts else Rule.PRECONDITION_TRUE,
            '',
            unknown_facts=unknown_facts,
            command_id=command.command_id,
        )
        session.effects.append(command)
        session.episode = replace(session.episode, steps=session.episode.steps + 1)
        session.running = Running(
            batch,
            index,
            command,
            unknown_facts,
            session.belief,
            session.after(deadline + session.config.outcome_grace),
        )
        self._plans.advance()
