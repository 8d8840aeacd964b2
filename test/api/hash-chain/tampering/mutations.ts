// Ways to tamper with a stored chain, each with the place where it must be found.
import {
  computeChainHash,
  formatChainTime,
  computePayloadDigest,
} from '../../../../src/domain/record/chain.ts';
import { commitValue } from '../../../../src/domain/record/commitments.ts';
import { generateId, draw16Bytes } from '../../../../src/platform/ids.ts';
import type { Stored } from '../../../../src/ledger/entry.ts';
import { toObjectId } from '../../../../src/ledger/ledger.model.ts';
import type { Chance } from '../../../ledger/random.ts';

/** A chain after tampering. */
export interface Tampered {
  what: string;
  documents: Stored[];
  /** The sequence that must be named. */
  place: number;
  /** Whether an exported bundle shows it too: what is not in the chain is not in the bundle. */
  inBundle: boolean;
  /** What is noted of the chain's heads afterwards; absent: what was noted before. */
  heads?: readonly object[];
}

export type Columns = Record<string, unknown>;
export type Mutation = (documents: Stored[], chance: Chance) => Tampered;

/** Plain columns and another value for each. */
const OTHER_VALUES: readonly [string, (value: unknown) => unknown][] = [
  ['status', (value) => (value === 'pending' ? 'success' : 'pending')],
  ['verdict', (value) => (value === 'blocked' ? 'approved' : 'blocked')],
  ['confidenceScore', (value) => ((value as number) + 0.25) % 1],
  ['tags', (value) => [...(value as string[]), 'HARMLESS']],
  ['humanOverride', (value) => !value],
  ['agentId', () => generateId()],
  ['agentName', () => 'Mallory'],
  ['agentVersion', () => '99.0'],
  ['answer', (value) => ({ ...(value as object | null), policy: { name: 'Any', reason: 'none' } })],
  ['workspaceId', () => generateId()],
  ['schemaVersion', () => '1999-01-01'],
  ['timestamp', (value) => new Date(Number(value ?? 0) - 1)],
  ['rationale', () => 'Because the customer asked for it.'],
  ['triggeringCondition', () => 'another message'],
  ['clientInfo', () => ({ sdk: 'other', sdkVersion: null, runtime: null, os: null })],
  ['matchedPolicyIds', (value) => [...(value as string[]), generateId()]],
  ['scrub', () => ({ rulesVersion: 'none' })],
  ['foldedTo', (value) => (Number(value) || 0) + 1000],
  ['deletedAt', (value) => (value ? null : new Date(0))],
  ['erasedAt', (value) => (value ? null : new Date(0))],
  ['usage', (value) => ({ ...(value as { month: string }), count: 77 })],
  [
    'review',
    (value) =>
      value
        ? { ...value, status: 'rejected' }
        : { _id: toObjectId(generateId()), status: 'approved' },
  ],
];

/** An entry resealed on the one before it, by an attacker who knows the format. */
export function resealed(entry: Stored, before: Stored | undefined): Stored {
  const prevHash = before?.chainHash ?? entry.prevHash;
  const sequence = (before?.sequence ?? 0) + 1;
  const digest = computePayloadDigest(entry.view);
  const link = {
    prevHash,
    payloadDigest: digest,
    sequence,
    createdAt: formatChainTime(entry.createdAt),
  };
  return { ...entry, prevHash, sequence, payloadDigest: digest, chainHash: computeChainHash(link) };
}

export function changed(documents: Stored[], at: number, members: Columns): Stored[] {
  return documents.map((entry, i) => (i === at ? { ...entry, ...members } : entry));
}

export function anyPlace(documents: readonly Stored[], chance: Chance): number {
  return chance.integer(0, documents.length - 1);
}

export function anyDecision(documents: readonly Stored[], chance: Chance): number {
  const decisions = documents.flatMap(({ kind }, i) => (kind === 'trace' ? [i] : []));
  return chance.pick(decisions);
}

function anyWithFacts(documents: readonly Stored[], chance: Chance): number {
  const withFacts = documents.flatMap((entry, i) => (valuesOf(entry).includes('facts') ? [i] : []));
  return chance.pick(withFacts);
}

function otherDigit(hex: string, at: number): string {
  return `${hex.slice(0, at)}${hex[at] === '0' ? '1' : '0'}${hex.slice(at + 1)}`;
}

function flipView(documents: Stored[], chance: Chance): Tampered {
  const at = anyPlace(documents, chance);
  const { view } = documents[at] as Stored;
  // A digit inside a commitment or a hash: the view stays a view.
  const digits = [...view.matchAll(/(?<=[0-9a-f]{8})[0-9a-f](?=[0-9a-f]{8})/g)].map(
    ({ index }) => index,
  );
  const flipped = otherDigit(view, chance.pick(digits));
  return {
    what: 'view flipped',
    documents: changed(documents, at, { view: flipped }),
    place: at + 1,
    inBundle: true,
  };
}

function flipHash(documents: Stored[], chance: Chance): Tampered {
  const at = anyPlace(documents, chance);
  const field = chance.pick(['prevHash', 'payloadDigest', 'chainHash'] as const);
  const flipped = otherDigit((documents[at] as Stored)[field], chance.integer(0, 63));
  return {
    what: `${field} flipped`,
    documents: changed(documents, at, { [field]: flipped }),
    place: at + 1,
    inBundle: true,
  };
}

function moveInTime(documents: Stored[], chance: Chance): Tampered {
  const at = anyPlace(documents, chance);
  const createdAt = new Date(
    (documents[at] as Stored).createdAt.getTime() + chance.pick([-3_600_000, -1, 1, 90_000]),
  );
  return {
    what: 'createdAt moved',
    documents: changed(documents, at, { createdAt }),
    place: at + 1,
    inBundle: true,
  };
}

