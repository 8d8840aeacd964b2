// Extracts what the confidence engine scores from a decision of any shape: texts, values of the action, alternatives.
import type { Json, JsonObject } from '@assay/json';
import { isTrigger, readOccasion } from '../record/input-context.ts';

export interface Evidence {
  /** What the agent was asked; where no one asked, what began it. */
  prompt: string;
  /** The texts of the input context, including the prompt, in lower case. */
  context: string;
  rationale: string;
  action: Json;
  /** Whether the action is a call with arguments rather than a bare name such as `approve`. */
  isCall: boolean;
  /** The first 64 texts and numbers in the arguments of a call. */
  values: string[];
  alternatives: Alternative[];
  /** The agent's own confidence, 0 to 1; null: none given. */
  claimed: number | null;
  hasTrigger: boolean;
}

export interface Alternative {
  decision: Json;
  confidence: number;
}

const maximumValues = 64;

/** Extracts the evidence; never throws. */
export function extractEvidence(decision: JsonObject): Evidence {
  const input = toObject(decision['inputContext']);
  const output = toObject(decision['outputDecision']);
  const action = output['action'] ?? null;
  const isCall = action !== null && typeof action === 'object';
  return {
    prompt: toText(readOccasion(input)),
    context: collectLeaves(input, maximumValues).join('\n').toLowerCase(),
    rationale: toText(decision['rationale'] ?? output['rationale']),
    action,
    isCall,
    values: isCall ? collectLeaves(toArguments(action), maximumValues) : [],
    alternatives: [
      ...toAlternatives(decision['alternatives']),
      ...toAlternatives(output['alternatives']),
    ],
    claimed: toShare(output['confidence'] ?? decision['confidence']),
    hasTrigger: toText(decision['triggeringCondition']).trim() !== '' || isBegunByTrigger(input),
  };
}

const isBegunByTrigger = ({ prompt, trigger }: JsonObject): boolean =>
  prompt === undefined && isTrigger(trigger);

function toObject(value: Json | undefined): JsonObject {
  return value !== null && typeof value === 'object' && !Array.isArray(value) ? value : {};
}

/** A text unchanged, another value as JSON, null and undefined as the empty text. */
function toText(value: Json | undefined): string {
  if (typeof value === 'string') return value;
  return value === undefined || value === null ? '' : JSON.stringify(value);
}

/** An action without the members that name what is called. */
function toArguments(action: Json): Json {
  return Array.isArray(action)
    ? action
    : Object.entries(toObject(action)).flatMap(([key, value]) =>
        /^(?:tool|name|type|function|id)$/.test(key) && typeof value === 'string' ? [] : [value],
      );
}

function toShare(value: Json | undefined): number | null {
  return typeof value === 'number' && value >= 0 && value <= 1 ? value : null;
}

function toAlternatives(value: Json | undefined): Alternative[] {
  if (!Array.isArray(value)) return [];
  return value.flatMap((item) => {
    const { decision = null, confidence } = toObject(item);
    const share = toShare(confidence);
    return share === null ? [] : [{ decision, confidence: share }];
  });
}

/** Text and number leaves, depth first. */
function collectLeaves(value: Json, maximum: number): string[] {
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
