// Ways to tamper with data beside a chain, and well-sealed entries that could never have been appended.
import { canonicalize, type JsonObject } from '@assay/json';
import type { Position } from '../../../../src/domain/record/chain.ts';
import {
  createAuditPayload,
  type ErasedNames,
  createErasurePayload,
  type TracePayload,
} from '../../../../src/domain/record/payload.ts';
import { generateId } from '../../../../src/platform/ids.ts';
import type { Stored } from '../../../../src/ledger/entry.ts';
import { toObjectId } from '../../../../src/ledger/ledger.model.ts';
import type { Chance } from '../../../ledger/random.ts';
import {
  anyDecision,
  anyPlace,
  changed,
  type Columns,
  type Mutation,
  resealed,
  type Tampered,
} from './mutations.ts';

/** What a forged decision shows to every reader of the interface. */
const FORGED: Columns = {
  status: 'success',
  humanOverride: true,
  rationale: 'Because the customer asked for it.',
  changed: { outputDecision: '{"action":"nothing"}', inputContext: '{"prompt":"hello"}' },
};

/** Rows of the organisation that no replay reads, alone or to hide that a decision was forged. */
export function phantom(documents: Stored[], chance: Chance): Tampered {
  const at = anyDecision(documents, chance);
  const victim = documents[at] as Stored;
  const sequence = chance.pick<unknown>([NaN, 0, -1, Infinity, 'one', true, null, undefined]);
  const { organizationId, traceId } = victim;
  const row = {
    _id: toObjectId(generateId()),
    organizationId,
    traceId,
    sequence,
    kind: 'status',
    view: 'x',
  };
  if (sequence === undefined) delete (row as Columns).sequence;
  const isAlone = chance.happens(0.3);
  const forged = isAlone ? documents : changed(documents, at, { ...FORGED, foldedTo: 999 });
  return {
    what: `a row with the sequence ${String(sequence)}${isAlone ? '' : ', and forged columns'}`,
    documents: [...forged, row as unknown as Stored],
    place: isAlone ? documents.length + 1 : at + 1,
    inBundle: false,
  };
}

/** An entry between two others, or one that was moved there. */
export function fraction(documents: Stored[], chance: Chance): Tampered {
  const at = anyPlace(documents, chance);
  const entry = documents[at] as Stored;
  const { idempotencyKey: _key, after: _after, ...copy } = entry;
  const foreign = { ...copy, _id: toObjectId(generateId()), sequence: at + 1 + 0.5 } as Stored;
  return chance.happens(0.5)
    ? {
        what: `sequence ${at + 1} made ${at + 0.5}`,
        documents: changed(documents, at, { sequence: at + 0.5 }),
        place: at === 0 ? 1 : at + 1,
        inBundle: false,
      }
    : {
        what: `a foreign row at ${at + 1.5}`,
        documents: [...documents, foreign],
        place: at + 2,
        inBundle: false,
      };
}

/** Values that no correction replaced, shown as replaced: by others, or by nothing. */
export function blank(documents: Stored[], chance: Chance): Tampered {
  const decisions = documents.flatMap(({ kind, changed }, i) =>
    kind === 'trace' && changed === undefined ? [i] : [],
  );
  const at = chance.pick(decisions);
  const value = chance.pick([null, '"other"', '']);
  const names = chance.pick([
    ['inputContext'],
    ['outputDecision', 'metadata'],
    ['feedback'],
    ['x'],
  ]);
  return {
    what: `changed ${names.join()} to ${value}`,
    documents: changed(documents, at, {
      changed: Object.fromEntries(names.map((name) => [name, value])),
    }),
    place: at + 1,
    inBundle: false,
  };
}

/** A verdict put down to another item of the review queue. */
export function otherReview(documents: Stored[], chance: Chance): Tampered {
  const decided = documents.flatMap(({ kind, review }, i) =>
    kind === 'trace' &&
    ['approved', 'rejected'].includes((review as Columns | null)?.status as string)
      ? [i]
      : [],
  );
  const at = chance.pick(decided);
  const review = { ...((documents[at] as Stored).review as object), _id: toObjectId(generateId()) };
  return {
    what: 'the id of a review',
    documents: changed(documents, at, { review }),
    place: at + 1,
    inBundle: false,
  };
}

