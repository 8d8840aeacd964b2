// The rows of a session: its steps in the order of the chain, each as deep as what it follows from.
import type { Step } from './session-queries.ts';

export interface StepRow {
  step: Step;
  /** How far it is indented. */
  depth: number;
  /** The decision that it is, or is about; undefined: it is on no page that was read. */
  decision: Step | undefined;
}

const DEEPEST = 5;

const isDecision = ({ kind }: Step): boolean => kind === 'decision' || kind === 'child';

/** Decisions one after the other stand below each other, whatever the agent calls their parent. */
export function buildRows(steps: readonly Step[]): StepRow[] {
  const decisions = new Map<string, StepRow>();
  let previous: string | null = null;
  return steps.map((step) => {
    const { kind, traceId, parentTraceId } = step;
    if (!isDecision(step)) {
      const about = traceId === null ? undefined : decisions.get(traceId);
      return { step, depth: about ? limitDepth(about.depth + 1) : 0, decision: about?.step };
    }
    const parent = parentTraceId === null ? undefined : decisions.get(parentTraceId);
    const isNext = kind === 'decision' && parentTraceId === previous;
    const depth = parent ? parent.depth + (isNext ? 0 : 1) : 0;
    const row = { step, depth: limitDepth(depth), decision: step };
    if (traceId !== null) decisions.set(traceId, row);
    if (kind === 'decision') previous = traceId;
    return row;
  });
}

const limitDepth = (depth: number): number => Math.min(DEEPEST, depth);

const WORDS = {
  expiry: 'Lapsed',
  withdrawal: 'Withdrawn',
  claim: 'Claimed',
  correction: 'Corrected',
  status: 'Status set',
  erasure: 'Erased',
} as const;

const RESULTS: Readonly<Record<string, string>> = {
  succeeded: 'Succeeded',
  failed: 'Failed',
  unknown: 'Outcome unknown',
  halted: 'Halted',
  watched: 'Watched',
  resumed: 'Resumed',
};

/** What became of a decision, in a word or two; verdicts have words of their own. */
export function describeEvent({ kind, result }: Step): string {
  if (kind === 'outcome' || kind === 'halt') return RESULTS[result ?? ''] ?? kind;
  return kind in WORDS ? WORDS[kind as keyof typeof WORDS] : kind;
}

const TONES: Readonly<Record<string, 'good' | 'warning' | 'bad'>> = {
  succeeded: 'good',
  failed: 'bad',
  unknown: 'warning',
  halted: 'bad',
  watched: 'warning',
};

export const chooseTone = ({ result }: Step): 'good' | 'warning' | 'bad' | 'neutral' =>
  TONES[result ?? ''] ?? 'neutral';

/** `tool(arguments)`, or what is kept of it. */
export function describeStep({ tool, summary, isErased }: Step): string {
  if (isErased) return 'Erased';
  if (tool !== null) return `${tool}(${summary ?? ''})`;
  return summary ?? 'No action kept';
}
