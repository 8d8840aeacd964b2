// What an approval with edits adds to the limits of its decision: the action as it will be executed counts.
import { isJsonObject, type Json } from '@assay/json';
import { deriveFacts, readPath, readSpentAmount, splitPath } from '@assay/policy';
import { applyMergePatch } from '../../../domain/actions/merge-patch.ts';
import type { DecisionLimit } from '../../../domain/budgets/spending.ts';
import type { TraceDocument } from '../traces.model.ts';
import { readAction, readPayloadText } from '../traces.view.ts';

/** `edits`: a merge patch of the action; absent: the limits stay. An action that was not kept cannot be counted. */
export function reviseLimits(
  trace: TraceDocument,
  limits: readonly DecisionLimit[],
  edits: Json | undefined,
): DecisionLimit[] {
  if (edits === undefined) return [...limits];
  const output = JSON.parse(readPayloadText(trace, 'outputDecision') ?? 'null') as Json;
  const action = applyMergePatch(readAction(trace), edits);
  const facts = deriveFacts(
    {
      submitted: isJsonObject(output) ? { outputDecision: { ...output, action } } : {},
      at: trace.createdAt,
      confidenceScore: trace.confidenceScore,
      tags: [...trace.tags],
      agentName: null,
      pii: { types: [], outputTypes: [] },
    },
    (member) => member === 'action',
  );
  return limits.map((limit) =>
    limit.of.startsWith('action.')
      ? { ...limit, amount: readSpentAmount(readPath(facts, splitPath(limit.of))) }
      : limit,
  );
}
