// The members of each kind of payload and their valid values: tokens, ids and digests, never free text.
import type { Json, JsonObject } from '@assay/json';

type Check = (value: Json) => boolean;

const HEX64 = /^[0-9a-f]{64}$/;
const OBJECT_ID = /^[0-9a-f]{24}$/;
const TRACE_ID = /^[A-Za-z0-9_-]{1,64}$/;
const ATTESTED_ID = /^[a-z]+(?::[A-Za-z0-9._()-]+){1,3}$/;
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const GENERATED_ID = /^trc_[0-9a-f]{32}$/;
/** Versions, action names, catalogue clauses: one word, never a sentence or an e-mail address. */
const TOKEN = /^[A-Za-z0-9][A-Za-z0-9._()-]{0,63}$/;
/** 16 bytes in base64url: stands for a name that may be personal. */
const KEYED_DIGEST = /^[A-Za-z0-9_-]{22}$/;
/** The name of a commitment. */
const NAME = /^[a-z][A-Za-z0-9]{0,63}$/;

const hex64 = createPatternCheck(HEX64);
const objectId = createPatternCheck(OBJECT_ID);
const token = createPatternCheck(TOKEN);
const name = createPatternCheck(NAME);
const keyedDigest = createPatternCheck(KEYED_DIGEST);
const traceStatus = createEnumCheck(
  'success',
  'approved',
  'flagged',
  'escalated',
  'pending',
  'blocked',
);
const instant: Check = (value) => typeof value === 'string' && isInstant(value);
const sequence: Check = (value) => Number.isSafeInteger(value) && (value as number) > 0;
const position = createObjectCheck({ sequence, chainHash: hex64 });
const change = createObjectCheck({
  status: createNullableCheck(traceStatus),
  humanOverride: createNullableCheck((value) => typeof value === 'boolean'),
});
const names = createAscendingCheck(name, (value) => value as string);
const erasedNames = createObjectCheck({ sequence, names });
const actor = createObjectCheck({
  kind: createEnumCheck('user', 'workspaceKey', 'agentKey', 'system'),
  id: createNullableCheck(objectId),
});
const commitments: Check = (value) =>
  isObject(value) && Object.keys(value).every((key) => name(key) && hex64(value[key] as Json));

const common = {
  v: (value: Json) => value === 1,
  organizationId: objectId,
  workspaceId: createNullableCheck(objectId),
  traceId: createPatternCheck(TRACE_ID),
  actor,
  commitments,
};
const amendment = { ...common, subject: position, after: position };
const attestation = {
  ...common,
  traceId: createPatternCheck(ATTESTED_ID),
  after: createNullableCheck(position),
};

/** Every kind and its members; a payload has exactly these. */
const kinds: Readonly<Record<string, Readonly<Record<string, Check>>>> = {
  trace: {
    ...common,
    agent: createNullableCheck(objectId),
    schemaVersion: token,
    status: traceStatus,
    engineVersion: token,
    policySetDigest: hex64,
    scrubVersion: token,
    unstored: names,
  },
  correction: { ...amendment, action: createEnumCheck('approve', 'correct'), set: change },
  review: {
    ...amendment,
    reviewId: objectId,
    decision: createEnumCheck('approve', 'reject'),
    set: change,
  },
  vote: { ...amendment, reviewId: objectId, decision: createEnumCheck('approve') },
  status: { ...amendment, set: change },
  execution: {
    ...amendment,
    executionId: objectId,
    state: createEnumCheck('claimed', 'succeeded', 'failed', 'unknown'),
    leaseUntil: createNullableCheck(instant),
  },
  compliance: {
    ...attestation,
    framework: token,
    clauseId: token,
    catalogVersion: token,
    status: createEnumCheck('covered', 'partial', 'gap', 'not-applicable'),
  },
  erasure: {
    ...amendment,
    cause: createEnumCheck('request', 'bulk-delete', 'purge', 'retention'),
    erased: createAscendingCheck(erasedNames, (value) => (value as { sequence: number }).sequence),
  },
  assessment: {
    ...attestation,
    assessmentId: objectId,
    status: createEnumCheck('review', 'approved'),
    digest: hex64,
  },
  checkpoint: {
    ...attestation,
    incidentId: objectId,
    regulator: token,
    checkpoint: token,
    rulesVersion: token,
    digest: hex64,
  },
  manifest: {
    ...attestation,
    manifestId: objectId,
    status: createEnumCheck('issued', 'revoked'),
    digest: hex64,
  },
  certificate: { ...attestation, erasureId: objectId, digest: hex64 },
  halt: {
    ...attestation,
    scope: createEnumCheck('session', 'agent', 'workspace', 'organization', 'person'),
    target: (value) => objectId(value) || keyedDigest(value),
    state: createEnumCheck('halted', 'watched', 'resumed'),
  },
  credential: {
    ...attestation,
    credentialId: hex64,
    userId: objectId,
    status: createEnumCheck('enrolled', 'confirmed', 'revoked'),
    digest: hex64,
  },
  grant: {
    ...attestation,
    grantId: objectId,
    status: createEnumCheck('granted', 'revoked', 'expired', 'exhausted'),
    agent: objectId,
    toolDigest: hex64,
    uses: sequence,
    until: instant,
  },
  audit: {
    ...common,
    traceId: (value: Json) => value === null,
    auditId: createPatternCheck(TRACE_ID),
    action: token,
    status: createEnumCheck('success', 'failure'),
    resource: createNullableCheck(token),
    resourceId: createNullableCheck((value) => typeof value === 'string' && isGeneratedId(value)),
  },
};

