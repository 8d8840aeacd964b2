// Bounds the heavy answers that one organisation has under way at a time: what it asks for costs no other.
import type { Response } from 'express';
import { AppError } from '../../errors.ts';
import type { Shared } from '../../platform/shared/shared.ts';

export interface HeavyAnswers {
  /**
   * Takes a place until the response is closed.
   * @throws AppError `RATE_LIMIT_EXCEEDED` when the organisation has none left
   */
  admit(organizationId: string, res: Response): Promise<void>;
}

/** `limit` places for each organisation. */
export function createHeavyAnswers(limit: number, { place }: Pick<Shared, 'place'>): HeavyAnswers {
  return {
    async admit(organizationId, res) {
      const leave = await place({ room: 'heavy', key: organizationId, limit });
      if (leave === null)
        throw new AppError('RATE_LIMIT_EXCEEDED', `Too many large answers at a time: ${limit}`, {
          data: { limit, windowSeconds: 1 },
          headers: { 'Retry-After': '1' },
        });
      if (res.closed) leave();
      else res.once('close', leave);
    },
  };
}
