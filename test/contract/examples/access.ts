// Kinds of callers and the usual answers to them, transcribed from the specification (document 1, sections 4 and 5).
import type { Code } from '../../../src/errors.ts';

export const PERSONAS = [
  'anonymous',
  'owner',
  'admin',
  'reviewer',
  'member',
  'viewer',
  'auditor',
  'workspaceKey',
  'readOnlyKey',
  'scopedKey',
  'agentKey',
  'foreigner',
  'expired',
  'sandbox',
  'directory',
  'sandboxDirectory',
] as const;
/**
 * `directory` presents the organisation's SCIM token; `foreigner` is another organisation's owner with this organisation's
 * ids; `sandbox` is the owner of an organisation on that plan.
 */
export type Persona = (typeof PERSONAS)[number];

/** Let in and served, or the code of the refusal. */
export type Verdict = 'ok' | Code;
export type Access = Readonly<Record<Persona, Verdict>>;

/** A SCIM token is no session token. */
const noSession = {
  directory: 'TOKEN_VERIFICATION_FAILED',
  sandboxDirectory: 'TOKEN_VERIFICATION_FAILED',
} as const;

export const everybody = Object.fromEntries(PERSONAS.map((persona) => [persona, 'ok'])) as Access;

/** Every signed-in user, in any role; no keys. */
export const signedIn: Access = {
  ...everybody,
  anonymous: 'NO_TOKEN',
  workspaceKey: 'FORBIDDEN',
  readOnlyKey: 'FORBIDDEN',
  scopedKey: 'FORBIDDEN',
  agentKey: 'FORBIDDEN',
  expired: 'TOKEN_EXPIRED',
  ...noSession,
};
export const readersInPerson: Access = { ...signedIn, auditor: 'FORBIDDEN' };
/** Workspace keys read like a member. */
export const readers: Access = {
  ...readersInPerson,
  workspaceKey: 'ok',
  readOnlyKey: 'ok',
  scopedKey: 'ok',
};
/** Those who decide. */
export const reviewers: Access = { ...readersInPerson, member: 'FORBIDDEN', viewer: 'FORBIDDEN' };
export const managers: Access = {
  ...readersInPerson,
  reviewer: 'FORBIDDEN',
  member: 'FORBIDDEN',
  viewer: 'FORBIDDEN',
};
export const owners: Access = { ...managers, admin: 'FORBIDDEN' };
export const writers: Access = { ...readersInPerson, viewer: 'FORBIDDEN' };
/** Ingestion requires a key; a session token is no well-formed key. */
export const agentKeys: Access = {
  ...(Object.fromEntries(PERSONAS.map((persona) => [persona, 'INVALID_API_KEY_FORMAT'])) as Access),
  anonymous: 'NO_API_KEY',
  workspaceKey: 'ok',
  readOnlyKey: 'FORBIDDEN',
  scopedKey: 'ok',
  agentKey: 'ok',
};

/** Identity providers only; a session token is no SCIM token, and an API key none at all. */
export const directories: Access = {
  ...(Object.fromEntries(PERSONAS.map((persona) => [persona, 'TOKEN_REVOKED'])) as Access),
  anonymous: 'NO_TOKEN',
  workspaceKey: 'NO_TOKEN',
  readOnlyKey: 'NO_TOKEN',
  scopedKey: 'NO_TOKEN',
  agentKey: 'NO_TOKEN',
  directory: 'ok',
  sandboxDirectory: 'UPGRADE_REQUIRED',
};
export const fixedRecords: Access = { ...directories, directory: 'METHOD_NOT_ALLOWED' };

export const denyForeigner = (access: Access): Access => ({ ...access, foreigner: 'NOT_FOUND' });
/** Let in, and refused for what the example cannot bring. */
export const refuseAll = (access: Access, code: Code): Access =>
  Object.fromEntries(
    Object.entries(access).map(([persona, verdict]) => [
      persona,
      verdict === 'ok' ? code : verdict,
    ]),
  ) as Access;
/** Nothing is there to be found yet. */
export const refuseAbsent = (access: Access): Access => refuseAll(access, 'NOT_FOUND');
export const requirePaidPlan = (access: Access): Access => ({
  ...access,
  sandbox: 'UPGRADE_REQUIRED',
});
export const refuseScopedKey = (access: Access): Access => ({ ...access, scopedKey: 'FORBIDDEN' });
