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

/**
 * Reads texts of `BODY_BYTES` bytes from a file with one decision a line (.gz or plain); longer ones are skipped. The others take
 * turns until there are `MOST`, each of a session of its own: decisions of one session are judged one after the other.
 */
export function readBodies(file = SAMPLE): string[] {
  const bytes = readFileSync(file);
  const lines = (file.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString('utf8').split('\n');
  const short = lines
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Decision)
    .filter((decision) => fillDecision(decision, MOST) !== null);
  if (short.length === 0) throw new Error(`no decision in ${file} is short enough to be padded`);
  return Array.from({ length: MOST }, (_, at) =>
    String(fillDecision(short[at % short.length] as Decision, at)),
  );
}

/** The agents that the bodies name. */
export function listAgents(texts: readonly string[]): string[] {
  return [...new Set(texts.map((text) => (JSON.parse(text) as Decision).agentId))];
}

/** Null: it is too long. */
function fillDecision(decision: Decision, at: number): string | null {
  const history = (length: number): string =>
    PROSE.repeat(Math.ceil(length / PROSE.length)).slice(0, length);
  const createText = (length: number): string =>
    JSON.stringify({
      ...decision,
      sessionId: `bench-${at}`,
      inputContext: { ...decision.inputContext, conversationId: UNIQUE, history: history(length) },
    });
  const room = BODY_BYTES - Buffer.byteLength(createText(0));
  return room < 0 ? null : createText(room);
}
