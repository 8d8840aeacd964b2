// What rooms of events read of decisions, which they may not import: the composition provides it.
import type { DecisionReader } from '../domain/events/decision-card.ts';
import { createProvision } from '../platform/per-instance.ts';

interface UpperRooms extends DecisionReader {
  /** Returns the index of an organisation, 0 to 100; null: below the minimum sample. */
  loadCpiScore(organizationId: string): Promise<number | null>;
}

export const { provide: provideDecisionReader, get: getDecisionReader } =
  createProvision<UpperRooms>('the rooms of events');
