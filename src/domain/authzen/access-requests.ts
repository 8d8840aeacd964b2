// Access requests of AuthZEN (Access Request and Approval Profile, Draft 1): the state of a task, and whom an actor names.
import { isJsonObject, type Json, type JsonObject } from '@assay/json';
import { type Expiring, isLapsed } from '@assay/policy';
import { type AccessQuestion, toAction } from './evaluation.ts';

export const TASK_STATUSES = [
  'pending',
  'approved',
  'denied',
  'expired',
  'cancelled',
  'failed',
] as const;
export type TaskStatus = (typeof TASK_STATUSES)[number];

/** What became of a hold. */
export interface HoldState extends Expiring {
  status: 'pending' | 'approved' | 'rejected' | 'expired' | 'withdrawn';
  isEdited: boolean;
  /** The approved action was corrected since. */
  isSuperseded: boolean;
}

const ENDS = { rejected: 'denied', expired: 'expired', withdrawn: 'cancelled' } as const;

/** A hold whose time is over has expired, also before that is sealed. An approval of another action is a denial of this one. */
export function toTaskStatus(hold: HoldState, now: Date): TaskStatus {
  const { status, isEdited, isSuperseded } = hold;
  if (status === 'pending')
    return isLapsed(hold, now) && hold.onExpiry !== 'approve' ? 'expired' : 'pending';
  if (status !== 'approved') return ENDS[status];
  if (isSuperseded) return 'failed';
  return isEdited ? 'denied' : 'approved';
}

const DAY = 24 * 3600 * 1000;

/** How long a denial may be answered by a request. */
export const computeDenialEnd = (now: Date): Date => new Date(now.getTime() + DAY);

/** Whether a denial gets a later end when it is asked for once more: half of its time is over. */
export const isAging = (end: Date | undefined, now: Date): boolean =>
  end === undefined || end.getTime() - now.getTime() < DAY / 2;

/** The end of an approval; one without an end is promised for a day, and for another one when it is read again. */
export const computeApprovalEnd = (end: Date | null, now: Date): Date =>
  end !== null && end > now ? end : computeDenialEnd(now);

/** The earlier of two ends. */
export const chooseEarlier = (end: Date, other: Date | null): Date =>
  other !== null && other < end ? other : end;

/** What a request has to repeat: the action without the actor, whom a caller may name elsewhere. */
export function toBoundAction(question: AccessQuestion): JsonObject {
  const { properties: all, ...bare } = question.subject;
  const { act: _, ...properties } = all ?? {};
  const subject = Object.keys(properties).length > 0 ? { ...bare, properties } : bare;
  return toAction({ ...question, subject });
}

/** Most links of a chain of actors. */
const LINKS_MAX = 20;

/** Issuer and name of each actor, the nearest first; null: there is none, or the chain is not understood. */
export function listActors(act: Json | undefined): [issuer: Json, name: Json][] | null {
  const chain: [Json, Json][] = [];
  for (let link = act ?? null; link !== null; link = link['act'] ?? null) {
    if (!isJsonObject(link) || chain.length === LINKS_MAX) return null;
    chain.push([link['iss'] ?? null, link['sub'] ?? null]);
  }
  return chain.length > 0 ? chain : null;
}

/** Reads `client.actor` as such a chain. */
export function listClientActors(actor: JsonObject): [issuer: Json, name: Json][] | null {
  const { id = null, issuer = null, act = null } = actor;
  return listActors({ sub: id, iss: issuer, act });
}
