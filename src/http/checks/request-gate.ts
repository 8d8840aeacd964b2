// Keeps the event loop fair: an organisation has a few ordinary requests computed at a time, and large bodies are computed one at a time.
import type { Request } from 'express';
import type { Caller } from '../../domain/identity/tenant.ts';
import { createFairSemaphore } from '../../platform/concurrency/fair-semaphore.ts';
import type { Release } from '../../platform/concurrency/permits.ts';
import { ShareGate } from '../../platform/concurrency/share-gate.ts';
import { AppError } from '../../errors.ts';
import type { Route } from '../declaration/define-route.ts';
import { readClientAddress } from './client-address.ts';
import { toNetwork } from '../../domain/network/subnet.ts';

/** Requests of one organisation that are computed at a time; a slow one waits for something else than the processor. */
const ORDINARY = { permits: 4, besideOthers: 2, slowMs: 100 };
/** Likewise of the answers that read or compute much; a slow one waits for its reader. */
const HEAVY = { permits: 2, besideOthers: 1, slowMs: 2_000 };
/** Likewise of requests that bring many decisions; a slow one waits for the chain. */
const BATCHES = { permits: 4, besideOthers: 1, slowMs: 500 };
/** Bytes from which a body takes some milliseconds to parse, check and judge. */
const LARGE_BODY = 32 * 1024;
/** A slow one waits for something else than the processor, too. */
const LARGE_BODIES = { permits: 1, slowMs: 500, maxWaiting: 2_000 };

export interface RequestGate {
  /** Resolves when the request's organisation has a permit for it; null for streams, batched routes and strangers. */
  enter(route: Route, caller: Caller | null): Release | Promise<Release> | null;
  /**
   * Resolves when a body of this size may be computed; null for a small one. Organisations, or the networks of unknown
   * callers, take turns.
   * @throws AppError `SERVICE_UNAVAILABLE` when too many wait and this caller's are the most
   */
  enterLarge(bytes: number, caller: Caller | null, req: Request): Promise<Release> | null;
}

export function createRequestGate(): RequestGate {
  const ordinary = new ShareGate(ORDINARY);
  const heavy = new ShareGate(HEAVY);
  const batches = new ShareGate(BATCHES);
  const large = createFairSemaphore(LARGE_BODIES);

  function selectGate(route: Route): ShareGate {
    if (route.countDecisions) return batches;
    return route.heavy ? heavy : ordinary;
  }

  async function acquireLarge(share: string): Promise<Release> {
    const release = await large.acquire(share);
    if (release === null) throw busy();
    return release;
  }

  return {
    enter(route, caller) {
      if (!caller || isExempt(route)) return null;
      return selectGate(route).enter(caller.tenant.organizationId);
    },
    enterLarge(bytes, caller, req) {
      if (bytes < LARGE_BODY) return null;
      return acquireLarge(caller?.tenant.organizationId ?? toNetwork(readClientAddress(req)));
    },
  };
}

/** Streams last long, and batches are larger the more requests come together. */
const isExempt = ({ kind, batched }: Route): boolean => kind === 'stream' || batched === true;

const busy = (): AppError =>
  new AppError('SERVICE_UNAVAILABLE', 'Too many large requests at the moment', {
    headers: { 'Retry-After': '5' },
  });
