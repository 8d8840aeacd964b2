// What the confidence engine reads out of a decision: its texts, its action's values and its alternatives, whatever their shape.
import type { Json, JsonObject } from '../record/json.ts';

export interface Evidence {
  prompt: string;
  /** Further texts of the input context, the prompt included, in lower case. */
  context: string;
  rationale: string;
  action: Json;
  /** True for an action that does something by arguments; false for a bare name such as `approve`. */
  acts: boolean;
  /** Texts and numbers inside an acting action, from the first, at most 64, without the name of what it calls. */
  values: string[];
  alternatives: Alternative[];
  /** What the agent itself claims, 0 to 1. */
  claimed: number | null;
  triggered: boolean;
}

export interface Alternative {
  decision: Json;
  confidence: number;
}

const maximumValues = 64;

/** Gathers the evidence; nothing in a decision makes it throw. */
export function evidenceOf(decision: JsonObject): Evidence {
  const input = objectOr(decision['inputContext']);
  const output = objectOr(decision['outputDecision']);
  const action = output['action'] ?? null;
  const acts = action !== null && typeof action === 'object';
  return {
    prompt: textOf(input['prompt']),
    context: leavesOf(input, maximumValues).join('\n').toLowerCase(),
    rationale: textOf(decision['rationale'] ?? output['rationale']),
    action,
    acts,
    values: acts ? leavesOf(withoutName(action), maximumValues) : [],
    alternatives: [
      ...alternativesOf(decision['alternatives']),
      ...alternativesOf(output['alternatives']),
    ],
    claimed: shareOr(output['confidence'] ?? decision['confidence']),
    triggered: textOf(decision['triggeringCondition']).trim() !== '',
  };
}

function objectOr(value: Json | undefined): JsonObject {
  return value !== null && typeof value === 'object' && !Array.isArray(value) ? value : {};
}

/** A text as it is, another value as JSON, nothing as the empty text. */
function textOf(value: Json | undefined): string {
  if (typeof value === 'string') return value;
  return value === undefined || value === null ? '' : JSON.stringify(value);
}

/** An action without the members that say what is called rather than with what. */
function withoutName(action: Json): Json {
  return Array.isArray(action)
    ? action
    : Object.entries(objectOr(action)).flatMap(([key, value]) =>
        /^(?:tool|name|type|function|id)$/.test(key) && typeof value === 'string' ? [] : [value],
      );
}

function shareOr(value: Json | undefined): number | null {
  return typeof value === 'number' && value >= 0 && value <= 1 ? value : null;
}

function alternativesOf(value: Json | undefined): Alternative[] {
  if (!Array.isArray(value)) return [];
  return value.flatMap((item) => {
    const { decision = null, confidence } = objectOr(item);
    const share = shareOr(confidence);
    return share === null ? [] : [{ decision, confidence: share }];
  });
}

/** Texts and numbers at the leaves, depth first. */
function leavesOf(value: Json, maximum: number): string[] {
  const leaves: string[] = [];
  const visit = (node: Json): void => {
    if (leaves.length >= maximum) return;
    if (typeof node === 'string') leaves.push(node);
    else if (typeof node === 'number') leaves.push(String(node));
    else if (node !== null && typeof node === 'object')
      for (const item of Object.values(node)) visit(item);
  };
  visit(value);
  return leaves;
}
