// Bounds the heavy responses of one organisation at a time, and aborts their work when the client disconnects.
import type { Response } from 'express';
import { AppError } from '../../errors.ts';
import type { Shared } from '../../platform/shared/shared.ts';

/** A page sends some at once, and a slot is free a moment after its answer has arrived. */
const WAIT_MS = 1_000;

export interface HeavyAnswer {
  /** Aborted when the connection is closed before the answer is complete. */
  signal: AbortSignal;
  /** Ends the work: releases the slot once the response is closed too. */
  end(): void;
}

export interface HeavyAnswers {
  /** @throws AppError `RATE_LIMIT_EXCEEDED` when the organisation has no slot left for `WAIT_MS` */
  begin(organizationId: string, res: Response): Promise<HeavyAnswer>;
}

/** Creates the limiter, with `limit` slots for each organisation. */
export function createHeavyAnswers(
  limit: number,
  { acquireSlot }: Pick<Shared, 'acquireSlot'>,
): HeavyAnswers {
  return {
    async begin(organizationId, res) {
      const slot = { namespace: 'heavy', key: organizationId, limit, waitMs: WAIT_MS };
      const release = await acquireSlot(slot);
      if (release === null)
        throw new AppError('RATE_LIMIT_EXCEEDED', describeLimit(limit), {
          data: { limit, windowSeconds: 1 },
          headers: { 'Retry-After': '1' },
        });
      return { signal: createCloseSignal(res), end: () => callWhenClosed(res, release) };
    },
  };
}

const describeLimit = (limit: number): string =>
  `At most ${limit} requests that read or compute much may be under way for an organisation: repeat it when one has ended`;

/** Aborted when the connection is closed before the answer is complete. */
export function createCloseSignal(res: Response): AbortSignal {
  const controller = new AbortController();
  callWhenClosed(res, () => {
    if (!res.writableFinished) controller.abort(new Error('the reader of the answer has left'));
  });
  return controller.signal;
}

function callWhenClosed(res: Response, act: () => void): void {
  if (res.closed) act();
  else res.once('close', act);
}