/** Members that no entry has. */
export function addition(documents: Stored[], chance: Chance): Tampered {
  const at = anyDecision(documents, chance);
  const { usage, sealed } = documents[at] as Stored & { sealed: Record<string, object> };
  const [what, members] = chance.pick<[string, Columns]>([
    ['a member', { approvedBy: 'the king' }],
    ['a member of usage', { usage: { ...usage, free: true } }],
    ['a member of a value', { sealed: { ...sealed, origin: { ...sealed.origin, also: 1 } } }],
    ['an empty value', { sealed: { ...sealed, harmless: null } }],
  ]);
  return { what, documents: changed(documents, at, members), place: at + 1, inBundle: false };
}

/** An entry sealed onto the end by an attacker who knows the format. */
function appended(documents: readonly Stored[], members: Columns): Stored[] {
  const last = documents.at(-1) as Stored;
  const { organizationId, createdAt, usage } = last;
  const count = members.kind === 'trace' ? usage.count + 1 : usage.count;
  const entry = {
    _id: toObjectId(generateId()),
    organizationId,
    createdAt,
    usage: { ...usage, count },
    ...members,
  };
  return [...documents, resealed(entry as unknown as Stored, last)];
}

const positionOf = ({ sequence, chainHash }: Position): Position => ({ sequence, chainHash });

/** An erasure of a decision, appended and folded. */
export function withErasure(
  documents: Stored[],
  at: number,
  erased: readonly ErasedNames[],
): Stored[] {
  const trace = documents[at] as Stored;
  const { organizationId, workspaceId, actor, traceId } = JSON.parse(trace.view) as TracePayload;
  const newest = documents.findLast((entry) => entry.traceId === traceId) as Stored;
  const view = createErasurePayload({
    organizationId,
    workspaceId,
    actor,
    traceId,
    commitments: {},
    subject: positionOf(trace),
    after: positionOf(newest),
    cause: 'request',
    erased,
  });
  const all = appended(documents, { kind: 'erasure', traceId, after: newest.sequence, view });
  const { sequence, createdAt } = all.at(-1) as Stored;
  return changed(all, at, { foldedTo: sequence, erasedAt: createdAt });
}

/** Erasures that name what was never kept, or not by this decision, or not any more. */
export function unkept(documents: Stored[], chance: Chance): Tampered {
  const at = anyDecision(documents, chance);
  const { view, sealed, sequence } = documents[at] as Stored & { sealed: Columns };
  const gone = Object.keys((JSON.parse(view) as TracePayload).commitments).filter(
    (name) => !sealed[name],
  );
  const other = documents.find(
    (entry) => entry.kind === 'trace' && entry.sequence !== sequence,
  ) as Stored;
  const [what, erased] = chance.pick<[string, ErasedNames]>([
    ['what never was', { sequence, names: ['conversation'] }],
    ['what is of another decision', { sequence: other.sequence, names: ['submitted'] }],
    ['the future', { sequence: sequence + 5000, names: ['submitted'] }],
    ['what is gone', { sequence, names: gone.length > 0 ? gone.slice(0, 1) : ['crew'] }],
  ]);
  const documentsThen = withErasure(documents, at, [erased]);
  return {
    what: `an erasure of ${what}`,
    documents: documentsThen,
    place: documentsThen.length,
    inBundle: true,
  };
}

/** The evaluation of a decision, erased in order to be rewritten: its columns must be empty then. */
export function rejudged(documents: Stored[], chance: Chance): Tampered {
  const open = documents.flatMap(({ kind, erasedAt }, i) =>
    kind === 'trace' && !erasedAt ? [i] : [],
  );
  const at = chance.pick(open);
  const { sequence, sealed } = documents[at] as Stored & { sealed: Columns };
  const erasing = withErasure(documents, at, [{ sequence, names: ['evaluation', 'origin'] }]);
  const [name, value] = chance.pick<[string, unknown]>([
    ['confidenceScore', 1],
    ['tags', []],
    ['agentVersion', '99.0'],
    ['timestamp', new Date(0)],
    ['matchedPolicyIds', []],
    ['clientInfo', { sdk: 'other', sdkVersion: null, runtime: null, os: null }],
  ]);
  const empty = {
    confidenceScore: null,
    tags: null,
    agentVersion: null,
    timestamp: null,
    matchedPolicyIds: null,
    clientInfo: null,
  };
  const left = { ...sealed, evaluation: null, origin: null };
  const isRegistered = /"agent":"/.test((documents[at] as Stored).view);
  return {
    what: `${name} written after the erasure of what it came from`,
    documents: changed(erasing, at, {
      ...empty,
      ...(isRegistered ? {} : { agentId: null }),
      [name]: value,
      sealed: left,
    }),
    place: at + 1,
    inBundle: false,
  };
}

