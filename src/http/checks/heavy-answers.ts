// Bounds the heavy answers that one organisation has under way at a time: what it asks for costs no other.
import type { Response } from 'express';
import { AppError } from '../../errors.ts';

export interface HeavyAnswers {
  /**
   * Takes a place until the response is closed.
   * @throws AppError `RATE_LIMIT_EXCEEDED` when the organisation has none left
   */
  admit(organizationId: string, res: Response): void;
}

/** `limit` places for each organisation, on this instance. */
export function createHeavyAnswers(limit: number): HeavyAnswers {
  const underWay = new Map<string, number>();

  function leave(organizationId: string): void {
    const left = (underWay.get(organizationId) ?? 1) - 1;
    if (left === 0) underWay.delete(organizationId);
    else underWay.set(organizationId, left);
  }

  return {
    admit(organizationId, res) {
      const taken = underWay.get(organizationId) ?? 0;
      if (taken >= limit)
        throw new AppError('RATE_LIMIT_EXCEEDED', `Too many large answers at a time: ${limit}`, {
          data: { limit, windowSeconds: 1 },
          headers: { 'Retry-After': '1' },
        });
      underWay.set(organizationId, taken + 1);
      res.once('close', () => leave(organizationId));
    },
  };
}
