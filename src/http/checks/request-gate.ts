// Keeps the event loop fair: an organisation has a few ordinary requests computed at a time, and large bodies are computed one at a time.
import type { Request } from 'express';
import type { Caller } from '../../domain/identity/tenant.ts';
import { createFairSemaphore } from '../../platform/concurrency/fair-semaphore.ts';
import { ShareGate } from '../../platform/concurrency/share-gate.ts';
import { AppError } from '../../errors.ts';
import type { Route } from '../declaration/define-route.ts';
import { readClientAddress } from './client-address.ts';
import { toNetwork } from './network.ts';

/** Requests of one organisation that are computed at a time; a slow one waits for something else than the processor. */
const ORDINARY = { permits: 4, slowMs: 100 };
/** Likewise of the answers that read or compute much; a slow one waits for its reader. */
const HEAVY = { permits: 2, slowMs: 2_000 };
/** Bytes from which a body takes some milliseconds to parse, check and judge. */
const LARGE_BODY = 32 * 1024;
const LARGE_BODIES = 1;
const LARGE_BODIES_WAITING = 2_000;
/** Milliseconds after which a large body no longer counts: its request waits for something else. */
const LARGE_SLOW_MS = 500;

/** Lets the next request in. MUST be called once. */
type Leave = () => void;

export interface RequestGate {
  /** Resolves when the request's organisation has a permit for it; at once for streams and batched routes. */
  enter(route: Route, caller: Caller | null): Leave | Promise<Leave>;
  /**
   * Resolves when a body of this size may be computed. Organisations, or the networks of unknown callers, take turns.
   * @throws AppError `SERVICE_UNAVAILABLE` when too many wait and this caller's are the most
   */
  enterLarge(bytes: number, caller: Caller | null, req: Request): Promise<Leave>;
}

const leaveNothing: Leave = () => undefined;

export function createRequestGate(): RequestGate {
  const ordinary = new ShareGate(ORDINARY);
  const heavy = new ShareGate(HEAVY);
  const large = createFairSemaphore({ permits: LARGE_BODIES, maxWaiting: LARGE_BODIES_WAITING });
  return {
    enter(route, caller) {
      if (!caller || isExempt(route)) return leaveNothing;
      const gate = route.heavy ? heavy : ordinary;
      return gate.enter(caller.tenant.organizationId);
    },
    async enterLarge(bytes, caller, req) {
      if (bytes < LARGE_BODY) return leaveNothing;
      const share = caller?.tenant.organizationId ?? toNetwork(readClientAddress(req));
      const release = await large.acquire(share);
      if (release === null) throw busy();
      return releaseInTime(release);
    },
  };
}

/** Releases once, at the latest when the request counts as slow. */
function releaseInTime(release: Leave): Leave {
  let isHeld = true;
  const leave = (): void => {
    clearTimeout(timer);
    if (isHeld) release();
    isHeld = false;
  };
  const timer = setTimeout(leave, LARGE_SLOW_MS);
  return leave;
}

/** Streams last long, and batches are larger the more requests come together. */
const isExempt = ({ kind, batched }: Route): boolean => kind === 'stream' || batched === true;

const busy = (): AppError =>
  new AppError('SERVICE_UNAVAILABLE', 'Too many large requests at the moment', {
    headers: { 'Retry-After': '5' },
  });
