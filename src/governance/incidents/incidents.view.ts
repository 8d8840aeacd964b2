// The view of an incident: with the state of its clocks at a given time.
import { getCadenceRule } from '../../domain/incidents/cadence.ts';
import { toCheckpointId, computeStanding } from '../../domain/incidents/clock.ts';
import { translateStatus } from '../../domain/incidents/incident-status.ts';
import type { IncidentDocument } from './incidents.model.ts';
import type { ClockView, IncidentView } from './incidents.schemas.ts';

export function toClockViews({ clocks }: IncidentDocument, now: Date): ClockView[] {
  return clocks.map((clock, at) => ({
    ...clock,
    id: clock._id,
    source: getCadenceRule(clock.ruleVersion).source,
    checkpoints: clock.checkpoints.map((checkpoint, index) => ({
      ...checkpoint,
      id: toCheckpointId(clocks, at, index),
    })),
    ...computeStanding(clock, now),
  }));
}

export function toIncidentView(incident: IncidentDocument, now: Date): IncidentView {
  const clocks = toClockViews(incident, now);
  const next = clocks.flatMap(({ nextCheckpointAt }) => nextCheckpointAt?.getTime() ?? []);
  return {
    ...incident,
    id: incident._id,
    statusAs: translateStatus(incident.status),
    clocks,
    nextCheckpointAt: next.length === 0 ? null : new Date(Math.min(...next)),
  };
}
