// Inputs of the public side of a log.
import { z } from 'zod';

const segment = z.string().max(64);

export const logParam = z.object({ logId: z.string().max(64) });

export const headParam = logParam.extend({ sha256: z.string().max(64) });

/** The path of a tile has up to five segments below `tile/`: its level, and its number in groups of three digits. */
export const tileParams = [
  logParam.extend({ level: segment, first: segment }),
  logParam.extend({ level: segment, first: segment, second: segment }),
  logParam.extend({ level: segment, first: segment, second: segment, third: segment }),
  logParam.extend({
    level: segment,
    first: segment,
    second: segment,
    third: segment,
    fourth: segment,
  }),
] as const;
