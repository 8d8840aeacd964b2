// Asks time-stamping authorities (RFC 3161) for a stamp of a text, one after the other until one has given it.
import { truncate } from '@assay/json';
import type { Platform } from '../../../platform/platform.ts';
import {
  ANSWER_MAX_BYTES,
  createTimeStampRequest,
  type TimeStamp,
  TimeStampRefused,
} from '../../../domain/log/time-stamps/time-stamp.ts';
import type { StampRequest } from './stamp-thread.ts';
import { perInstance } from '../../../platform/per-instance.ts';

const TIMEOUT_MS = 10_000;
const ERROR_LENGTH = 200;
const REQUEST = 'application/timestamp-query';
const ANSWER = 'application/timestamp-reply';
/** All answers are the instance's own, and checked in the order in which they come. */
const OWN = { tenant: '', client: '', isAbandoned: () => false };

function createTsaClient({ config, http, clock, draw16Bytes, logger, threads }: Platform) {
  const pool = threads.open<StampRequest, TimeStamp>('stamp');
  const { ASSAY_TSA_URL: urls, ASSAY_TSA_CA: roots = null } = config;

  /** @throws Error when it cannot be reached, or the answer is refused */
  async function askAuthority(url: string, text: string): Promise<TimeStamp> {
    // A set bit in the middle of the first byte: the number has eight bytes, and is positive.
    const nonce =
      (draw16Bytes().readBigUInt64BE() & 0x3fff_ffff_ffff_ffffn) | 0x4000_0000_0000_0000n;
    const question = { text, nonce };
    const response = await http.fetch(url, {
      method: 'POST',
      headers: { 'Content-Type': REQUEST, Accept: ANSWER },
      body: new Uint8Array(createTimeStampRequest(question)),
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    if (response.status !== 200) throw new TimeStampRefused(`it answered ${response.status}`);
    const bytes = new Uint8Array(await response.arrayBuffer());
    if (bytes.length > ANSWER_MAX_BYTES)
      throw new TimeStampRefused(`the answer is larger than ${ANSWER_MAX_BYTES} bytes`);
    const request = { bytes, question, trust: { roots, now: clock.now() } };
    const stamp = await pool.sendInTurn(request, OWN);
    return { ...stamp, token: Buffer.from(stamp.token) };
  }

  return {
    hasAuthorities: urls.length > 0,

    /** Resolves with the stamp of the first authority that gives one; null: none does. */
    async askInTurn(text: string): Promise<TimeStamp | null> {
      for (const url of urls) {
        try {
          return await askAuthority(url, text);
        } catch (error) {
          const why = truncate(String(error), ERROR_LENGTH);
          logger.warn({ authority: url, why }, 'a time-stamping authority gave no stamp');
        }
      }
      return null;
    },
  };
}

/** Its answers are checked in a thread of their own. */
export const openTsaClient = perInstance(createTsaClient);
