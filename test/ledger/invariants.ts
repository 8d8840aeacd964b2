// Invariants of a chain and of every answer, whatever faults occurred (security-tests.md, the common oracle of faults).
import {
  computeChainHash,
  computePayloadDigest,
  ZERO_HASH,
} from '../../src/domain/record/chain.ts';
import { type Act, type Halt, Halts } from '../../src/domain/halt/halt.ts';
import type { Draft, Stored } from '../../src/ledger/entry.ts';
import { toHaltEntry } from '../../src/ledger/halts/halt-entries.ts';
import { type Attempt, type Life, ORGANIZATION } from './simulation.ts';

const DAY_MS = 24 * 60 * 60 * 1000;
/** Clocks of instances differ, and jump. */
const CLOCK_TOLERANCE_MS = 10_000;

export class BrokenInvariant extends Error {}

function must(condition: boolean, what: string): asserts condition {
  if (!condition) throw new BrokenInvariant(what);
}

/** Checks the chain of a life, and that every entry in it was appended by a client. */
export function checkLife({ replicas, limit, attempts }: Life): void {
  const appended = new Set(
    attempts.filter(({ isPoison }) => !isPoison).map(({ draft }) => draft.payload),
  );
  const entries = replicas.entries();
  for (const { view, sequence } of entries)
    must(appended.has(view), `entry ${sequence} holds a payload that was never validly appended`);
  checkChain(entries, limit);
  checkHalts(entries, new Map(attempts.map(({ draft }) => [draft.payload, draft.act])));
}

/** Checks that no act stands behind a halt that forbids it, and that each entry names the newest halt. */
function checkHalts(
  entries: readonly Stored[],
  actByPayload: ReadonlyMap<string, Act | undefined>,
): void {
  let halts = new Halts();
  for (const entry of entries) {
    const act = actByPayload.get(entry.view);
    const blocking = act && halts.findBlocking(ORGANIZATION, act, () => null);
    must(!blocking, `entry ${entry.sequence} acts behind the halt at ${blocking?.sequence}`);
    if (entry.kind === 'halt') halts = halts.addEntries([toHaltEntry(entry)]);
    must((entry.control ?? 0) === halts.control, `entry ${entry.sequence} names another halt`);
  }
}

/** Whether a refused act was forbidden by a halt that stands in the chain. */
function isHaltedFor({ act }: Draft, halt: Halt, { replicas }: Life): boolean {
  const stored = replicas.entries().find(({ sequence }) => sequence === halt.sequence);
  return (
    stored?.kind === 'halt' && act?.agent === halt.target && halt.state !== ('resumed' as string)
  );
}

/** Checks a chain: no gap, no fork, hashes replay, time and usage increase, the limit holds, no entry is in twice. */
export function checkChain(entries: readonly Stored[], limit: number | null = null): void {
  let previous: Stored | null = null;
  const newest = new Map<string, number>();
  const held = new Map<string, Stored>();
  const payloads = new Set<string>();
  for (const entry of entries) {
    checkLink(entry, previous);
    checkUsage(entry, previous, limit);
    must(!payloads.has(entry.view), `${entry.view} is in twice`);
    payloads.add(entry.view);
    checkFollowing(entry, newest);
    checkIdempotency(entry, held);
    previous = entry;
  }
}

function checkLink(entry: Stored, previous: Stored | null): void {
  const at = `entry ${entry.sequence}`;
  must(
    entry.sequence === (previous?.sequence ?? 0) + 1,
    `${at} follows ${previous?.sequence ?? 0}: gap or fork`,
  );
  must(
    entry.prevHash === (previous?.chainHash ?? ZERO_HASH),
    `${at} does not link to the entry before`,
  );
  must(entry.payloadDigest === computePayloadDigest(entry.view), `${at} digests another payload`);
  const createdAt = entry.createdAt.toISOString();
  must(entry.chainHash === computeChainHash({ ...entry, createdAt }), `${at} has another hash`);
  must(!previous || entry.createdAt >= previous.createdAt, `${at} is earlier than the one before`);
}

function checkUsage(entry: Stored, previous: Stored | null, limit: number | null): void {
  const month = entry.createdAt.toISOString().slice(0, 7);
  const before = previous?.usage.month === month ? previous.usage.count : 0;
  const count = entry.kind === 'trace' ? before + 1 : before;
  const isRight = entry.usage.month === month && entry.usage.count === count;
  must(isRight, `entry ${entry.sequence} counts ${entry.usage.count}, not ${count}`);
  must(
    limit === null || count <= limit,
    `entry ${entry.sequence} is beyond the limit of the month`,
  );
}

function checkFollowing({ traceId, after, sequence }: Stored, newest: Map<string, number>): void {
  if (traceId === null) return;
  const isNext = after === undefined || newest.get(traceId) === after;
  must(isNext, `entry ${sequence} follows ${after}, not the newest entry about its trace`);
  newest.set(traceId, sequence);
}

function checkIdempotency(entry: Stored, held: Map<string, Stored>): void {
  const key = entry.keyOfDraft as string | undefined;
  if (!key) return;
  const holder = held.get(key);
  const age = holder ? entry.createdAt.getTime() - holder.createdAt.getTime() : DAY_MS;
  must(
    age >= DAY_MS - CLOCK_TOLERANCE_MS,
    `entry ${entry.sequence} repeats entry ${holder?.sequence}`,
  );
  held.set(key, entry);
}

/** Checks that every answer agrees with the chain. */
export function checkAnswers(life: Life): void {
  const byId = new Map(life.replicas.entries().map((entry) => [entry._id.toHexString(), entry]));
  for (const attempt of life.attempts) checkAnswer(attempt, byId, life);
}

function checkAnswer(attempt: Attempt, byId: ReadonlyMap<string, Stored>, life: Life): void {
  const { limit, replicas } = life;
  const { draft, answer, isPoison } = attempt;
  const of = `the answer to ${draft.payload}`;
  if (answer === null) return must(!attempt.instance.isAlive, `${of} never came`);
  if (!('kind' in answer)) {
    const code: string = answer.code;
    if (code === 'SERVICE_UNAVAILABLE') return;
    if (code === 'VALIDATION_ERROR') return must(isPoison, `${of} refuses a good document`);
    const isFull = replicas.entries().some(({ usage }) => usage.count === limit);
    return must(code === 'USAGE_LIMIT_EXCEEDED' && isFull, `${of} is ${code}: ${answer.message}`);
  }
  if (answer.kind === 'halted')
    return must(isHaltedFor(draft, answer.halt, life), `${of} calls an act halted`);
  if (answer.kind === 'exceeded')
    return must(draft.spends !== undefined, `${of} names a limit that it has not`);
  if (answer.kind === 'ungranted')
    return must(draft.spends?.grant !== undefined, `${of} uses a grant that it has not`);
  if (answer.kind === 'superseded')
    return must(draft.after !== undefined, `${of} calls a decision superseded`);
  const stored = byId.get(answer.entry._id.toHexString());
  must(stored !== undefined, `${of} names an entry that is not there`);
  must(stored.chainHash === answer.entry.chainHash, `${of} differs from what is stored`);
  if (answer.kind === 'sealed')
    return must(stored.view === draft.payload, `${of} names the entry of another caller`);
  const isRepetition =
    draft.idempotencyKey !== null &&
    stored.keyOfDraft === draft.idempotencyKey &&
    stored.view !== draft.payload;
  must(isRepetition, `${of} repeats something else`);
  const age = attempt.askedAt - stored.createdAt.getTime();
  must(age < DAY_MS + CLOCK_TOLERANCE_MS, `${of} repeats what is too old`);
}
