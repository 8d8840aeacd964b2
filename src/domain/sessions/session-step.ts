// What an entry of a session is to people: a decision, a verdict, a claim and so on, and its action in one line.
import type { Json } from '@assay/json';
import { extractProposedAction } from '../actions/proposed-action.ts';
import type { Payload } from '../record/payload.ts';
import { findReviewEnd, LAPSED } from '../review/review-end.ts';

/** `child`: a decision of another session that follows from one of this session. */
export const STEP_KINDS = [
  'decision',
  'child',
  'verdict',
  'vote',
  'expiry',
  'withdrawal',
  'claim',
  'outcome',
  'correction',
  'status',
  'erasure',
  'halt',
] as const;
export type StepKind = (typeof STEP_KINDS)[number];

/** The kind of an entry that is no decision, and what it came to; null: nothing more than its kind. */
export function readStepKind(payload: Payload): { kind: StepKind; result: string | null } | null {
  switch (payload.kind) {
    case 'review':
      return readReviewKind(payload);
    case 'vote':
      return { kind: 'vote', result: 'approved' };
    case 'execution':
      return { kind: payload.state === 'claimed' ? 'claim' : 'outcome', result: payload.state };
    case 'correction':
      return { kind: 'correction', result: payload.set.status };
    case 'status':
      return { kind: 'status', result: payload.set.status };
    case 'erasure':
      return { kind: 'erasure', result: null };
    case 'halt':
      return { kind: 'halt', result: payload.state };
    default:
      return null;
  }
}

function readReviewKind(payload: Payload & { kind: 'review' }) {
  const end = findReviewEnd(payload);
  if (end === 'withdrawn') return { kind: 'withdrawal', result: null } as const;
  const result = payload.decision === 'approve' ? 'approved' : 'rejected';
  const isLapse = Object.hasOwn(payload.commitments, LAPSED);
  return { kind: isLapse ? 'expiry' : 'verdict', result } as const;
}

/** Characters of an action that one line shows. */
const SUMMARY_MAX = 200;

/** The action of a decision in one line; null: none is kept. */
export interface StepSummary {
  /** The tool that it names; null: it names none. */
  tool: string | null;
  summary: string | null;
}

export function buildStepSummary(outputDecision: Json): StepSummary {
  const action = extractProposedAction(outputDecision, false);
  if (action === null) return { tool: null, summary: null };
  if (typeof action !== 'object' || Array.isArray(action))
    return { tool: null, summary: trimText(action) };
  const { tool, name, ...rest } = action;
  const named = [tool, name].find((value) => typeof value === 'string');
  if (typeof named !== 'string') return { tool: null, summary: trimText(action) };
  return { tool: named.slice(0, SUMMARY_MAX), summary: trimText(rest['arguments'] ?? rest) };
}

function trimText(value: Json): string {
  const text = formatArguments(value);
  return text.length > SUMMARY_MAX ? `${cutWhole(text, SUMMARY_MAX)}…` : text;
}

/** `name: value, name: value` of an object. */
function formatArguments(value: Json): string {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return toText(value);
  const members = Object.entries(value).map(([name, member]) => `${name}: ${toText(member)}`);
  return members.join(', ');
}

const toText = (value: Json): string => (typeof value === 'string' ? value : JSON.stringify(value));

/** Leaves no half of a pair of surrogates. */
const cutWhole = (text: string, length: number): string =>
  text.slice(0, length).replace(/[\uD800-\uDBFF]$/, '');
