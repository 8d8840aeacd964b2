// Sends requests whose caller disconnects before the response is complete.
import { Agent, request } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { vi } from 'vitest';
import type { Call } from './start-app.ts';

/** Delays in milliseconds: before the request is read, while it is checked or executed, and during the response. */
export const LEAVING_DELAYS = [0, 1, 2, 4, 7, 11, 16, 23, 33, 48, 70, 100] as const;

/** The condition holds within milliseconds; on a busy machine it may take its time. */
const PATIENCE = { timeout: 20_000, interval: 2 };

type LeavingCall = Pick<Call, 'token' | 'body' | 'headers'> & { method?: string };

/** Sends a request and destroys its connection after `afterMs`. */
export const disconnectAfter = (afterMs: number, url: string, call: LeavingCall): Promise<void> =>
  sendAndDisconnect(() => delay(afterMs), url, call);

/** Sends a request and destroys its connection once a condition holds. */
export const disconnectWhen = (
  isTime: () => boolean,
  url: string,
  call: LeavingCall,
): Promise<void> => sendAndDisconnect(() => vi.waitUntil(isTime, PATIENCE), url, call);

async function sendAndDisconnect(
  wait: () => Promise<unknown>,
  url: string,
  { method = 'GET', token, body, headers = {} }: LeavingCall,
): Promise<void> {
  const agent = new Agent({ keepAlive: false });
  const sent = request(url, {
    agent,
    method,
    headers: {
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...headers,
    },
  });
  const closed = new Promise<void>((resolve) => void sent.once('close', resolve));
  // The error of the destroyed connection is expected.
  sent.on('error', () => undefined);
  sent.on('response', (response) => response.on('error', () => undefined).resume());
  sent.end(body === undefined ? undefined : JSON.stringify(body));
  await wait();
  sent.destroy();
  await closed;
  agent.destroy();
}
