// A custodian that another party runs (`npm run custodian`): keys and statements come from it over HTTP.
import type { z } from 'zod';
import { extendAllowed } from '../../../domain/outbound/ssrf.ts';
import { createSafeHttp } from '../../outbound/safe-http.ts';
import type { Custodian } from '../custodian.ts';
import { readCustodianToken, type TokenSource } from '../token.ts';
import { destroyed, foundKey, madeKey, signed, signer } from './peer-calls.ts';

export interface PeerAccess {
  /** Base address. */
  url: string;
  token: TokenSource;
}

/** Time limit of a call. */
const TIMEOUT_MS = 5000;
const ANSWER_BYTES = 16 * 1024;

interface Call<T> {
  method: 'GET' | 'POST';
  path: string;
  body?: object;
  answer: z.ZodType<T>;
}

export function createPeerCustodian({ url, token }: PeerAccess): Custodian {
  const { host } = new URL(url);
  const base = url.replace(/\/$/, '');
  const http = createSafeHttp({
    allow: extendAllowed([], url),
    timeoutMs: TIMEOUT_MS,
    maxBytes: ANSWER_BYTES,
  });

  /** @throws Error that says neither token nor answer */
  async function callPeer<T>({ method, path, body, answer }: Call<T>): Promise<T> {
    const response = await http.fetch(`${base}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${await readCustodianToken(token)}`,
        'content-type': 'application/json',
      },
      body: body === undefined ? undefined : JSON.stringify(body),
    });
    if (!response.ok)
      throw new Error(`the custodian ${host} answered ${path} with status ${response.status}`);
    const parsed = answer.safeParse(await response.json().catch(() => null));
    if (!parsed.success)
      throw new Error(`the custodian ${host} answered ${path} as is not documented`);
    return parsed.data;
  }

  return {
    id: `peer ${host}`,
    signerName: `${host}/custodian`,

    async makeEpoch(epoch) {
      const call = { method: 'POST', path: `/epochs/${epoch}`, body: {} } as const;
      const { key } = await callPeer({ ...call, answer: madeKey });
      return { key, ticket: '' };
    },

    async openEpoch(epoch) {
      const call = { method: 'GET', path: `/epochs/${epoch}` } as const;
      return (await callPeer({ ...call, answer: foundKey })).key;
    },

    async destroyBefore(epoch) {
      const path = `/epochs/${epoch}/destroy-before`;
      const call = { method: 'POST', path, body: {} } as const;
      const { oldest } = await callPeer({ ...call, answer: destroyed });
      if (oldest < epoch)
        throw new Error(`the custodian ${host} still has keys that it was asked to destroy`);
    },

    async loadSigner() {
      const found = await callPeer({ method: 'GET', path: '/signer', answer: signer });
      return {
        publicKey: found.publicKey,
        async sign(bytes) {
          const body = { text: Buffer.from(bytes).toString('utf8') };
          const call = { method: 'POST', path: '/statements', body } as const;
          return (await callPeer({ ...call, answer: signed })).signature;
        },
      };
    },
  };
}
