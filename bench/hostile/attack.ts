// One hostile request: what it sends, as whom, and whether its sender stays for the answer.
import type { Bench } from '../tenants.ts';

/** A request that is sent over and over. */
export interface Attack {
  name: string;
  method: 'GET' | 'POST';
  /** `:organizationId` becomes the id of the organisation. */
  path: string;
  body?: string;
  /** Type of the body; JSON unless set. */
  contentType?: string;
  /** Closes the connection after this time, in milliseconds, whatever has been answered. */
  leaveMs?: number;
}

/** Sends one request, with the key to ingestion, else with the session. Any answer but a server error is accepted. */
export async function sendAttack(
  port: number,
  { method, path, body, contentType = 'application/json', leaveMs }: Attack,
  { organizationId, key, token }: Bench,
): Promise<void> {
  const headers = {
    'content-type': contentType,
    ...(path.endsWith('/traces') ? { 'x-api-key': key } : { authorization: `Bearer ${token}` }),
  };
  const url = `http://127.0.0.1:${port}${path.replace(':organizationId', organizationId)}`;
  const signal = leaveMs === undefined ? null : AbortSignal.timeout(leaveMs);
  try {
    const answer = await fetch(url, { method, headers, signal, body: body ?? null });
    await answer.arrayBuffer();
    if (answer.status >= 500) throw new Error(`${path} answered ${answer.status}`);
  } catch (error) {
    if (signal?.aborted !== true) throw error;
  }
}
