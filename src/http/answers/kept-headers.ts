// Sets headers that a response keeps and writes together with its head, where it can (platform/keeping-response.ts).
import type { ServerResponse } from 'node:http';
import type { Keeping } from '../../platform/keeping-response.ts';

export type AnswerHeaders = readonly (readonly [name: string, value: string])[];
type Answer = Pick<ServerResponse, 'setHeader' | 'hasHeader'> & Partial<Keeping>;

/** Adds headers that the response does not have yet. */
export function keepHeaders(res: Answer, headers: AnswerHeaders): void {
  const { kept } = res;
  for (const [name, value] of headers)
    if (kept) kept.push(name, value);
    else res.setHeader(name, value);
}

/** Sets a header; it replaces one that was kept or set under the same name and spelling. */
export function keepHeader(res: Answer, name: string, value: string): void {
  const { kept } = res;
  if (!kept || res.hasHeader(name)) return void res.setHeader(name, value);
  for (let at = 0; at < kept.length; at += 2)
    if (kept[at] === name) return void (kept[at + 1] = value);
  kept.push(name, value);
}