/** The kinds of attestations, and the members that identify the attested record. */
const NAMED_BY = {
  compliance: ['framework', 'clauseId'],
  assessment: ['assessmentId'],
  checkpoint: ['incidentId', 'regulator', 'checkpoint'],
  manifest: ['manifestId'],
  certificate: ['erasureId'],
  halt: ['scope', 'target'],
  credential: ['credentialId'],
  grant: ['grantId'],
} as const;
export type AttestationKind = keyof typeof NAMED_BY;
export const ATTESTATION_KINDS = Object.keys(NAMED_BY) as readonly AttestationKind[];

export function isAttestationKind(kind: string): kind is AttestationKind {
  return Object.hasOwn(NAMED_BY, kind);
}

/** The trace id of entries about a record, for example `compliance:iso-42001:6.1`. */
export function deriveAttestedId(kind: AttestationKind, members: object): string {
  const named = members as Readonly<Record<string, string>>;
  return [kind, ...NAMED_BY[kind].map((member) => named[member])].join(':');
}

const checksByKind = new Map(
  Object.entries(kinds).map(([kind, checks]) => [kind, Object.entries(checks)]),
);

/** Whether a text is a generated id and so cannot be personal: 24 hex digits, a UUID or a trace id. */
export function isGeneratedId(text: string): boolean {
  return OBJECT_ID.test(text) || UUID.test(text) || GENERATED_ID.test(text);
}

/** Why a value is not a payload of version 1; null when it is one. */
export function findPayloadProblem(payload: Json): string | null {
  if (!isObject(payload)) return 'not an object';
  const { kind } = payload;
  const checks = typeof kind === 'string' ? checksByKind.get(kind) : undefined;
  if (!checks) return 'unknown kind';
  for (const [member, check] of checks) {
    if (!Object.hasOwn(payload, member)) return `member ${member} is missing`;
    if (!check(payload[member] as Json)) return `member ${member} is malformed`;
  }
  if (Object.keys(payload).length > checks.length + 1) return 'unknown member';
  const isNamed =
    !isAttestationKind(kind as string) ||
    payload.traceId === deriveAttestedId(kind as never, payload);
  return isNamed ? null : 'traceId names another record';
}

/** Whether a text is a moment as `Date.prototype.toISOString` writes it. */
function isInstant(text: string): boolean {
  const time = Date.parse(text);
  return !Number.isNaN(time) && new Date(time).toISOString() === text;
}

function createPatternCheck(pattern: RegExp): Check {
  return (value) => typeof value === 'string' && pattern.test(value);
}

function createEnumCheck(...allowed: string[]): Check {
  return (value) => allowed.includes(value as string);
}

function createNullableCheck(check: Check): Check {
  return (value) => value === null || check(value);
}

/** Checks an object with exactly these members. */
function createObjectCheck(members: Readonly<Record<string, Check>>): Check {
  const wanted = Object.entries(members);
  return (value) =>
    isObject(value) &&
    Object.keys(value).length === wanted.length &&
    wanted.every(([key, check]) => Object.hasOwn(value, key) && check(value[key] as Json));
}

/** Checks a list in strictly ascending order of a key, hence without duplicates. */
function createAscendingCheck(check: Check, toKey: (value: Json) => string | number): Check {
  return (value) =>
    Array.isArray(value) &&
    value.every((item, i) => check(item) && (i === 0 || toKey(value[i - 1] as Json) < toKey(item)));
}

function isObject(value: Json): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
