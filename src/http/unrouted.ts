// Answers requests that no route serves: below `/api/` they count against the client address, and show its limit.
import type { RequestHandler } from 'express';
import type { AppError } from '../errors.ts';
import { sendFailure } from './answers/envelope.ts';
import { sendProblem } from './answers/problem-envelope.ts';
import { sendScimFailure } from './answers/scim-envelope.ts';
import { translateError } from './answers/translate-error.ts';
import { readClientAddress } from './checks/client-address.ts';
import { toSubnet } from '../domain/network/subnet.ts';
import { type RateLimits, RateState } from './checks/rate-limits.ts';
import { ADDRESS } from './declaration/rate-limits.ts';

/** Returns the function that sends a failure outside of any route, as routes below the same path do. */
export function chooseFailureSender(url: string): typeof sendFailure {
  if (url.startsWith('/scim/')) return sendScimFailure;
  return url.startsWith('/access/v1/requests') ? sendProblem : sendFailure;
}

/** Answers with `error`, or with 429 once the address is past its limit. */
export function refuseUnrouted(limits: RateLimits, error: AppError): RequestHandler {
  return async (req, res) => {
    const rate = new RateState();
    let failure = error;
    try {
      if (req.originalUrl.startsWith('/api/'))
        rate.applyCount(await limits(ADDRESS, toSubnet(readClientAddress(req))));
    } catch (limited) {
      failure = translateError(limited, 'INTERNAL_ERROR');
    }
    for (const [name, value] of Object.entries(rate.toHeaders())) res.setHeader(name, value);
    chooseFailureSender(req.originalUrl)(res, failure);
  };
}
