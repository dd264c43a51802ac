"""The names of the gate's rules, as they stand in verdicts."""

from enum import StrEnum


class Rule(StrEnum):
    """Which rule decided. The part before the dot says what it looked at."""

    MONITOR_INACTIVE = 'monitor.inactive'
    MONITOR_HELD = 'monitor.held'
    RULE_ERROR = 'rule.error'

    EPISODE_WRONG = 'episode.wrong'
    EPISODE_ENDING = 'episode.ending'
    EPISODE_ENDED = 'episode.ended'

    PLAN_SEQ = 'plan.seq'
    PLAN_EMPTY = 'plan.empty'
    PLAN_LENGTH = 'plan.length'
    PLAN_FUTURE = 'plan.future'
    PLAN_RUN_ON = 'plan.run_on'
    PLAN_EXPIRED = 'plan.expired'
    PLAN_SUPERSEDED = 'plan.superseded'
    BATCH_ENDED = 'batch.ended'

    ACTION_UNKNOWN = 'action.unknown'
    ACTION_ARITY = 'action.arity'
    ACTION_NOT_TAKEN = 'action.not_taken'
    OBJECT_UNKNOWN = 'object.unknown'
    OBJECT_TYPE = 'object.type'
    NUMBER_UNDECLARED = 'number.undeclared'
    NUMBER_DOUBLED = 'number.doubled'
    NUMBER_NOT_FINITE = 'number.not_finite'
    NUMBER_UNIT = 'number.unit'
    NUMBER_RANGE = 'number.range'
    EXPECTATION_BAD = 'expectation.bad'

    FRESHNESS_AGE = 'freshness.age'
    FRESHNESS_STALE = 'freshness.stale'
    PRECONDITION_TRUE = 'precondition.true'
    PRECONDITION_FALSE = 'precondition.false'
    PRECONDITION_UNKNOWN = 'precondition.unknown'
    PRECONDITION_TRY = 'precondition.try'
    REPEAT_TRIED = 'repeat.tried'

    OUTCOME_FAILED = 'outcome.failed'
    OUTCOME_REFUSED = 'outcome.refused'
    OUTCOME_STOPPED = 'outcome.stopped'
    OUTCOME_UNKNOWN = 'outcome.unknown'
    OUTCOME_MISSING = 'outcome.missing'
    OBSERVATION_MISSING = 'observation.missing'

    FACTS_HOLD = 'facts.hold'
    FACTS_VIOLATED = 'facts.violated'
    FACTS_UNKNOWN = 'facts.unknown'
    TEXT_EQUAL = 'text.equal'
    TEXT_DIFFERS = 'text.differs'
    TEXT_FAILURE = 'text.failure'
    EXPECTATION_NONE = 'expectation.none'
    EXPECTATION_SKIPPED = 'expectation.skipped'

    JUDGE_HOLDS = 'judge.holds'
    JUDGE_VIOLATED = 'judge.violated'
    JUDGE_CANNOT_TELL = 'judge.cannot_tell'
    JUDGE_TIMEOUT = 'judge.timeout'
