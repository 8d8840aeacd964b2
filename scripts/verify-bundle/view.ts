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
}

type Check = (value: Value | undefined) => boolean;

const text: Check = (value) => typeof value === 'string' && /^[ !#-[\]-~]*$/.test(value);
const textOrNull: Check = (value) => value === null || text(value);
const position: Check = (value) => exactly(value, { sequence: ordinal, chainHash: isHex64 });
const status = oneOf('success', 'approved', 'flagged', 'escalated', 'pending', 'blocked');
const change: Check = (value) =>
  exactly(value, {
    status: (to) => to === null || status(to),
    humanOverride: (to) => to === null || typeof to === 'boolean',
  });
const names: Check = (value) =>
  Array.isArray(value) && value.every(text) && isAscending(value as string[]);
const erased: Check = (value) =>
  Array.isArray(value) && value.every((item) => exactly(item, { sequence: ordinal, names }));
const actor: Check = (value) =>
  exactly(value, { kind: oneOf('user', 'workspaceKey', 'agentKey', 'system'), id: textOrNull });
const commitments: Check = (value) =>
  isMembers(value) && Object.keys(value).every((name) => text(name) && isHex64(value[name]));

const common: { [member: string]: Check } = {
  v: (value) => value === 1,
  kind: text,
  organizationId: text,
  workspaceId: textOrNull,
  traceId: text,
  actor,
  commitments,
};
const amendment = { ...common, subject: position, after: position };
const attestation = {
  ...common,
  after: (value: Value | undefined) => value === null || position(value),
};

const kinds: { [kind: string]: { [member: string]: Check } } = {
  trace: {
    ...common,
    agent: textOrNull,
    schemaVersion: text,
    status,
    engineVersion: text,
    policySetDigest: isHex64,
    scrubVersion: text,
    unstored: names,
  },
  correction: { ...amendment, action: oneOf('approve', 'correct'), set: change },
  review: { ...amendment, reviewId: text, decision: oneOf('approve', 'reject'), set: change },
  status: { ...amendment, set: change },
  compliance: {
    ...attestation,
    framework: text,
    clauseId: text,
    catalogVersion: text,
    status: text,
  },
  assessment: {
    ...attestation,
    assessmentId: text,
    status: oneOf('review', 'approved'),
    digest: isHex64,
  },
  checkpoint: {
    ...attestation,
    incidentId: text,
    regulator: text,
    checkpoint: text,
    rulesVersion: text,
    digest: isHex64,
  },
  manifest: {
    ...attestation,
    manifestId: text,
    status: oneOf('issued', 'revoked'),
    digest: isHex64,
  },
  certificate: { ...attestation, erasureId: text, digest: isHex64 },
  erasure: { ...amendment, cause: oneOf('request', 'bulk-delete', 'purge', 'retention'), erased },
  audit: {
    ...common,
    traceId: (value) => value === null,
    auditId: text,
    action: text,
    status: oneOf('success', 'failure'),
    resource: textOrNull,
    resourceId: textOrNull,
  },
};

/** Kinds that attest a record; each follows the newest earlier one about it. */
export const ATTESTATIONS: ReadonlySet<string> = new Set([
  'compliance',
  'assessment',
  'checkpoint',
  'manifest',
  'certificate',
]);

/** Why a view is unknown to this verifier; null when it is known. */
export function viewFault(view: Members): string | null {
  if (view.v !== 1) return 'unknown version of the view';
  const members =
    typeof view.kind === 'string' && Object.hasOwn(kinds, view.kind) ? kinds[view.kind] : undefined;
  if (!members) return 'unknown kind of view';
  const wrong = Object.keys(members).find((member) => !(members[member] as Check)(view[member]));
  if (wrong !== undefined) return `member ${wrong} of the view is missing or malformed`;
  return Object.keys(view).length === Object.keys(members).length
    ? null
    : 'the view has unknown members';
}

function ordinal(value: Value | undefined): boolean {
  return Number.isSafeInteger(value) && (value as number) > 0;
}

function oneOf(...allowed: string[]): Check {
  return (value) => allowed.includes(value as string);
}

function exactly(value: Value | undefined, members: { [member: string]: Check }): boolean {
  if (!isMembers(value)) return false;
  const checks = Object.entries(members);
  return (
    checks.length === Object.keys(value).length &&
    checks.every(([member, check]) => check(value[member]))
  );
}
