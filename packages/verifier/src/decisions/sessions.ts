// Follows sessions: each decision was judged on what the entries before it made of its session.
import type { Shown } from '../disclosures.ts';
import { type Members, toCanonicalJson, toMembers, type Value } from '../text.ts';
import type { View } from '../view.ts';

/** Sessions that are followed at a time; beyond them it begins to follow again. */
const SESSIONS_MAX = 100_000;
const LAST_MAX = 8;
const HOUR_MS = 3_600_000;

/** A session as its newest entry left it. */
interface Known {
  n: number;
  sequence: number;
  state: Members;
}

/** What an entry commits to of its session. */
interface Said {
  /** Null: it belongs to none. */
  session: Members | null;
  acts: Members[];
  labels: string[];
}

interface Sealed {
  sequence: number;
  traceId: string | null;
  createdAt: string;
}

/** The sessions of a document. What they were before its first entry is not known. */
export class Sessions {
  private readonly known = new Map<string, Known>();

  /** Adds the next entry; returns its fault, or null. */
  addEntry(entry: Sealed, view: View, shown: ReadonlyMap<string, Shown>): string | null {
    if (!Object.hasOwn(view.commitments, 'state')) return null;
    const said = readSaid(shown.get('state'));
    // What is withheld may belong to any session.
    if (said === null || this.known.size >= SESSIONS_MAX) this.known.clear();
    const session = said?.session;
    if (!said || !session) return null;
    const key = String(session['key']);
    const known = this.known.get(key);
    const fault = view.kind === 'trace' ? this.findFault(session, known) : null;
    const next = fault === null ? toNext(entry, { view, shown, said, session, known }) : null;
    if (next) this.known.set(key, next);
    else this.known.delete(key);
    return fault;
  }

  private findFault(session: Members, known: Known | undefined): string | null {
    const { n, before, from } = session;
    if (known && n !== known.n + 1) return `it is number ${String(n)} of its session`;
    if (!known && n !== 1) return null;
    const labels = from === undefined ? {} : this.findLabels(toMembers(from));
    const inherited = labels ?? toMembers(toMembers(before ?? null)['labels'] ?? null);
    const expected = toCurrent(known, session, inherited);
    return isSame(before ?? null, expected)
      ? null
      : 'it was judged on another state of its session';
  }

  /** The labels that a session had after an entry; null: that is not known. */
  private findLabels({ key, sequence }: Members): Members | null {
    const other = this.known.get(String(key));
    return other && other.sequence === sequence ? toMembers(other.state['labels'] ?? null) : null;
  }
}

const isSame = (one: Value, other: Value): boolean =>
  toCanonicalJson(one) === toCanonicalJson(other);

function toCurrent(
  known: Known | undefined,
  { at, idleHours }: Members,
  labels: Members = {},
): Members {
  const time = Date.parse(String(at));
  const hours = (time - Date.parse(String(known?.state['seen']))) / HOUR_MS;
  if (known && !(hours > Number(idleHours))) return known.state;
  const began = String(at);
  return { labels, counts: {}, acts: 0, blocked: 0, last: [], steps: [], began, seen: began };
}

interface EntryOfSession {
  view: View;
  shown: ReadonlyMap<string, Shown>;
  said: Said;
  session: Members;
  known: Known | undefined;
}

/** The session after an entry; null: that is not known. */
function toNext(
  { sequence, traceId, createdAt }: Sealed,
  { view, shown, said, session, known }: EntryOfSession,
): Known | null {
  const isDecision = view.kind === 'trace';
  const isLet = findLet(view, shown);
  if ((!isDecision && !known) || isLet === null) return null;
  const at = isDecision ? String(session['at']) : new Date(createdAt).toISOString();
  const before = isDecision
    ? toMembers(session['before'] ?? null)
    : toCurrent(known, { ...session, at });
  const state: Members = {
    ...before,
    ...addDone(before, isLet ? said.acts : []),
    labels: addLabels(before, { said, isLet, traceId }),
    acts: Number(before['acts']) + Number(isLet),
    blocked: Number(before['blocked']) + Number(view.status === 'blocked' && !isLet),
    seen: at > String(before['seen']) ? at : (before['seen'] ?? at),
  };
  return { n: isDecision ? Number(session['n']) : (known?.n ?? 0) + 1, sequence, state };
}

/** Whether what it proposes is done; null: that cannot be known, since how it was reported is not shown. */
function findLet(
  { kind, status, decision, commitments }: View,
  shown: ReadonlyMap<string, Shown>,
): boolean | null {
  if (kind !== 'trace') return kind === 'review' && decision === 'approve';
  if (status === 'approved' || !Object.hasOwn(commitments, 'adapter')) return status === 'approved';
  const adapter = shown.get('adapter');
  if (adapter?.whole !== true) return null;
  return toMembers(adapter.values[0]?.value ?? null)['mode'] === 'observed';
}

function addLabels(
  before: Members,
  { said, isLet, traceId }: { said: Said; isLet: boolean; traceId: string | null },
): Members {
  const known = toMembers(before['labels'] ?? null);
  const given = isLet ? said.acts.flatMap(({ gives }) => readTexts(gives)) : [];
  const added = [...said.labels, ...given].filter((label) => !Object.hasOwn(known, label));
  return { ...known, ...Object.fromEntries(added.map((label) => [label, traceId])) };
}

function addDone(before: Members, done: Members[]): Members {
  const counts = { ...toMembers(before['counts'] ?? null) };
  for (const { does, times } of done)
    for (const effect of readTexts(does))
      counts[effect] = Number(counts[effect] ?? 0) + Number(times);
  const effects = done.flatMap(({ does }) => readTexts(does));
  const steps = done.flatMap(({ tool, step }) => (step === true ? readTexts([tool ?? null]) : []));
  return {
    counts,
    last: [...readTexts(before['last']), ...effects].slice(-LAST_MAX),
    steps: [...new Set([...readTexts(before['steps']), ...steps])],
  };
}

/** Null: it is withheld. */
function readSaid(shown: Shown | undefined): Said | null {
  if (shown?.whole !== true) return null;
  const { session, acts, labels } = toMembers(shown.values[0]?.value ?? null);
  return {
    session: session === undefined ? null : toMembers(session),
    acts: (Array.isArray(acts) ? acts : []).map(toMembers),
    labels: readTexts(labels),
  };
}

const readTexts = (value: Value | undefined): string[] =>
  Array.isArray(value) ? value.filter((one) => typeof one === 'string') : [];
