// Human oversight in the demo: reviews some held decisions, replays a stricter policy, and reads the report.
import type { Api } from './api.ts';
import { type Column, count, formatTable } from './screen.ts';
import type { ListedPolicy } from './tables.ts';

export interface Caller {
  api: Api;
  token: string;
}

interface ReviewItem {
  _id: string;
  traceId: string;
  action: string | null;
  actionDigest: string | null;
  confidence: number;
}

interface Decided {
  receipt: { sequence: number; chainHash: string } | null;
}

/** Reviews of the demo, and which of them are rejections. */
const REVIEWED = 24;
const REJECTED_EVERY = 3;

export interface Reviews {
  approved: number;
  rejected: number;
  /** Pin of the newest verdict; null: nothing was held for review. */
  pin: string | null;
}

/** Reviews the newest held decisions; each verdict is bound to the action that was looked at. */
export async function review({ api, token }: Caller): Promise<Reviews> {
  const waiting = await api.get<ReviewItem[]>('/api/v1/review-queue?status=pending', token);
  const reviews: Reviews = { approved: 0, rejected: 0, pin: null };
  for (const [place, { _id, actionDigest }] of waiting.slice(0, REVIEWED).entries()) {
    const isRejected = (place + 1) % REJECTED_EVERY === 0;
    const body = {
      decision: isRejected ? 'reject' : 'approve',
      reason: isRejected ? 'Not without asking the customer first' : 'As agreed',
      ...(actionDigest !== null && { actionDigest }),
    };
    const path = `/api/v1/review-queue/${_id}/decision`;
    const { receipt } = await api.post<Decided>(path, body, token);
    if (receipt) reviews.pin = `${receipt.sequence}:${receipt.chainHash}`;
    if (isRejected) reviews.rejected += 1;
    else reviews.approved += 1;
  }
  return reviews;
}

export interface Replay {
  state: string;
  total: number | null;
  done: number;
  allowToBlock: number;
  blockToAllow: number;
  unchanged: number;
  cannotTell: number;
}

/** Candidate and outcome. */
export interface Tried {
  policy: string;
  replay: Replay;
}

const POLL_MS = 100;
const REPLAY_MAX_MS = 120_000;

/** Replays the policy that held most decisions as if it blocked; null if none held any. */
export async function tryStricter(
  { api, token }: Caller,
  policies: readonly ListedPolicy[],
): Promise<Tried | null> {
  const holding = policies.filter(({ actions }) =>
    actions.some(({ type }) => type === 'flag_for_review'),
  );
  const [busiest] = holding.toSorted((a, b) => b.matchCount - a.matchCount);
  if (!busiest) return null;
  const { _id, name, conditions } = busiest;
  const policy = { name, conditions, actions: [{ type: 'block' }] };
  const path = `/api/v1/policies/${_id}/replay`;
  const started = await api.post<Replay & { _id: string }>(path, { policy }, token);
  const until = performance.now() + REPLAY_MAX_MS;
  for (;;) {
    const replay = await api.get<Replay>(`/api/v1/policies/replays/${started._id}`, token);
    if (!['queued', 'running'].includes(replay.state)) return { policy: name, replay };
    if (performance.now() > until) throw new Error('The replay does not end');
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}

interface Report {
  generatedAt: string;
  index: {
    score: number | null;
    sampleSize: number;
    minimumSample: number;
    decisions: { total: number; approved: number; flagged: number; blocked: number };
    judged: { correctFlags: number; falseFlags: number };
  };
  oversight: { pending: number; overdue: number; approved: number; rejected: number };
  chain: { totalEntries: number };
}

/** The compliance report as a table. */
export async function buildReport({ api, token }: Caller): Promise<string> {
  const path = '/api/v1/cpi/compliance-report';
  const { index, oversight, chain } = await api.get<Report>(path, token);
  const { score, sampleSize, minimumSample, decisions, judged } = index;
  const tooFew = `none below ${minimumSample} judged decisions`;
  const rows: [string, string][] = [
    ['decisions', count(decisions.total)],
    [
      '  approved, held, blocked',
      [decisions.approved, decisions.flagged, decisions.blocked].map(count).join(', '),
    ],
    ['judged by people', count(sampleSize)],
    [
      '  rightly held, held in vain',
      [judged.correctFlags, judged.falseFlags].map(count).join(', '),
    ],
    ['Compliance Performance Index', score === null ? tooFew : score.toFixed(1)],
    ['reviews that wait, overdue', [oversight.pending, oversight.overdue].map(count).join(', ')],
    [
      'reviews that approved, rejected',
      [oversight.approved, oversight.rejected].map(count).join(', '),
    ],
    ['entries of the chain', count(chain.totalEntries)],
  ];
  const columns: Column[] = [{ title: 'the report' }, { title: '', align: 'right' }];
  return formatTable(columns, rows);
}
