"""Memory as a state machine: folds the numbered stream and answers what the episode was so far.

It never acts. Where its belief differs from the monitor's it asks for a hold; after a restart or
a gap it asks for the monitor's belief and folds on from there.
"""

from collections import deque
from dataclasses import dataclass

from sage_ros.contract.execution import Outcome
from sage_ros.contract.judgement import Decision, Episode, Verdict
from sage_ros.contract.remembering import ContextReply, ContextRequest, ContextStatus
from sage_ros.memory.episode import EpisodeMemory
from sage_ros.memory.views import scene_text
from sage_ros.scene.belief import Belief, fold
from sage_ros.scene.observation import Observation
from sage_ros.scene.record import BeliefRecord
from sage_ros.symbols.domain import Domain

_ASK_AGAIN = 1_000_000_000
_PAST = 256
_FATES = frozenset((Decision.CONFIRMED, Decision.MISMATCH, Decision.UNKNOWN, Decision.UNVERIFIED))


@dataclass(frozen=True, slots=True)
class HoldRequest:
    """Ask the monitor to hold: the two beliefs differ."""

    reason: str


@dataclass(frozen=True, slots=True)
class BeliefRequest:
    """Ask the monitor for its belief and give the answer to ``adopt``."""

    episode_id: str
    reason: str


Effect = HoldRequest | BeliefRequest
MemoryEvent = Observation | Outcome | Verdict | Episode


class MemoryCore:
    """The memory of the present episode. All times are nanoseconds of the shell's clock."""

    def __init__(self, domain: Domain | None = None) -> None:
        self._domain = domain
        self._episode: EpisodeMemory | None = None
        self._past: deque[str] = deque(maxlen=_PAST)

    @property
    def belief(self) -> Belief:
        """The belief of the present episode; an empty one if there is none."""
        return Belief() if self._episode is None else self._episode.belief

    def step(self, event: MemoryEvent, now: int) -> list[Effect]:
        """Take an event in and say what to ask of the monitor."""
        episode = self._of(event.episode_id)
        if episode is None:
            return []
        effects: list[Effect] = []
        match event:
            case Observation():
                self._observe(episode, event)
            case Outcome():
                if event.command_id:
                    episode.run(event.command_id).outcome = event
            case Verdict():
                self._note(episode, event)
            case Episode():
                pass
        self._compare(episode, effects)
        if not episode.sound:
            waited = None if episode.asked_at is None else now - episode.asked_at
            if waited is None or waited < 0 or waited >= _ASK_AGAIN:
                episode.asked_at = now
                reason = f'observations before {episode.belief.seq} were missed'
                effects.append(BeliefRequest(event.episode_id, reason))
        return effects

    def adopt(self, record: BeliefRecord) -> None:
        """Take the monitor's belief and fold on what came after it.

        One of another episode changes nothing. ValueError if the record contradicts its hash.
        """
        episode = self._episode
        if episode is None or record.episode_id != episode.belief.episode_id:
            return
        belief = record.belief()
        later = sorted((o for o in episode.recent if o.seq > belief.seq), key=lambda o: o.seq)
        if belief.seq + len(later) < episode.belief.seq:
            # Something between the record and what is buffered is missing: ask for a newer one.
            return
        episode.belief = belief
        episode.sound = True
        episode.asked_at = None
        episode.hashes.clear()
        episode.remember_hash()
        for observation in later:
            self._fold(episode, observation)

    def context(self, request: ContextRequest, *, give_up: bool = False) -> ContextReply | None:
        """Answer a planner; None while what it asks for has not been folded yet.

        With ``give_up`` there is always an answer: BEHIND or NO_EPISODE instead of None.
        """
        episode = self._episode
        if episode is None or episode.belief.episode_id != request.episode_id:
            if request.episode_id in self._past or give_up:
                reason = f'memory knows nothing of episode {request.episode_id!r}'
                return ContextReply(ContextStatus.NO_EPISODE, reason)
            return None
        belief = episode.belief
        if not episode.sound or belief.seq < max(1, request.min_observation):
            if not give_up:
                return None
            wanted = f'observation {request.min_observation} was asked for'
            lack = (
                'earlier ones were missed' if not episode.sound else f'the newest is {belief.seq}'
            )
            return ContextReply(ContextStatus.BEHIND, f'{wanted}, {lack}')
        transitions = episode.transitions()
        if request.transitions:
            transitions = transitions[-request.transitions :]
        return ContextReply(
            belief=BeliefRecord.of(belief),
            text=scene_text(belief, self._domain),
            observation_text=episode.text,
            transitions=transitions,
        )

    def _of(self, episode_id: str) -> EpisodeMemory | None:
        """Find the memory of an episode, beginning it if it is new; None for one that is past."""
        if not episode_id or episode_id in self._past:
            return None
        episode = self._episode
        if episode is None or episode.belief.episode_id != episode_id:
            if episode is not None:
                self._past.append(episode.belief.episode_id)
            episode = self._episode = EpisodeMemory(Belief(episode_id=episode_id))
        return episode

    def _observe(self, episode: EpisodeMemory, observation: Observation) -> None:
        if observation.seq <= episode.belief.seq:
            return
        episode.recent.append(observation)
        self._fold(episode, observation)

    def _fold(self, episode: EpisodeMemory, observation: Observation) -> None:
        if observation.seq != episode.belief.seq + 1:
            episode.sound = False
        episode.belief = fold(episode.belief, observation)
        if episode.sound:
            episode.remember_hash()
        if observation.text:
            episode.text = observation.text
        if observation.command_id:
            run = episode.run(observation.command_id)
            run.text = observation.text
            run.observation_seq = observation.seq
            run.hash_after = episode.belief.hash

    def _note(self, episode: EpisodeMemory, verdict: Verdict) -> None:
        if verdict.command_id:
            run = episode.run(verdict.command_id)
            if verdict.decision is Decision.ADMITTED:
                run.admitted = verdict
            elif verdict.decision in _FATES:
                run.fate = verdict
        if verdict.belief_hash:
            episode.unchecked.append((verdict.observation_seq, verdict.belief_hash))

    def _compare(self, episode: EpisodeMemory, effects: list[Effect]) -> None:
        """Compare the hashes of verdicts whose observation has been folded with one's own."""
        if not episode.sound:
            return
        ahead = [item for item in episode.unchecked if item[0] > episode.belief.seq]
        due = [item for item in episode.unchecked if item[0] <= episode.belief.seq]
        episode.unchecked.clear()
        episode.unchecked.extend(ahead)
        for seq, wanted in due:
            own = episode.hashes.get(seq)
            if own is not None and own != wanted and not episode.held:
                episode.held = True
                effects.append(
                    HoldRequest(
                        f'beliefs differ at observation {seq}: monitor {wanted}, memory {own}'
                    )
                )