/** A decision that is ingested again, to hide that the first was forged. */
export function secondIngestion(documents: Stored[], chance: Chance): Tampered {
  const at = anyDecision(documents, chance);
  const members = Object.entries(documents[at] as Stored).filter(([name]) => !OWN.has(name));
  const all = appended(documents, Object.fromEntries(members));
  return {
    what: `decision ${at + 1} ingested a second time`,
    documents: all,
    place: all.length,
    inBundle: true,
  };
}

const SEALED_ANEW = ['_id', 'organizationId', 'sequence', 'prevHash', 'payloadDigest', 'chainHash'];
const OWN = new Set([...SEALED_ANEW, 'createdAt', 'usage', 'idempotencyKey', 'foldedTo', 'review']);

/** An entry of the other kind of chain. */
export function foreignKind(documents: Stored[]): Tampered {
  const { organizationId } = documents[0] as Stored;
  const view = createAuditPayload({
    organizationId: organizationId.toHexString(),
    workspaceId: null,
    actor: { kind: 'system', id: null },
    auditId: generateId(),
    action: 'policy.create',
    status: 'success',
    resource: null,
    resourceId: null,
    commitments: {},
  });
  const all = appended(documents, { kind: 'audit', traceId: null, view });
  return { what: 'an audit entry', documents: all, place: all.length, inBundle: true };
}

/** The last view in another spelling of the same value, sealed. No head is noted of it. */
export function respelled(documents: Stored[], chance: Chance): Tampered {
  const last = documents.at(-1) as Stored;
  const members = JSON.parse(last.view) as JsonObject;
  const reversed = Object.fromEntries(Object.entries(members).reverse());
  const [what, view] = chance.pick<[string, string]>([
    ['a blank', last.view.replace(',"', ', "')],
    ['a member twice', last.view.replace('"v":1', '"v":1,"v":1')],
    ['members out of order', JSON.stringify(reversed)],
    ['an escape', last.view.replace('"kind"', '"k\\u0069nd"')],
  ]);
  if (canonicalize(JSON.parse(view) as JsonObject) !== last.view) throw new Error('another value');
  const entry = resealed({ ...last, view }, documents.at(-2));
  return {
    what: `a view with ${what}`,
    documents: [...documents.slice(0, -1), entry],
    place: documents.length,
    inBundle: false,
    heads: [],
  };
}

/** A noted head that is invalid, or beyond any possible head. */
export function badHead(documents: Stored[], chance: Chance): Tampered {
  const last = documents.at(-1) as Stored;
  const { sequence, chainHash } = last;
  const heads = chance.pick<object[]>([
    [
      { sequence: NaN, chainHash },
      { sequence, chainHash },
    ],
    [{ sequence: 'x', chainHash }],
    [{ chainHash }],
    [
      { sequence, chainHash: null },
      { sequence, chainHash },
    ],
    [{ sequence: sequence + 1, chainHash }],
  ]);
  return {
    what: `noted heads ${JSON.stringify(heads)}`,
    documents,
    place: documents.length + 1,
    inBundle: false,
    heads,
  };
}

/** The tail is cut and no head is left: the cursors still show that entries are lost. */
export function cutUnnoted(documents: Stored[], chance: Chance): Tampered {
  const kept = chance.integer(0, documents.length - 1);
  return {
    what: 'tail cut, heads gone',
    documents: documents.slice(0, kept),
    place: kept + 1,
    inBundle: false,
    heads: [],
  };
}

export const FORGERIES: readonly Mutation[] = [
  ...[phantom, phantom, fraction, blank, addition, unkept, rejudged, secondIngestion],
  ...[foreignKind, respelled, badHead, cutUnnoted, otherReview],
];