function deleteMiddle(documents: Stored[], chance: Chance): Tampered {
  const from = chance.integer(0, documents.length - 2);
  const to = chance.integer(from, documents.length - 2);
  const left = documents.filter((_, i) => i < from || i > to);
  return {
    what: `entries ${from + 1} to ${to + 1} deleted`,
    documents: left,
    place: from + 1,
    inBundle: true,
  };
}

function cutTail(documents: Stored[], chance: Chance): Tampered {
  const kept = chance.integer(0, documents.length - 1);
  return {
    what: 'tail cut',
    documents: documents.slice(0, kept),
    place: kept + 1,
    inBundle: false,
  };
}

function swap(documents: Stored[], chance: Chance): Tampered {
  const a = chance.integer(0, documents.length - 2);
  const b = chance.integer(a + 1, documents.length - 1);
  const [first, second] = [documents[a] as Stored, documents[b] as Stored];
  const swapped = documents
    .with(a, { ...second, sequence: a + 1 })
    .with(b, { ...first, sequence: b + 1 });
  return {
    what: `entries ${a + 1} and ${b + 1} swapped`,
    documents: swapped,
    place: a + 1,
    inBundle: true,
  };
}

/** A forged entry that links to the one before; later ones are renumbered and no longer fit. */
function insert(documents: Stored[], chance: Chance): Tampered {
  const at = chance.integer(1, documents.length - 2);
  const decision = documents[anyDecision(documents, chance)] as Stored;
  const { traceId } = decision;
  const other = `trc_${generateId()}00000000`;
  const view = decision.view.replace(`"traceId":"${traceId}"`, `"traceId":"${other}"`);
  const before = documents[at - 1] as Stored;
  const { idempotencyKey: _idempotencyKey, ...copy } = decision;
  const forged = resealed(
    {
      ...copy,
      _id: toObjectId(generateId()),
      traceId: other,
      view,
      createdAt: before.createdAt,
    } as Stored,
    before,
  );
  const count = before.usage.count + 1;
  const rest = documents.slice(at).map((entry) => ({ ...entry, sequence: entry.sequence + 1 }));
  const all = [
    ...documents.slice(0, at),
    { ...forged, usage: { ...before.usage, count } },
    ...rest,
  ];
  return { what: `inserted at ${at + 1}`, documents: all, place: at + 2, inBundle: true };
}

function editColumn(documents: Stored[], chance: Chance): Tampered {
  const [name, other] = chance.pick(OTHER_VALUES);
  // The name of a registered agent outlives the facts that prove it, as a mere label: its id is in the view.
  const at =
    name === 'agentName' ? anyWithFacts(documents, chance) : anyDecision(documents, chance);
  const value = other((documents[at] as Stored)[name]);
  return {
    what: `${name} edited`,
    documents: changed(documents, at, { [name]: value }),
    place: at + 1,
    inBundle: false,
  };
}

function editPayload(documents: Stored[], chance: Chance): Tampered {
  const holders = documents.flatMap((entry, i) => (valuesOf(entry).length > 0 ? [i] : []));
  const at = chance.pick(holders);
  const entry = documents[at] as Stored;
  const sealed = { ...(entry.sealed as Record<string, { seed: string; text: string } | null>) };
  const name = chance.pick(valuesOf(entry));
  const value = sealed[name] as { seed: string; text: string };
  const edits: readonly [string, () => unknown][] = [
    ['text', () => (sealed[name] = { ...value, text: JSON.stringify('another value') })],
    ['seed', () => (sealed[name] = { ...value, seed: draw16Bytes().toString('base64url') })],
    ['both', () => (sealed[name] = commitValue(name, 'another value', draw16Bytes()))],
    ['loss', () => (sealed[name] = null)],
    ['removal', () => delete sealed[name]],
    ['addition', () => (sealed.harmless = value)],
  ];
  const [how, edit] = chance.pick(edits);
  edit();
  return {
    what: `payload ${name}: ${how}`,
    documents: changed(documents, at, { sealed }),
    place: at + 1,
    inBundle: false,
  };
}

function valuesOf({ sealed }: Stored): string[] {
  const values = (sealed ?? {}) as Record<string, unknown>;
  return Object.keys(values).filter((name) => values[name]);
}

function relabel(documents: Stored[], chance: Chance): Tampered {
  const at = chance.integer(0, documents.length - 2);
  const entry = documents[at] as Stored;
  const labels: readonly [string, Columns][] = [
    ['kind', { kind: entry.kind === 'trace' ? 'status' : 'trace' }],
    ['traceId', { traceId: `trc_${generateId()}00000000` }],
    ['organizationId', { organizationId: toObjectId(generateId()) }],
  ];
  const [what, members] = chance.pick(labels);
  return {
    what: `${what} relabelled`,
    documents: changed(documents, at, members),
    place: at + 1,
    inBundle: what !== 'kind',
  };
}

/** Everything from some position on is resealed over another view: consistent in itself, but not the original. */
export function rewriteFrom(documents: Stored[], at: number): Stored[] {
  const kept = documents.slice(0, at);
  for (const entry of documents.slice(at)) {
    const view = entry.view
      .replace(/"kind":"user"/, '"kind":"system"')
      .replace(/"kind":"workspaceKey"/, '"kind":"agentKey"');
    kept.push(resealed({ ...entry, view }, kept.at(-1)));
  }
  return kept;
}

export const MUTATIONS: readonly Mutation[] = [
  ...[flipView, flipHash, moveInTime, deleteMiddle, cutTail, swap, insert],
  ...[editColumn, editColumn, editColumn, editPayload, editPayload, relabel],
];
