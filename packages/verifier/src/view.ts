// The views that this verifier knows: the members of each kind, and their values.
import { isAscending, isHex64, isMembers } from './text.ts';
import type { Position } from './layout.ts';
import type { Members, Value } from './text.ts';

/** The members of a valid view that other checks use. */
export interface View {
  kind: string;
  organizationId: string;
  traceId: string | null;
  commitments: { [name: string]: string };
  unstored?: string[];
  subject?: Position;
  after?: Position | null;
  erased?: { sequence: number; names: string[] }[];
  actor?: { kind: string; id: string | null };
  /** What a verdict says. */
  decision?: 'approve' | 'reject';
  executionId?: string;
  /** What an execution has come to, or that something is halted. */
  state?: ExecutionState | HaltState;
  /** The status of a decision as it was ingested, or of a grant. */
  status?: string;
  workspaceId?: string | null;
  agent?: string | null;
  policySetDigest?: string;
  /** What is halted. */
  scope?: string;
  target?: string;
  /** Which grant, and its terms. */
  grantId?: string;
  toolDigest?: string;
  uses?: number;
  until?: string;
  /** Which erasure a certificate is of. */
  erasureId?: string;
  digest?: string;
}

type HaltState = 'halted' | 'watched' | 'resumed';
export type ExecutionState = 'claimed' | 'succeeded' | 'failed' | 'unknown';

type Check = (value: Value | undefined) => boolean;

const isText: Check = (value) => typeof value === 'string' && /^[ !#-[\]-~]*$/.test(value);
const isTextOrNull: Check = (value) => value === null || isText(value);
const isPosition: Check = (value) =>
  hasExactMembers(value, { sequence: isOrdinal, chainHash: isHex64 });
const status = createChoice('success', 'approved', 'flagged', 'escalated', 'pending', 'blocked');
const change: Check = (value) =>
  hasExactMembers(value, {
    status: (to) => to === null || status(to),
    humanOverride: (to) => to === null || typeof to === 'boolean',
  });
const names: Check = (value) =>
  Array.isArray(value) && value.every(isText) && isAscending(value as string[]);
const erased: Check = (value) =>
  Array.isArray(value) &&
  value.every((item) => hasExactMembers(item, { sequence: isOrdinal, names }));
const actor: Check = (value) =>
  hasExactMembers(value, {
    kind: createChoice('user', 'workspaceKey', 'agentKey', 'system'),
    id: isTextOrNull,
  });
/** More values than any entry commits to; their names are compared with one another. */
const COMMITMENTS_MAX = 1000;
const commitments: Check = (value) =>
  isMembers(value) &&
  Object.keys(value).length <= COMMITMENTS_MAX &&
  Object.keys(value).every((name) => isText(name) && isHex64(value[name]));

const common: { [member: string]: Check } = {
  v: (value) => value === 1,
  kind: isText,
  organizationId: isText,
  workspaceId: isTextOrNull,
  traceId: isText,
  actor,
  commitments,
};
const amendment = { ...common, subject: isPosition, after: isPosition };
const attestation = {
  ...common,
  after: (value: Value | undefined) => value === null || isPosition(value),
};

const kinds: { [kind: string]: { [member: string]: Check } } = {
  trace: {
    ...common,
    agent: isTextOrNull,
    schemaVersion: isText,
    status,
    engineVersion: isText,
    policySetDigest: isHex64,
    scrubVersion: isText,
    unstored: names,
  },
  correction: { ...amendment, action: createChoice('approve', 'correct'), set: change },
  review: {
    ...amendment,
    reviewId: isText,
    decision: createChoice('approve', 'reject'),
    set: change,
  },
  vote: { ...amendment, reviewId: isText, decision: createChoice('approve') },
  status: { ...amendment, set: change },
  execution: {
    ...amendment,
    executionId: isText,
    state: createChoice('claimed', 'succeeded', 'failed', 'unknown'),
    leaseUntil: isTextOrNull,
  },
  compliance: {
    ...attestation,
    framework: isText,
    clauseId: isText,
    catalogVersion: isText,
    status: isText,
  },
  assessment: {
    ...attestation,
    assessmentId: isText,
    status: createChoice('review', 'approved'),
    digest: isHex64,
  },
  checkpoint: {
    ...attestation,
    incidentId: isText,
    regulator: isText,
    checkpoint: isText,
    rulesVersion: isText,
    digest: isHex64,
  },
  manifest: {
    ...attestation,
    manifestId: isText,
    status: createChoice('issued', 'revoked'),
    digest: isHex64,
  },
  certificate: { ...attestation, erasureId: isText, digest: isHex64 },
  halt: {
    ...attestation,
    scope: createChoice('session', 'agent', 'workspace', 'organization', 'person'),
    target: isText,
    state: createChoice('halted', 'watched', 'resumed'),
  },
  credential: {
    ...attestation,
    credentialId: isHex64,
    userId: isText,
    status: createChoice('enrolled', 'confirmed', 'revoked'),
    digest: isHex64,
  },
  grant: {
    ...attestation,
    grantId: isText,
    status: createChoice('granted', 'revoked', 'expired', 'exhausted'),
    agent: isText,
    toolDigest: isHex64,
    uses: isOrdinal,
    until: isText,
  },
  erasure: {
    ...amendment,
    cause: createChoice('request', 'bulk-delete', 'purge', 'retention'),
    erased,
  },
  audit: {
    ...common,
    traceId: (value) => value === null,
    auditId: isText,
    action: isText,
    status: createChoice('success', 'failure'),
    resource: isTextOrNull,
    resourceId: isTextOrNull,
  },
};

/** Kinds that attest a record; each follows the newest earlier one about it. */
export const ATTESTATIONS: ReadonlySet<string> = new Set([
  'compliance',
  'assessment',
  'checkpoint',
  'manifest',
  'certificate',
  'halt',
  'credential',
  'grant',
]);

/** Names that are never kept, in any entry. */
const NEVER_KEPT = ['editedAction', 'rawAction'];

/** The names of the values that an entry committed to without keeping them. */
export function listUnstored({ kind, unstored = [] }: View): readonly string[] {
  return kind === 'trace' ? unstored : NEVER_KEPT;
}

/** Why a view is unknown to this verifier; null when it is known. */
export function findViewFault(view: Members): string | null {
  if (view.v !== 1) return 'unknown version of the view';
  const members =
    typeof view.kind === 'string' && Object.hasOwn(kinds, view.kind) ? kinds[view.kind] : undefined;
  if (!members) return 'unknown kind of view';
  const wrong = Object.keys(members).find((member) => !(members[member] as Check)(view[member]));
  if (wrong !== undefined) return `member ${wrong} of the view is missing or malformed`;
  const { unstored = [], commitments: committed } = view as unknown as View;
  if (!unstored.every((name) => Object.hasOwn(committed, name)))
    return 'the view names a value as not stored that it does not commit to';
  return Object.keys(view).length === Object.keys(members).length
    ? null
    : 'the view has unknown members';
}

function isOrdinal(value: Value | undefined): boolean {
  return Number.isSafeInteger(value) && (value as number) > 0;
}

function createChoice(...allowed: string[]): Check {
  return (value) => allowed.includes(value as string);
}

function hasExactMembers(value: Value | undefined, members: { [member: string]: Check }): boolean {
  if (!isMembers(value)) return false;
  const checks = Object.entries(members);
  return (
    checks.length === Object.keys(value).length &&
    checks.every(([member, check]) => check(value[member]))
  );
}
