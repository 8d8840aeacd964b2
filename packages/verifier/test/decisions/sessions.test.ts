// The offline verifier on sessions: a decision was judged on what the entries before it made of its session.
import { expect, test } from 'vitest';
import type { ToolAct } from '@assay/policy';
import {
  type CommittedSession,
  type KnownSession,
  readSessionChange,
  sealSession,
  toCurrentState,
} from '../../../../src/domain/sessions/session-register.ts';
import { createDice } from '../../../../test/domain/record/samples/sample-chain.ts';
import { chooseRuns } from '../../../../test/setup/runs.ts';
import { Sessions } from '../../src/decisions/sessions.ts';
import type { View } from '../../src/view.ts';

type Dice = ReturnType<typeof createDice>;
interface State {
  acts?: ToolAct[];
  labels?: string[];
  session: CommittedSession;
}
interface Entry {
  view: View;
  state: State;
  sequence: number;
  traceId: string;
  createdAt: string;
}

const ACTS: ToolAct[] = [
  { tool: 'read', times: 1, does: [], gives: ['private', 'untrusted'] },
  { tool: 'send', times: 2, does: ['outbound'], gives: [], step: true },
  { tool: null, times: 1, does: ['execute', 'money'], gives: ['secret'] },
];

/** A chain of decisions, approvals and outcomes in three sessions, as the service seals it. */
class Chain {
  readonly entries: Entry[] = [];
  readonly #dice: Dice;
  readonly #known = new Map<string, KnownSession>();
  #time = Date.UTC(2026, 0, 1);

  constructor(dice: Dice) {
    this.#dice = dice;
  }

  addEntry(): void {
    this.#time += this.#dice(this.#dice(4) === 0 ? 30 * 3_600_000 : 60_000) + 1;
    const held = this.entries.filter(({ view }) => view.status === 'flagged');
    const about = held[this.#dice(held.length + 1)];
    if (about && this.#dice(3) === 0) this.#addApproval(about);
    else this.#addDecision();
  }

  #addDecision(): void {
    const key = `session-${this.#dice(3)}`;
    const known = this.#known.get(key) ?? null;
    const at = new Date(this.#time - 1).toISOString();
    const parent = [...this.#known.values()].find((other) => other.key !== key);
    const sequence = parent && this.#findSequence(parent);
    const when = { at, idleHours: 24 };
    const isBegun = toCurrentState(known, when) !== known?.state;
    const from =
      isBegun && parent && this.#dice(2) === 0 ? { key: parent.key, sequence: sequence! } : null;
    const before = toCurrentState(known, when, from ? parent!.state.labels : undefined);
    const session = { key, ...when, n: (known?.n ?? 0) + 1, before, ...(from && { from }) };
    const status = (['approved', 'flagged', 'blocked'] as const)[this.#dice(3)]!;
    const state = {
      acts: ACTS.slice(0, 1 + this.#dice(3)),
      ...(this.#dice(4) === 0 && { labels: ['internal'] }),
      session,
    };
    this.#seal({ kind: 'trace', status }, `trc_${this.entries.length}`, state);
  }

  #addApproval({ traceId, state: { acts, session } }: Entry): void {
    const { key, idleHours } = session;
    const state = { acts: acts ?? [], session: { key, idleHours } };
    this.#seal({ kind: 'review', decision: 'approve' }, traceId, state);
  }

  #findSequence({ key, n }: KnownSession): number {
    const own = this.entries.filter(({ state }) => state.session.key === key);
    return own[n - 1]!.sequence;
  }

  #seal(
    said: { kind: string; status?: string; decision?: string },
    traceId: string,
    state: State,
  ): void {
    const sequence = this.entries.length + 1;
    const change = readSessionChange({ traceId, isObserved: false, ...said }, state);
    const { key } = state.session;
    const createdAt = new Date(this.#time);
    const draft = { committed: state.session, change };
    const sealed = sealSession(this.#known.get(key) ?? null, draft, createdAt)!;
    this.#known.set(key, { ...sealed, traceId });
    const view = {
      ...said,
      commitments: { state: '' },
      actor: { kind: 'user' },
    } as unknown as View;
    this.entries.push({ view, state, sequence, traceId, createdAt: createdAt.toISOString() });
  }
}

const toShown = (state: object | null) =>
  state === null
    ? new Map()
    : new Map([['state', { whole: true, values: [{ path: '', value: state as never }] }]]);

const verify = (
  entries: readonly (Omit<Entry, 'state'> & { state: object | null })[],
): (string | null)[] => {
  const sessions = new Sessions();
  return entries.map((entry) => sessions.addEntry(entry, entry.view, toShown(entry.state)));
};

const createChain = (dice: Dice): Entry[] => {
  const chain = new Chain(dice);
  for (let count = 0; count < 25; count++) chain.addEntry();
  return chain.entries;
};

test(
  'accuses no chain as it was sealed, nor a part of it, nor what is withheld',
  { tags: ['varied'] },
  () => {
    const dice = createDice(17);
    for (let run = 0; run < chooseRuns(300, 5_000); run++) {
      const entries = createChain(dice);
      const isFault = (fault: string | null): boolean => fault !== null;
      expect(verify(entries).filter(isFault)).toEqual([]);
      expect(verify(entries.slice(dice(20))).filter(isFault)).toEqual([]);
      const shown = entries.map((entry) => ({
        ...entry,
        state: dice(4) === 0 ? null : entry.state,
      }));
      expect(verify(shown).filter(isFault)).toEqual([]);
    }
  },
);

test(
  'finds a label that was lost, a number that comes twice and an order that was changed',
  { tags: ['varied'] },
  () => {
    const dice = createDice(18);
    const counted = { labels: 0, numbers: 0, orders: 0 };
    for (let run = 0; run < chooseRuns(300, 5_000); run++) {
      const entries = createChain(dice);
      const isDecision = ({ view, state }: Entry): boolean =>
        view.kind === 'trace' &&
        Object.keys(state.session.before!.labels).length > 0 &&
        !state.session.from;
      const at = entries.findIndex(isDecision);
      if (at < 0) continue;
      const { session } = entries[at]!.state;
      const change = (changed: Partial<CommittedSession>) =>
        entries.map((entry, index) =>
          index === at
            ? { ...entry, state: { ...entry.state, session: { ...session, ...changed } } }
            : entry,
        );
      const lost = verify(change({ before: { ...session.before!, labels: {} } }));
      expect(lost[at]).toBe('it was judged on another state of its session');
      counted.labels++;
      const twice = verify(change({ n: session.n! - 1 }));
      expect(twice[at]).toContain('of its session');
      counted.numbers++;
      const same = entries.flatMap((entry, index) =>
        entry.view.kind === 'trace' && entry.state.session.key === session.key ? [index] : [],
      );
      const [one, other] = same;
      if (one === undefined || other === undefined) continue;
      const swapped = [...entries];
      [swapped[one], swapped[other]] = [entries[other]!, entries[one]!];
      expect(verify(swapped).some((fault) => fault !== null)).toBe(true);
      counted.orders++;
    }
    expect(Math.min(...Object.values(counted))).toBeGreaterThan(100);
  },
);
