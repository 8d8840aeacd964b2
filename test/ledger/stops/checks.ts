// What holds of a chain and its reservations, however often the instances were stopped.
import type { ExecutionPayload, Payload } from '../../../src/domain/record/payload.ts';
import type { Stored } from '../../../src/ledger/entry.ts';
import type { MemoryCollection } from './memory-collection.ts';

/** The end of a life. */
interface Ended {
  ledger: MemoryCollection;
  effects: MemoryCollection;
  /** Ids of the executions that an answer has handed out. */
  handedOut: ReadonlySet<string>;
  /** What the jobs have reported. */
  faults: readonly unknown[];
}

function must(condition: boolean, what: string): asserts condition {
  if (!condition) throw new Error(what);
}

/** Checks that each decision is judged and erased once at most, and claimed only while it was approved and not erased. */
function checkDecisions(ledger: MemoryCollection): void {
  const judged = new Map<string, string>();
  const erased = new Set<string>();
  for (const { view, sequence } of ledger.find({}, { sort: { sequence: 1 } }) as Stored[]) {
    const payload = JSON.parse(view) as Payload;
    const traceId = String(payload.traceId);
    const at = `entry ${sequence}`;
    if (payload.kind === 'trace') judged.set(traceId, payload.status);
    if (payload.kind === 'review') {
      must(judged.get(traceId) === 'flagged', `${at} judges ${traceId} a second time`);
      judged.set(traceId, payload.set.status ?? '');
    }
    if (payload.kind === 'erasure') must(!erased.has(traceId), `${at} erases a second time`);
    if (payload.kind === 'erasure') erased.add(traceId);
    if (payload.kind !== 'execution' || payload.state !== 'claimed') continue;
    must(judged.get(traceId) === 'approved', `${at} claims what was not approved`);
    must(!erased.has(traceId), `${at} claims what was erased`);
  }
}

/** Checks that at no place of the chain two claims are live, and that what is reserved at the end is what is claimed. */
export function checkLife({ ledger, effects, handedOut, faults }: Ended): void {
  for (const fault of faults) throw fault;
  checkDecisions(ledger);
  let live: ExecutionPayload | null = null;
  const claimed = new Set<string>();
  for (const { view, kind, sequence } of ledger.find({}, { sort: { sequence: 1 } }) as Stored[]) {
    if (kind !== 'execution') continue;
    const execution = JSON.parse(view) as ExecutionPayload;
    const { state, executionId } = execution;
    if (state === 'claimed') {
      must(live === null, `entry ${sequence} claims the effect a second time`);
      live = execution;
      claimed.add(executionId);
    } else if (state === 'failed' && live?.executionId === executionId) live = null;
  }
  for (const id of handedOut)
    must(claimed.has(id), `execution ${id} was handed out without a claim`);
  const reserved = effects.rows.map(({ executionId }) => String(executionId));
  const expected = live === null ? [] : [live.executionId];
  must(
    reserved.join() === expected.join(),
    `reserved at the end: ${reserved.join() || 'nothing'}; claimed: ${expected.join() || 'nothing'}`,
  );
}
