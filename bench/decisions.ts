// Bodies to post: decisions padded to one size, each with a place for a number that makes it unlike every other.
import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';

/** Bytes of every body. */
export const BODY_BYTES = 1536;
/** What the load generator overwrites with a new number for every request. */
export const UNIQUE = '0000000000000000';
/** Agents in files are called what they are called; the benchmark's own has this name. */
const AGENT = 'travel-desk';
const PROSE =
  'The customer wrote earlier about the same booking and was told that changes are free until the evening before departure. ';

interface Decision {
  agentId: string;
  inputContext: { prompt: string; conversationId?: string; history?: string };
  outputDecision: { action: unknown; rationale?: string };
  [member: string]: unknown;
}

/** Texts of `BODY_BYTES` bytes, from a file with one decision a line (.gz or plain), else from made-up ones. */
export function bodies(file?: string): string[] {
  const decisions = file === undefined ? Array.from({ length: 64 }, (_, i) => madeUp(i)) : read(file);
  const padded = decisions.flatMap((decision) => pad(decision) ?? []).slice(0, 1_000);
  if (padded.length === 0) throw new Error('no decision is short enough to be padded');
  return padded;
}

/** The agent that the bodies name. */
export function agentOf(texts: readonly string[]): string {
  return (JSON.parse(texts[0] ?? '{}') as Decision).agentId;
}

function read(file: string): Decision[] {
  const bytes = readFileSync(file);
  const text = (file.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString('utf8');
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Decision);
}

function pad(decision: Decision): string | null {
  const history = (length: number): string => PROSE.repeat(Math.ceil(length / PROSE.length)).slice(0, length);
  const textWith = (length: number): string =>
    JSON.stringify({
      ...decision,
      inputContext: { ...decision.inputContext, conversationId: UNIQUE, history: history(length) },
    });
  const room = BODY_BYTES - Buffer.byteLength(textWith(0));
  return room < 0 ? null : textWith(room);
}

const TOOLS = ['search_flights', 'book_reservation', 'cancel_reservation', 'update_baggage', 'get_user_details'];

function madeUp(i: number): Decision {
  const booking = `R${(i * 7919).toString(36).toUpperCase().padStart(5, '0')}`;
  const tool = TOOLS[i % TOOLS.length] ?? '';
  const acts = i % 3 === 0;
  return {
    agentId: AGENT,
    inputContext: {
      prompt: `I booked ${booking} for ${1 + (i % 5)} people and would like to know whether the second leg on the ${1 + (i % 28)}th can be moved to the morning. My address is customer${i}@example.com.`,
    },
    outputDecision: {
      action: acts ? { tool, arguments: { reservation: booking, amount: 40 + 13 * i } } : 'respond_to_customer',
      rationale: `Reservation ${booking} is in economy and was booked less than a day ago, so it can be changed without a fee; the customer is offered the two morning flights with free seats.`,
    },
    triggeringCondition: acts ? 'tool' : 'reply',
    metadata: { step: i % 12, trial: i % 4, latencyMs: 300 + 17 * i },
  };
}
