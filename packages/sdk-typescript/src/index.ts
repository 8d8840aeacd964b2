// The public parts of the SDK.
export { Assay } from './assay.ts';
export type { RunContext } from './context.ts';
export * from './errors.ts';
export type { GuardOptions, Mapping } from './guarding/call.ts';
export type { Standing } from './guarding/guard.ts';
export { canonicalize, mergePatch, type Json, type JsonObject } from './json.ts';
export { computeCommitment, hashJson } from './digest.ts';
export type { AssayOptions, OnUnavailable, OriginKeeper } from './options.ts';
export type { Outcome, ReviewStatus, Used, Verdict } from './service.ts';
export * as webhooks from './webhooks.ts';
