// A hook before whatever else may answer under the service's address: nothing runs that was not approved.
import { createServer } from 'node:http';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { answerHook } from '../../../packages/cli/src/hooks/answer-hook.ts';
import { HookStore } from '../../../packages/cli/src/hooks/hook-store.ts';

interface Answer {
  status?: number;
  headers?: Record<string, string>;
  body?: unknown;
  text?: string;
}
interface Case {
  name: string;
  answer: Answer | 'lost';
  end: string;
}
const { proposals } = JSON.parse(
  await readFile(new URL('../../vectors/sdk/answers.json', import.meta.url), 'utf8'),
) as { proposals: Case[] };

let given: Answer | 'lost' = 'lost';
const middle = createServer((req, res) => {
  req.resume();
  if (given === 'lost' || given.status === undefined) return void res.destroy();
  const text = given.text ?? JSON.stringify(given.body);
  res.writeHead(given.status, given.headers).end(text);
});
let url = '';
beforeAll(async () => {
  middle.listen(0, '127.0.0.1');
  await once(middle, 'listening');
  url = `http://127.0.0.1:${(middle.address() as { port: number }).port}`;
});
afterAll(() => void middle.close());

/** The quick ones: an answer that is cut off, or asked for again, takes seconds. */
const KNOWN = ['status', 'headers', 'body', 'text'];
const isFinal = ({ answer, end }: Case): boolean =>
  end !== 'approved' &&
  answer !== 'lost' &&
  Object.keys(answer).every((member) => KNOWN.includes(member)) &&
  (answer.status ?? 500) < 429;
test.each(proposals.filter(isFinal).map((one) => [one.name, one] as const))(
  '%s runs nothing',
  async (name, { answer }) => {
    given = answer;
    const store = new HookStore(join(inject('scratch'), 'middle', name.replace(/\W/g, '-')));
    const event = {
      hook_event_name: 'PreToolUse',
      tool_name: 'issue_refund',
      tool_input: { order: 'A-17', amount: 90 },
    };
    const readProfile = async () => ({ url, key: 'svc_live_x', agent: 'till' });
    const settings = { host: 'claude-code', readProfile, wait: 0, store };
    const out = await answerHook(JSON.stringify(event), settings);
    expect(JSON.parse(out).hookSpecificOutput.permissionDecision).toBe('deny');
  },
);
