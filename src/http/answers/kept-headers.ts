// Sets headers that a response keeps and writes together with its head, where it can (platform/keeping-response.ts).
import type { ServerResponse } from 'node:http';
import type { BufferedResponse } from '../../platform/keeping-response.ts';

export type AnswerHeaders = readonly (readonly [name: string, value: string])[];
type Answer = Pick<ServerResponse, 'setHeader' | 'hasHeader'> & Partial<BufferedResponse>;

/** Adds headers that the response does not have yet. */
export function keepHeaders(res: Answer, headers: AnswerHeaders): void {
  const { bufferedHeaders } = res;
  for (const [name, value] of headers)
    if (bufferedHeaders) bufferedHeaders.push(name, value);
    else res.setHeader(name, value);
}

/** Sets a header; it replaces one that was kept or set under the same name and spelling. */
export function keepHeader(res: Answer, name: string, value: string): void {
  const { bufferedHeaders } = res;
  if (!bufferedHeaders || res.hasHeader(name)) return void res.setHeader(name, value);
  for (let at = 0; at < bufferedHeaders.length; at += 2)
    if (bufferedHeaders[at] === name) return void (bufferedHeaders[at + 1] = value);
  bufferedHeaders.push(name, value);
}
