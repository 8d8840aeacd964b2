// What a decision does by the catalogue, where its values come from, and what policies read of its session.
import type { JsonObject } from '@assay/json';
import {
  type DescribedAction,
  deriveStateFacts,
  readOrigins,
  type StateFacts,
  type ToolCatalogue,
} from '@assay/policy';
import type { JudgedSession } from './judged-session.ts';

/** What a decision does, and what of it the chain commits to. */
export interface DescribedTools extends DescribedAction {
  /** Labels of the caller that the catalogue has. */
  labels: string[];
  /** The digest of the catalogue; null: no tool is listed. */
  catalog: string | null;
}

/** Null: no policy depends on it. */
export function describeTools(
  { outputDecision = null, labels, origins }: JsonObject,
  {
    catalogue,
    session,
  }: { catalogue?: ToolCatalogue | undefined; session?: JudgedSession | undefined },
): DescribedTools | null {
  if (!catalogue) return null;
  const { lists, digest } = catalogue;
  const seen = { origins: readOrigins(origins), results: session?.results ?? {} };
  return {
    ...catalogue.describe(outputDecision, seen),
    labels: catalogue.selectLabels(labels),
    catalog: lists.length > 0 ? digest : null,
  };
}

/** Undefined: it is judged on no session. */
export function describeSessionState(
  described: DescribedTools | null,
  { at, session }: { at: Date; session?: JudgedSession | undefined },
): StateFacts | undefined {
  if (!described || !session) return undefined;
  return deriveStateFacts(described, session.before, { at, isNamed: session.named });
}
