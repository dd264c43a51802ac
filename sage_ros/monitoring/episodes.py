"""Episodes: how they begin, get their goal, and end; who decides that one succeeded."""

from collections.abc import Callable, Iterator
from dataclasses import replace

from sage_ros import __version__
from sage_ros.contract.execution import RESET_ACTION, Command, Outcome, Status
from sage_ros.contract.judgement import Decision, Episode, EpisodeOutcome, EpisodePhase
from sage_ros.contract.plan import Number
from sage_ros.contract.requests import BeginEpisode, EndCause, EndEpisode, Reply, SetGoal
from sage_ros.monitoring.fates import Fates
from sage_ros.monitoring.plans import Plans
from sage_ros.monitoring.rule_ids import Rule
from sage_ros.monitoring.session import Beginning, Ending, Session, nanoseconds
from sage_ros.scene.belief import Belief
from sage_ros.scene.observation import Observation, ObservationKind
from sage_ros.symbols.facts import Value
from sage_ros.symbols.goals import Goal, check, holds

_CAUSES = {
    EndCause.CLAIMED: EpisodeOutcome.CLAIMED,
    EndCause.CANCELLED: EpisodeOutcome.CANCELLED,
    EndCause.STEP_LIMIT: EpisodeOutcome.STEP_LIMIT,
    EndCause.NO_PLAN: EpisodeOutcome.NO_PLAN,
    EndCause.ERROR: EpisodeOutcome.ERROR,
}


