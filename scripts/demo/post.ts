// Posts decisions, a bounded number at a time, and keeps what was answered.
import type { Api } from './api.ts';
import type { Decision } from './decisions.ts';

/** The answer of ingestion, as far as the demo reads it. */
export interface Verdict {
  status: 'approved' | 'flagged' | 'blocked';
  matchedPolicy: { name: string; reason: string } | null;
  hashChain: { sequence: number; chainHash: string; salt: string };
}

export interface Posted {
  decision: Decision;
  /** Milliseconds until the answer. */
  ms: number;
  /** Undefined: the decision was refused and nothing was recorded. */
  verdict: Verdict | undefined;
  /** Whether the same bytes were posted before: the first answer is repeated, and nothing is recorded. */
  replayed: boolean;
  refusal: string | null;
}

export interface Posting {
  api: Api;
  key: string;
  concurrency: number;
  onAnswer: () => void;
}

/** One answer for each decision, in their order. */
export async function postAll(decisions: readonly Decision[], posting: Posting): Promise<Posted[]> {
  const answers: Posted[] = [];
  const waiting = decisions.entries();
  async function postRemaining(): Promise<void> {
    // The iterator is shared: each worker takes the next decision.
    for (const [place, decision] of waiting) {
      answers[place] = await postDecision(decision, posting);
      posting.onAnswer();
    }
  }
  await Promise.all(Array.from({ length: posting.concurrency }, postRemaining));
  return answers;
}

async function postDecision(decision: Decision, { api, key }: Posting): Promise<Posted> {
  const { ms, headers, data, failure } = await api.sendRequest<Verdict>('POST', '/api/v1/traces', {
    credential: key,
    body: decision.line,
  });
  // A blocked decision is answered 403, with its receipt: it is recorded like every other.
  const verdict = data?.hashChain ? data : undefined;
  const replayed = headers.get('idempotency-replayed') === 'true';
  return { decision, ms, verdict, replayed, refusal: verdict ? null : failure };
}
