// Keeps the event loop fair: an organisation has a few requests of each class computed at a time.
import type { Request } from 'express';
import type { Caller } from '../../domain/identity/tenant.ts';
import { toNetwork } from '../../domain/network/subnet.ts';
import { Admission, type Release, requirePermit } from '../../platform/concurrency/admission.ts';
import type { Shared } from '../../platform/shared/shared.ts';
import { requireSlot } from '../../platform/shared/slots.ts';
import { AppError } from '../../errors.ts';
import type { Route } from '../declaration/define-route.ts';
import { readClientAddress } from './client-address.ts';

/** Requests of an organisation on this instance. A slow one waits for something else than the processor. */
export const REQUEST_CLASSES = {
  ordinary: { limit: 4, besideOthers: 2, slowMs: 100 },
  /** Answers that read or compute much; a slow one waits for its reader. */
  heavy: { limit: 2, besideOthers: 1, slowMs: 2_000 },
  /** Requests that bring many decisions; a slow one waits for the chain. */
  batch: { limit: 4, besideOthers: 1, slowMs: 500 },
  /** Large bodies, one of all organisations at a time. */
  large: { permits: 1, maxWaiting: 2_000, slowMs: 500 },
};
/** Bytes from which a body takes some milliseconds to parse, check and judge. */
const LARGE_BODY = 32 * 1024;
/** A page sends some heavy requests at once, and a slot is free a moment after its answer has arrived. */
const HEAVY_WAIT_MS = 1_000;

export interface RequestGate {
  /**
   * Reserves the slot of a heavy answer, of which an organisation has a few on all workers.
   * @throws AppError `RATE_LIMIT_EXCEEDED` when the organisation has none left for a second
   */
  reserve(organizationId: string): Promise<Release>;
  /** Resolves when the request's organisation has a permit for it; null for streams, batched routes and strangers. */
  enter(route: Route, caller: Caller | null): ReturnType<Admission['acquire']>;
  /**
   * Resolves when a body of this size may be computed; null for a small one. Organisations, or the networks of unknown
   * callers, take turns.
   * @throws AppError `SERVICE_UNAVAILABLE` when too many wait and this caller's are the most
   */
  enterLarge(bytes: number, caller: Caller | null, req: Request): Promise<Release> | null;
}

/** `heavySlots`: heavy answers of an organisation that are under way on all workers. */
export function createRequestGate(
  heavySlots: number,
  { acquireSlot }: Pick<Shared, 'acquireSlot'>,
): RequestGate {
  const ordinary = new Admission(REQUEST_CLASSES.ordinary);
  const heavy = new Admission(REQUEST_CLASSES.heavy);
  const batches = new Admission(REQUEST_CLASSES.batch);
  const large = new Admission(REQUEST_CLASSES.large);
  const heavySlot = { namespace: 'heavy', limit: heavySlots, waitMs: HEAVY_WAIT_MS };

  function selectAdmission({ countDecisions, heavy: isHeavy }: Route): Admission {
    if (countDecisions) return batches;
    return isHeavy ? heavy : ordinary;
  }

  return {
    reserve: (key) => requireSlot(acquireSlot, { ...heavySlot, key }, describeLimit(heavySlots)),
    enter(route, caller) {
      if (!caller || isExempt(route)) return null;
      return selectAdmission(route).acquire(caller.tenant.organizationId);
    },
    enterLarge(bytes, caller, req) {
      if (bytes < LARGE_BODY) return null;
      const key = caller?.tenant.organizationId ?? toNetwork(readClientAddress(req));
      return requirePermit(large.acquire(key), createBusyError);
    },
  };
}

/** Streams last long, and batches are larger the more requests come together. */
const isExempt = ({ kind, batched }: Route): boolean => kind === 'stream' || batched === true;

const describeLimit = (limit: number): string =>
  `At most ${limit} requests that read or compute much may be under way for an organisation: repeat it when one has ended`;

const createBusyError = (): AppError =>
  new AppError('SERVICE_UNAVAILABLE', 'Too many large requests at the moment', {
    headers: { 'Retry-After': '5' },
  });
