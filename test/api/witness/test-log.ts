// A log that asks witnesses for signatures, as tests make it.
import { createPublicKey, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import {
  formatCosignatureRequest,
  formatCheckpoint,
  computeRoot,
  hashLeaf,
  listConsistencyRanges,
  LOG_KEY,
  signNote,
  toRawPublicKey,
} from '@assay/tlog';

/** A log that asks for signatures; its leaves are counted texts. */
export class TestLog {
  readonly origin: string;
  readonly privateKey: KeyObject;

  constructor(origin: string) {
    this.origin = origin;
    ({ privateKey: this.privateKey } = generateKeyPairSync('ed25519'));
  }

  get key() {
    const publicKey = toRawPublicKey(createPublicKey(this.privateKey));
    return { name: this.origin, type: LOG_KEY, publicKey };
  }

  /** Writes a request for a size; `seed`: another one gives another tree. */
  async writeRequest(old: number, size: number, seed = 'leaf'): Promise<string> {
    const hashes = Array.from({ length: size }, (_, at) => hashLeaf(Buffer.from(`${seed} ${at}`)));
    const path = listConsistencyRanges(old, size).map(({ first, end }) =>
      computeRoot(hashes.slice(first, end)),
    );
    const text = formatCheckpoint({ origin: this.origin, size, root: computeRoot(hashes) });
    const signText = (bytes: Uint8Array) => Promise.resolve(sign(null, bytes, this.privateKey));
    const note = await signNote(text, this.key, signText);
    return formatCosignatureRequest({ old, path: old > size ? [] : path, note });
  }
}
