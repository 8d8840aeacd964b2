// The definitions of RFC 6962, section 2.1, word for word: slow, and independent of the code under test.
import { createHash } from 'node:crypto';

const sha = (...parts: Uint8Array[]): Buffer => {
  const digest = createHash('sha256');
  for (const part of parts) digest.update(part);
  return digest.digest();
};

/** The largest power of two below n. */
const split = (n: number): number => 2 ** (Math.ceil(Math.log2(n)) - 1);

/** MTH(D[n]) */
export function hashTree(data: readonly Uint8Array[]): Buffer {
  if (data.length === 0) return sha();
  if (data.length === 1) return sha(Buffer.of(0), data[0]!);
  const k = split(data.length);
  return sha(Buffer.of(1), hashTree(data.slice(0, k)), hashTree(data.slice(k)));
}

/** PATH(m, D[n]) */
export function listPath(m: number, data: readonly Uint8Array[]): Buffer[] {
  if (data.length === 1) return [];
  const k = split(data.length);
  return m < k
    ? [...listPath(m, data.slice(0, k)), hashTree(data.slice(k))]
    : [...listPath(m - k, data.slice(k)), hashTree(data.slice(0, k))];
}

/** PROOF(m, D[n]) */
export function listProof(m: number, data: readonly Uint8Array[]): Buffer[] {
  return m === 0 ? [] : listSubproof(m, data, true);
}

/** SUBPROOF(m, D[n], b) */
function listSubproof(m: number, data: readonly Uint8Array[], isWhole: boolean): Buffer[] {
  if (m === data.length) return isWhole ? [] : [hashTree(data)];
  const k = split(data.length);
  return m <= k
    ? [...listSubproof(m, data.slice(0, k), isWhole), hashTree(data.slice(k))]
    : [...listSubproof(m - k, data.slice(k), false), hashTree(data.slice(0, k))];
}
