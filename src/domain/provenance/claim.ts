// The claim of a provenance manifest about one decision and its content, with assertions under the labels of C2PA 2.
import { canonicalizeObject, type Json, type JsonObject } from '@assay/json';

/** Assertions in the form of the API. */
export interface Assertions {
  actions: JsonObject[];
  ingredients: JsonObject[];
  creativeWork: JsonObject | null;
  aiTrainingMining: JsonObject | null;
}

/** An assertion in the form of a claim. */
interface LabelledAssertion {
  label: string;
  data: JsonObject;
}

export interface ClaimFacts {
  organizationId: string;
  /** The slug of the organisation. */
  issuer: string;
  traceId: string;
  label: string;
  /** SHA-256 of the covered content, in hex. */
  contentHash: string;
  /** ISO 8601 in UTC. */
  issuedAt: string;
}

export interface Claim extends ClaimFacts {
  v: 1;
  assertions: LabelledAssertion[];
}

export const NO_ASSERTIONS: Assertions = {
  actions: [],
  ingredients: [],
  creativeWork: null,
  aiTrainingMining: null,
};

export function createClaim(facts: ClaimFacts, assertions: Assertions): Claim {
  const { organizationId, issuer, traceId, label, contentHash, issuedAt } = facts;
  const covered = { organizationId, issuer, traceId, label, contentHash, issuedAt };
  return { v: 1, ...covered, assertions: labelAssertions(assertions) };
}

/** The canonical text of a claim (RFC 8785). */
export const toClaimText = (claim: Claim): string => canonicalizeObject(claim);

/** Repeated assertions of a kind get numbered labels, as in C2PA. */
function labelAssertions({ actions, ingredients, creativeWork, aiTrainingMining }: Assertions) {
  const list: LabelledAssertion[] = [];
  if (actions.length > 0) list.push({ label: 'c2pa.actions.v2', data: { actions } });
  for (const [index, data] of ingredients.entries())
    list.push({ label: `c2pa.ingredient.v3${index === 0 ? '' : `__${index}`}`, data });
  if (creativeWork) list.push({ label: 'cawg.metadata', data: creativeWork });
  if (aiTrainingMining) list.push({ label: 'cawg.training-mining', data: aiTrainingMining });
  return list;
}

const FORMS: Readonly<Record<keyof ClaimFacts, RegExp>> = {
  organizationId: /^[0-9a-f]{24}$/,
  issuer: /^.{1,200}$/su,
  traceId: /^.{1,200}$/su,
  label: /^.{1,200}$/su,
  contentHash: /^[0-9a-f]{64}$/,
  issuedAt: /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/,
};
const MEMBERS = [...Object.keys(FORMS), 'assertions', 'v'].sort().join();

/** Whether a value is a claim of version 1 without further members. */
export function isClaim(value: Json): boolean {
  if (!isObject(value) || Object.keys(value).sort().join() !== MEMBERS) return false;
  const { v, assertions } = value;
  const hasForms = Object.entries(FORMS).every(([name, form]) => {
    const text = value[name];
    return typeof text === 'string' && form.test(text);
  });
  return v === 1 && hasForms && Array.isArray(assertions) && assertions.every(isLabelled);
}

const isObject = (value: Json | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isLabelled = (value: Json): boolean =>
  isObject(value) &&
  Object.keys(value).sort().join() === 'data,label' &&
  typeof value.label === 'string' &&
  isObject(value.data);
