// What an approval with edits adds to the limits of its decision: the action as it will be executed counts.
import { isJsonObject, type Json, parseSafeJson } from '@assay/json';
import { deriveFacts, readPath, readSpentAmount, splitPath } from '@assay/policy';
import { applyMergePatch } from '../../../domain/actions/merge-patch.ts';
import type { DecisionLimit } from '../../../domain/budgets/spending.ts';
import type { TraceDocument } from '../traces.model.ts';

/** `edits`: a merge patch of the action; absent: the limits stay. An action that was not kept cannot be counted. */
export function reviseLimits(
  { sealed, confidenceScore, tags, createdAt }: TraceDocument,
  limits: readonly DecisionLimit[],
  edits: Json | undefined,
): DecisionLimit[] {
  if (edits === undefined) return [...limits];
  const text = sealed['outputDecision']?.text;
  const output = text === undefined ? null : parseSafeJson(text);
  const submitted = isJsonObject(output)
    ? { outputDecision: { ...output, action: applyMergePatch(output['action'] ?? null, edits) } }
    : {};
  const facts = deriveFacts({
    submitted,
    at: createdAt,
    confidenceScore,
    tags: [...tags],
    agentName: null,
    pii: { types: [], outputTypes: [] },
  });
  return limits.map((limit) =>
    limit.of.startsWith('action.')
      ? { ...limit, amount: readSpentAmount(readPath(facts, splitPath(limit.of))) }
      : limit,
  );
}
