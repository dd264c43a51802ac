"""Receipt of plans: identity, size, and the words of every step; the batch in hand."""

from dataclasses import dataclass

from sage_ros.contract.judgement import Decision, Stage
from sage_ros.contract.plan import Plan, PlanStep
from sage_ros.monitoring.admission import Refusal
from sage_ros.monitoring.rule_ids import Rule
from sage_ros.monitoring.session import Batch, Session


@dataclass(frozen=True, slots=True)
class _Rejection:
    """Why a whole plan is not taken; all its steps share the fate."""

    decision: Decision
    rule: Rule
    reason: str


class Plans:
    """Takes plans in and gives those steps a fate that are not executed."""

    def __init__(self, session: Session) -> None:
        self._session = session

    def receive(self, plan: Plan) -> None:
        """Take a plan as the batch in hand, or say of all its steps why not."""
        session = self._session
        # A plan without steps gets a verdict too: that of a step without a name.
        batch = Batch(plan, tuple(plan.steps) or (PlanStep(''),))
        rejection = self._foreign(plan) or self._untimely(plan)
        if rejection is not None:
            for index in batch.pending:
                session.verdict(
                    batch,
                    index,
                    Stage.RECEIPT,
                    rejection.decision,
                    rejection.rule,
                    rejection.reason,
                )
            return
        malformed = self._malformed(batch)
        if malformed is not None:
            self._end(batch, *malformed, Stage.RECEIPT)
            return
        self.drop(Decision.DISCARDED, Rule.PLAN_SUPERSEDED, f'plan {plan.plan_seq} came')
        session.batch = batch

    def drop(self, decision: Decision, rule: Rule, reason: str) -> None:
        """Give all steps of the batch in hand that have no fate yet this one."""
        session, batch = self._session, self._session.batch
        if batch is None:
            return
        for index in batch.pending:
            session.verdict(batch, index, Stage.DISPATCH, decision, rule, reason)
        self._put_away()

    def refuse(self, index: int, refusal: Refusal, stage: Stage) -> None:
        """Refuse a pending step of the batch in hand, which ends the batch."""
        batch = self._session.batch
        assert batch is not None
        self._end(batch, index, refusal, stage)
        self._put_away()

    def advance(self) -> None:
        """Go on to the next step of the batch in hand: the present one has been judged."""
        batch = self._session.batch
        assert batch is not None
        batch.next += 1
        batch.wait_until = None
        if not batch.pending:
            self._put_away()

    def _put_away(self) -> None:
        self._session.batch = None
        self._session.idle_since = self._session.clock.time

    def _end(self, batch: Batch, refused: int, refusal: Refusal, stage: Stage) -> None:
        """Refuse one step and discard the other pending ones: each gets its fate, in order."""
        session = self._session
        reason = f'step {refused} is refused: {refusal.rule.value}'
        for index in batch.pending:
            if index == refused:
                session.refuse(batch, index, stage, refusal)
            else:
                discarded = Decision.DISCARDED
                session.verdict(batch, index, stage, discarded, Rule.BATCH_ENDED, reason)

    # ------------------------------------------------------------ receipt

    def _foreign(self, plan: Plan) -> _Rejection | None:
        """Check whose plan it is; from here on its number is used up."""
        session, episode = self._session, self._session.episode
        refused = Decision.REFUSED
        if not session.active:
            return _Rejection(refused, Rule.MONITOR_INACTIVE, 'the monitor is not active')
        if episode is None:
            return _Rejection(refused, Rule.EPISODE_WRONG, 'no episode is running')
        if plan.episode_id != episode.episode_id:
            reason = f'episode {episode.episode_id} is running, not {plan.episode_id!r}'
            return _Rejection(refused, Rule.EPISODE_WRONG, reason)
        if session.ending is not None:
            return _Rejection(refused, Rule.EPISODE_ENDING, 'the episode is being ended')
        if plan.plan_seq <= session.plan_seq:
            reason = f'plan {plan.plan_seq} is not newer than {session.plan_seq}'
            return _Rejection(refused, Rule.PLAN_SEQ, reason)
        session.plan_seq = plan.plan_seq
        session.idle_since = session.clock.time
        return None

    def _untimely(self, plan: Plan) -> _Rejection | None:
        """Check what a plan says of itself against the present state."""
        session, refused = self._session, Decision.REFUSED
        if session.held is not None:
            return _Rejection(Decision.HELD, Rule.MONITOR_HELD, session.held)
        if plan.valid_until and plan.valid_until <= session.clock.now:
            return _Rejection(Decision.EXPIRED, Rule.PLAN_EXPIRED, 'the plan came too late')
        if not plan.steps:
            return _Rejection(refused, Rule.PLAN_EMPTY, 'the plan has no steps')
        if len(plan.steps) > (limit := session.config.max_plan_steps):
            reason = f'the plan has {len(plan.steps)} steps, at most {limit} are taken'
            return _Rejection(refused, Rule.PLAN_LENGTH, reason)
        if plan.run_on and not session.table.open_loop:
            reason = f'{session.table.environment} does not let a plan run on'
            return _Rejection(refused, Rule.PLAN_RUN_ON, reason)
        if plan.based_on_seq > session.belief.seq:
            newest = session.belief.seq
            reason = f'based on observation {plan.based_on_seq}, the newest is {newest}'
            return _Rejection(refused, Rule.PLAN_FUTURE, reason)
        return None

    def _malformed(self, batch: Batch) -> tuple[int, Refusal] | None:
        """Write every step by its own name and find the first that is malformed."""
        session, admission = self._session, self._session.admission
        steps: list[PlanStep] = []
        for index, given in enumerate(batch.steps):
            try:
                step = admission.normalise(given)
                refusal = admission.malformed(step, session.belief.objects, session.taken)
            except Exception as error:
                refusal = failed_rule(error)
            if refusal is not None:
                return index, refusal
            steps.append(step)
        batch.steps = tuple(steps)
        return None


def failed_rule(error: Exception) -> Refusal:
    """Refuse because a rule raised an error, whatever it is."""
    return Refusal(Rule.RULE_ERROR, f'a rule failed: {type(error).__name__}: {error}')
