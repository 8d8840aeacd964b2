// Reads the bodies to post: decisions padded to one size, each with a placeholder that makes it unique.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';

/** Bytes of every body. */
export const BODY_BYTES = 1536;
/** Placeholder that the load generator overwrites; letters, since the scrubber takes long digits for personal data. */
export const UNIQUE = 'aaaaaaaaaaaaaaaa';
const SAMPLE = fileURLToPath(new URL('../samples/decisions.ndjson', import.meta.url));
const MOST = 1_000;
const PROSE =
  'The customer wrote earlier about the same booking and was informed that changes are free until the evening before departure. ';

interface Decision {
  agentId: string;
  inputContext: { prompt: string; conversationId?: string; history?: string };
  [member: string]: unknown;
}

/** Reads texts of `BODY_BYTES` bytes from a file with one decision a line (.gz or plain); longer ones are skipped. */
export function readBodies(file = SAMPLE): string[] {
  const bytes = readFileSync(file);
  const lines = (file.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString('utf8').split('\n');
  const padded = lines
    .filter((line) => line !== '')
    .flatMap((line) => fillDecision(JSON.parse(line) as Decision) ?? []);
  if (padded.length === 0) throw new Error(`no decision in ${file} is short enough to be padded`);
  return padded.slice(0, MOST);
}

/** The agents that the bodies name. */
export function listAgents(texts: readonly string[]): string[] {
  return [...new Set(texts.map((text) => (JSON.parse(text) as Decision).agentId))];
}

function fillDecision(decision: Decision): string | null {
  const history = (length: number): string =>
    PROSE.repeat(Math.ceil(length / PROSE.length)).slice(0, length);
  const createText = (length: number): string =>
    JSON.stringify({
      ...decision,
      inputContext: { ...decision.inputContext, conversationId: UNIQUE, history: history(length) },
    });
  const room = BODY_BYTES - Buffer.byteLength(createText(0));
  return room < 0 ? null : createText(room);
}
