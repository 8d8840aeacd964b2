// What a session of a coding agent has seen: prompts and results, in a file of its own, from which origins of values follow.
import { appendFile, mkdir, open, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isObject, type Json, type JsonObject } from '../../../sdk-typescript/src/json.ts';
import { OriginTracker } from '../../../sdk-typescript/src/origins.ts';
import { removeOld, toFileName } from './private-files.ts';

/** One line of a file. A result names its call, whose decision another line names. */
type Line = { prompt: string } | { call: string; traceId: string } | { call: string; result: Json };

const FILE_BYTES_MAX = 4 * 1024 * 1024;
/** What stays of a file that has become too large: its newest lines. */
const KEPT_BYTES = 3 * 1024 * 1024;
const RESULT_CHARACTERS = 1024 * 1024;
const DAY_MS = 86_400_000;
/** What a host's events say where they name no session: it would be that of all conversations. */
const NO_SESSION = 'none';

/** Files that their owner alone may read; each is gone when its session ends, or after a day. */
export class SeenStore {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  addPrompt(session: string, prompt: string): Promise<void> {
    return this.#append(session, { prompt });
  }

  /** Notes the decision about a call that may run. */
  addDecision(session: string, call: string, traceId: string): Promise<void> {
    return this.#append(session, { call, traceId });
  }

  addResult(session: string, call: string, result: Json): Promise<void> {
    const text = JSON.stringify(result);
    const isLarge = text.length > RESULT_CHARACTERS;
    return this.#append(session, {
      call,
      result: isLarge ? text.slice(0, RESULT_CHARACTERS) : result,
    });
  }

  /** Says where the values of an action were seen in the session, and in the prompt of the event. */
  async describe(session: string, action: Json, prompt?: string): Promise<JsonObject> {
    const tracker = new OriginTracker();
    const traces = new Map<string, string>();
    for (const line of session === NO_SESSION ? [] : await this.#read(session)) {
      if ('prompt' in line) tracker.addPrompt(line.prompt);
      else if ('traceId' in line) traces.set(line.call, line.traceId);
      else {
        const traceId = traces.get(line.call);
        if (traceId !== undefined) tracker.addResult(traceId, toResult(line.result));
      }
    }
    if (prompt !== undefined) tracker.addPrompt(prompt);
    return tracker.describe(action);
  }

  async forget(session: string): Promise<void> {
    await rm(this.#toPath(session), { force: true });
  }

  #toPath(session: string): string {
    return join(this.#folder, `${toFileName(session)}.ndjson`);
  }

  async #append(session: string, line: Line): Promise<void> {
    if (session === NO_SESSION) return;
    const path = this.#toPath(session);
    await mkdir(this.#folder, { recursive: true, mode: 0o700 });
    await appendFile(path, `${JSON.stringify(line)}\n`, { mode: 0o600 });
    const { size } = await stat(path);
    if (size > FILE_BYTES_MAX) await shorten(path, size);
    await removeOld(this.#folder, DAY_MS);
  }

  /** The lines that are whole. */
  async #read(session: string): Promise<Line[]> {
    const text = await readFile(this.#toPath(session), 'utf8').catch(() => '');
    return text.split('\n').flatMap((line) => {
      try {
        const value = JSON.parse(line) as Line;
        return isObject(value) ? [value] : [];
      } catch {
        return [];
      }
    });
  }
}

/** Keeps the newest lines of a file; the first of them may be cut, and is then none. */
async function shorten(path: string, size: number): Promise<void> {
  const file = await open(path);
  try {
    const kept = Buffer.alloc(KEPT_BYTES);
    const { bytesRead } = await file.read(kept, 0, KEPT_BYTES, size - KEPT_BYTES);
    await writeFile(path, kept.subarray(0, bytesRead), { mode: 0o600 });
  } finally {
    await file.close();
  }
}

/** What a server of MCP answers comes as a list of contents as well. */
const toResult = (result: Json): Json =>
  Array.isArray(result) &&
  result.length > 0 &&
  result.every((item) => isObject(item) && typeof item.type === 'string')
    ? { content: result }
    : result;