class Episodes:
    """Begins and ends the episodes of a session, one at a time."""

    def __init__(self, session: Session, plans: Plans, fates: Fates) -> None:
        self._session = session
        self._plans = plans
        self._fates = fates

    def timers(self) -> Iterator[tuple[int, Callable[[], None]]]:
        """Iterate over what happens by itself and when."""
        session, config = self._session, self._session.config
        if (beginning := session.beginning) is not None:
            yield beginning.wait_until, self._reset_timed_out
            if beginning.resync_at is not None:
                yield beginning.resync_at, self._ask_first_snapshot
        if session.episode is None:
            return
        if session.ending is not None:
            yield session.ending.wait_until, self._stop_timed_out
            return
        if session.lost is not None:
            yield session.lost.wait_until, self._command_lost
        # A bridge may be silent while it executes, unless its world stands still anyway.
        bridge = session.bridge
        if not session.moving or (bridge is not None and bridge.static_between_commands):
            yield session.heard_at + nanoseconds(config.bridge_timeout), self._bridge_lost
        if session.held is None and not (session.batch or session.running or session.lost):
            yield session.idle_since + nanoseconds(config.plan_timeout), self._planner_lost

    # ------------------------------------------------------------ beginning

    def begin(self, request: BeginEpisode) -> None:
        """Send the reset command, ending a running episode first; or answer why not."""
        session = self._session
        problem = self._cannot_begin(request)
        if problem is not None:
            self._decline(session.input_seq, problem)
        elif session.episode is None:
            self._reset(request, session.input_seq)
        else:
            session.next_begin = (request, session.input_seq)
            if session.ending is None:
                self._end(EpisodeOutcome.SUPERSEDED, 'another episode was asked for')

    def _cannot_begin(self, request: BeginEpisode) -> str | None:
        session, bridge = self._session, self._session.bridge
        if not session.active:
            return 'the monitor is not active'
        if session.held is not None:
            return f'held: {session.held}'
        if session.beginning is not None or session.next_begin is not None:
            return 'another episode is just being begun'
        if bridge is None:
            return 'no bridge has said what it is'
        admitted = session.table.environment
        if bridge.environment != admitted:
            return f'the bridge is {bridge.environment!r}, the admission file for {admitted!r}'
        if request.environment and request.environment != bridge.environment:
            return f'the bridge is {bridge.environment!r}, not {request.environment!r}'
        if bridge.domain_hash != session.domain.digest:
            own = session.domain
            return f'the bridge has another domain than {own.name} ({own.digest[:12]})'
        return None

    def _decline(self, input_seq: int, reason: str) -> None:
        self._session.answer(BeginEpisode, input_seq, Reply(False, reason))

    def _reset(self, request: BeginEpisode, input_seq: int) -> None:
        session, config = self._session, self._session.config
        session.episodes += 1
        session.counter += 1
        episode_id = f'{session.session_id}-{session.episodes}'
        command = Command(
            header=session.header(),
            session_id=session.session_id,
            episode_id=episode_id,
            command_id=f'{episode_id}/{RESET_ACTION}',
            counter=session.counter,
            action=RESET_ACTION,
            args=(request.scene, request.goal),
            numbers=(Number('seed', float(request.seed)),),
            deadline=session.clock.now + nanoseconds(config.reset_timeout),
        )
        wait_until = session.after(config.reset_timeout + config.outcome_grace)
        session.beginning = Beginning(
            request, input_seq, episode_id, command.command_id, wait_until
        )
        session.belief = Belief(episode_id=episode_id)
        session.seen_at = None
        session.resync_asked = False
        session.plan_seq = -1
        session.tried.clear()
        session.unknowns = 0
        session.judged = False
        session.effects.append(command)

    def reset_ended(self, outcome: Outcome) -> bool:
        """Take the outcome of the reset command; False if it is not that one."""
        session, beginning = self._session, self._session.beginning
        if beginning is None or outcome.command_id != beginning.command_id:
            return False
        if beginning.outcome is not None:
            session.counts['outcome.doubled'] += 1
        elif outcome.status is Status.DONE:
            beginning.outcome = outcome
            beginning.resync_at = session.after(session.config.observation_timeout)
            self._begin_if_ready()
        else:
            what = f'reset {outcome.status.name}: {outcome.failure.name}'
            self.abandon(f'{what}: {outcome.reason}' if outcome.reason else what)
        return True

    def first_seen(self, observation: Observation) -> bool:
        """Take an observation of the episode that begins; False if it is of another."""
        session, beginning = self._session, self._session.beginning
        if beginning is None or observation.episode_id != beginning.episode_id:
            return False
        own = observation.command_id == beginning.command_id or beginning.resynced
        first = own and observation.kind is ObservationKind.SNAPSHOT
        if session.belief.seq or first:
            session.take(observation)
            self._begin_if_ready()
        else:
            session.counts['observation.early'] += 1
        return True

    def _begin_if_ready(self) -> None:
        """Publish the episode once its reset is done and its first snapshot is there."""
        session, beginning, bridge = self._session, self._session.beginning, self._session.bridge
        assert beginning is not None
        assert bridge is not None
        if beginning.outcome is None or not session.belief.seq:
            return
        request = beginning.request
        session.episode = Episode(
            header=session.header(),
            episode_id=beginning.episode_id,
            session_id=session.session_id,
            goal=request.goal or beginning.outcome.task,
            environment=bridge.environment,
            scene=request.scene,
            seed=request.seed,
            domain_hash=session.domain.digest,
            config_hash=session.config_hash,
            code_version=__version__,
        )
        session.beginning = None
        session.heard_at = session.idle_since = session.clock.time
        session.effects.append(session.episode)
        reply = Reply(True, '', beginning.episode_id, session.episode.goal)
        session.answer(BeginEpisode, beginning.input_seq, reply)

    def _ask_first_snapshot(self) -> None:
        """The reset is done but its snapshot got lost: any snapshot of the episode will do."""
        beginning = self._session.beginning
        assert beginning is not None
        beginning.resync_at = None
        beginning.resynced = True
        self._session.ask_resync()

    def _reset_timed_out(self) -> None:
        beginning = self._session.beginning
        assert beginning is not None
        missing = 'outcome of the reset' if beginning.outcome is None else 'first snapshot'
        reason = f'no {missing} within {self._session.config.reset_timeout:.1f} s'
        self._session.stop(reason)
        self.abandon(reason)

    def abandon(self, reason: str) -> None:
        """Begin no episode after all; who asked for one is told why."""
        session = self._session
        if session.beginning is not None:
            self._decline(session.beginning.input_seq, reason)
            session.beginning = None
            session.belief = Belief()
            session.seen_at = None
        if session.next_begin is not None:
            self._decline(session.next_begin[1], reason)
            session.next_begin = None

    # ------------------------------------------------------------ the goal

    def set_goal(self, request: SetGoal) -> None:
        """Take the goal facts of the running episode, once and before its first plan."""
        session = self._session
        problem = self._cannot_set(request)
        if problem is None:
            assert session.episode is not None
            session.episode = replace(
                session.episode, header=session.header(), goal_facts=request.goal_facts
            )
            session.idle_since = session.clock.time
            session.effects.append(session.episode)
        reply = Reply(problem is None, problem or '', request.episode_id)
        session.answer(SetGoal, session.input_seq, reply)

    def _cannot_set(self, request: SetGoal) -> str | None:
        session, episode = self._session, self._session.episode
        if not session.active:
            return 'the monitor is not active'
        if episode is None or episode.episode_id != request.episode_id:
            return f'episode {request.episode_id!r} is not running'
        if session.ending is not None:
            return 'the episode is being ended'
        if episode.goal_facts:
            return 'the goal is set already'
        if session.plan_seq >= 0:
            return 'a plan came before the goal'
        errors = check(Goal(request.goal_facts), session.domain, session.belief.objects)
        return '; '.join(errors) or None

    # ------------------------------------------------------------ ending

    def end(self, request: EndEpisode) -> None:
        """Stop the running command, discard the rest and end the episode; or answer why not."""
        session, episode = self._session, self._session.episode
        if episode is None or episode.episode_id != request.episode_id:
            reason = f'episode {request.episode_id!r} is not running'
            reply = Reply(False, reason, request.episode_id)
            session.answer(EndEpisode, session.input_seq, reply)
            return
        if session.ending is None:
            self._end(_CAUSES[request.cause], request.reason or request.cause.name.lower())
        assert session.ending is not None
        session.ending.asked.append(session.input_seq)

    def _end(self, outcome: EpisodeOutcome, reason: str) -> None:
        session = self._session
        wait_until = session.after(session.config.stop_timeout)
        session.ending = Ending(outcome, reason, wait_until)
        if session.moving:
            session.stop(reason)
        self._plans.drop(Decision.DISCARDED, Rule.EPISODE_ENDED, reason)
        if self._proof_is_coming():
            session.resync_asked = False
            session.ask_resync()

    def settle(self) -> bool:
        """End the episode if it is over; False if it goes on or there is none."""
        session, episode, belief = self._session, self._session.episode, self._session.belief
        if episode is None or session.running is not None:
            return False
        if session.ending is not None:
            if session.lost is not None or self._proof_is_coming():
                return False
            self.finish(session.ending.outcome, session.ending.reason)
            return True
        judged, session.judged = session.judged, False
        if belief.env_success or (judged and self._goal_holds()):
            self.finish(EpisodeOutcome.SUCCESS, '')
        elif belief.env_done:
            reason = 'the environment ended the episode'
            self.finish(EpisodeOutcome.ENVIRONMENT_DONE, reason)
        elif session.unknowns >= session.config.unknown_limit:
            reason = f'{session.unknowns} unknown outcomes in a row'
            self.finish(EpisodeOutcome.UNKNOWN_OUTCOMES, reason)
        elif episode.steps >= session.config.max_steps:
            self.finish(EpisodeOutcome.STEP_LIMIT, f'{episode.steps} steps were carried out')
        else:
            return False
        return True

    def _proof_is_coming(self) -> bool:
        """Tell whether a goal said to be reached can be judged as soon as a snapshot comes."""
        ending, episode = self._session.ending, self._session.episode
        claimed = ending is not None and ending.outcome is EpisodeOutcome.CLAIMED
        proves = episode is not None and bool(episode.goal_facts)
        return claimed and proves and self._session.belief.stale

    def finish(self, outcome: EpisodeOutcome, reason: str) -> None:
        """End the episode now; environment and goal facts decide whether it succeeded."""
        session, ending = self._session, self._session.ending
        if ending is not None:
            outcome, reason = ending.outcome, ending.reason
        self._fates.abandon(reason)
        self._plans.drop(Decision.DISCARDED, Rule.EPISODE_ENDED, reason or outcome.name)
        assert session.episode is not None
        if session.belief.env_success:
            outcome, reason = EpisodeOutcome.SUCCESS, 'the environment says so'
        elif self._goal_holds():
            outcome, reason = EpisodeOutcome.SUCCESS, 'the goal facts hold'
        ended = replace(
            session.episode,
            header=session.header(),
            phase=EpisodePhase.ENDED,
            outcome=outcome,
            reason=reason,
            score=session.belief.score,
        )
        session.effects.append(ended)
        for input_seq in () if ending is None else ending.asked:
            reply = Reply(True, f'{outcome.name}: {reason}', ended.episode_id, ended.goal)
            session.answer(EndEpisode, input_seq, reply)
        session.episode = session.ending = session.lost = None
        if session.next_begin is not None:
            (request, input_seq), session.next_begin = session.next_begin, None
            self._reset(request, input_seq)

    def _goal_holds(self) -> bool:
        session, episode, belief = self._session, self._session.episode, self._session.belief
        if episode is None or not episode.goal_facts or belief.stale:
            return False
        goal = Goal(episode.goal_facts)
        return holds(goal, belief.value, belief.objects, session.domain.types) is Value.TRUE

    def _stop_timed_out(self) -> None:
        assert self._session.ending is not None
        self.finish(self._session.ending.outcome, self._session.ending.reason)

    def _command_lost(self) -> None:
        session = self._session
        wait = session.config.bridge_timeout
        self.finish(EpisodeOutcome.BRIDGE_LOST, f'no outcome within {wait:.1f} s of a stop')

    def _bridge_lost(self) -> None:
        session = self._session
        reason = f'nothing from the bridge for {session.config.bridge_timeout:.1f} s'
        session.stop(reason)
        self.finish(EpisodeOutcome.BRIDGE_LOST, reason)

    def _planner_lost(self) -> None:
        wait = self._session.config.plan_timeout
        self.finish(EpisodeOutcome.PLANNER_LOST, f'no plan within {wait:.1f} s')
