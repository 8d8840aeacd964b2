// The only source of randomness: random bytes, tokens and ids.
import { randomBytes as drawBytes } from 'node:crypto';
import mongoose from 'mongoose';
import type { Clock } from './clock.ts';

const POOL_BYTES = 16 * 1024;
let pool = Buffer.alloc(0);
let used = 0;

/** 16 random bytes, a view into a pool: drawing the 20 seeds of a decision one by one cost 100 us (ingest/R1). */
export function draw16Bytes(): Buffer {
  if (used === pool.length) {
    pool = drawBytes(POOL_BYTES);
    used = 0;
  }
  return pool.subarray(used, (used += 16));
}

/** `bytes` random bytes as lowercase hex digits. */
export function generateHex(bytes: number): string {
  return drawBytes(bytes).toString('hex');
}

/** 32 random bytes as 43 base64url characters: tokens and secrets. */
export function generateToken(): string {
  return drawBytes(32).toString('base64url');
}

const CODE_ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';
const CODE_LENGTH = 10;

/** A code of 50 random bits for people to type: ten characters without look-alikes, in two groups. */
export function generateCode(): string {
  const code = Array.from(
    drawBytes(CODE_LENGTH),
    (byte) => CODE_ALPHABET[byte % CODE_ALPHABET.length],
  ).join('');
  return `${code.slice(0, CODE_LENGTH / 2)}-${code.slice(CODE_LENGTH / 2)}`;
}

/** A database id as 24 hex digits; those of one process increase. */
export function generateId(): string {
  return new mongoose.mongo.ObjectId().toHexString();
}

/** `trc_`, 12 hex digits of the time in milliseconds, 20 random ones: sortable by time, not guessable. */
export function generateTraceId(clock: Clock): string {
  return `trc_${clock.now().getTime().toString(16).padStart(12, '0')}${draw16Bytes().toString('hex', 0, 10)}`;
}

/** Identifies a request in logs and responses: 24 random hex digits. */
export function generateRequestId(): string {
  return draw16Bytes().toString('hex', 0, 12);
}

/** A random number from 0 to 1 for the jitter of retries; not for secrets. */
export function drawFraction(): number {
  return Math.random();
}
