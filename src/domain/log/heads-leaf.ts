// The leaves of the heads log: one for each checkpoint of any log.
import { hash } from 'node:crypto';
import { HASH_BYTES } from '@assay/tlog';

/** Returns a leaf of the heads log, which tells outsiders neither whose log has grown nor how far. */
export function createHeadsLeaf(origin: string, checkpointText: string): Buffer {
  return Buffer.concat([
    hash('sha256', origin, 'buffer'),
    hash('sha256', checkpointText, 'buffer'),
  ]);
}

/** Returns the lowest and the highest leaf that the heads log can have of a log: all of them are in between. */
export function boundHeadsLeaves(origin: string): { $gte: Buffer; $lte: Buffer } {
  const digest = hash('sha256', origin, 'buffer');
  const [$gte, $lte] = [0, 0xff].map((fill) =>
    Buffer.concat([digest, Buffer.alloc(HASH_BYTES, fill)]),
  ) as [Buffer, Buffer];
  return { $gte, $lte };
}
