// What rooms of events read of decisions, which they may not import: the composition provides it.
import type { DecisionReader } from '../domain/events/decision-card.ts';
import type { DecisionWindow } from '../domain/events/alert-measures.ts';
import { createProvision } from '../platform/per-instance.ts';

export interface DecisionPlace {
  id: string;
  workspaceId: string;
}

/** An organisation; or one workspace of it. */
export interface DecisionArea {
  organizationId: string;
  workspaceId: string | null;
}

interface UpperRooms extends DecisionReader {
  /** Where a decision stands; null: there is none. */
  findPlace(organizationId: string, traceId: string): Promise<DecisionPlace | null>;
  /** Returns the index of an organisation, 0 to 100; null: below the minimum sample. */
  loadCpiScore(organizationId: string): Promise<number | null>;
  /** Counts the decisions of the current hour and of as many before it. */
  countWindow(place: DecisionArea, windowHours: number): Promise<DecisionWindow>;
  /** When what waits longest for a person was made; null: nothing waits. */
  findOldestHold(place: DecisionArea): Promise<Date | null>;
}

export const { provide: provideDecisionReader, get: getDecisionReader } =
  createProvision<UpperRooms>('the rooms of events');
