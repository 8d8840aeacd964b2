// What hooks remember from one call to the next: holds that outlived a hook, and executions whose outcome is due.
import { randomUUID } from 'node:crypto';
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { JsonObject } from '../../../sdk-typescript/src/json.ts';
import { removeOld, toFileName } from './private-files.ts';
import { SeenStore } from './seen-store.ts';

/** A decision that waits for a person. The action is not kept: the next call brings it. */
export interface KeptHold {
  traceId: string;
  binding: { salt: string; commitment: string } | null;
  review: string | null;
  /** The action that was asked for, where a reviewer changed it and the host has to call again with the change. */
  asked?: JsonObject;
}

export interface KeptClaim {
  traceId: string;
  executionId: string;
  /** Milliseconds since the epoch. */
  claimedAt: number;
}

type Kind = 'held' | 'claimed' | 'passed' | 'prompts' | 'ended';

/** What an act was allowed by: the event of its host that was decided. */
export interface KeptPass {
  event: string;
  /** Milliseconds since the epoch. */
  at: number;
}

/** A hold lasts 30 days at most. */
const KEPT_MS = 30 * 86_400_000;
const FILES_MAX = 10_000;
/** The events of one act follow each other. */
const PASS_MS = 30_000;
const PROMPT_MAX = 10_000;

/** A few files at a time, unless there are far too many. */
const chooseFew = (names: string[]): string[] =>
  names.length > FILES_MAX ? names : names.slice(0, 20);

/** Files that their owner alone may read, one an entry, so that hooks of many calls can run at once. */
export class HookStore {
  readonly #folder: string;
  readonly seen: SeenStore;

  constructor(folder: string) {
    this.#folder = folder;
    this.seen = new SeenStore(join(folder, 'seen'));
  }

  readHold(key: string): Promise<KeptHold | null> {
    return this.#read<KeptHold>('held', key);
  }

  readClaim(key: string): Promise<KeptClaim | null> {
    return this.#read<KeptClaim>('claimed', key);
  }

  keepHold(key: string, hold: KeptHold): Promise<void> {
    return this.#write('held', key, hold);
  }

  keepClaim(key: string, claim: KeptClaim): Promise<void> {
    return this.#write('claimed', key, claim);
  }

  keepPass(key: string, pass: KeptPass): Promise<void> {
    return this.#write('passed', key, pass);
  }

  /** Takes what another event of the same act was allowed by; one of several takes it. */
  async takePass(key: string, { event, at }: KeptPass): Promise<boolean> {
    const pass = await this.#read<KeptPass>('passed', key);
    if (!pass || pass.event === event || at - pass.at > PASS_MS) return false;
    return rm(this.#toPath('passed', key)).then(
      () => true,
      () => false,
    );
  }

  /** How many calls of an id have ended. */
  async countEnded(key: string): Promise<number> {
    return (await this.#read<{ count: number }>('ended', key))?.count ?? 0;
  }

  async addEnded(key: string): Promise<void> {
    await this.#write('ended', key, { count: (await this.countEnded(key)) + 1 });
  }

  async keepPrompt({ session, prompt }: { session: string; prompt: string }): Promise<void> {
    await this.seen.addPrompt(session, prompt);
    return this.#write('prompts', toFileName(session), { prompt: prompt.slice(0, PROMPT_MAX) });
  }

  async readPrompt(session: string): Promise<string | undefined> {
    return (await this.#read<{ prompt: string }>('prompts', toFileName(session)))?.prompt;
  }

  /** Forgets a hold, unless another of the same action has taken its place. */
  async forgetHold(key: string, traceId: string): Promise<void> {
    const kept = await this.readHold(key);
    if (kept?.traceId === traceId) await rm(this.#toPath('held', key), { force: true });
  }

  async forgetClaim(key: string): Promise<void> {
    await rm(this.#toPath('claimed', key), { force: true });
  }

  #toPath(kind: Kind, key: string): string {
    return join(this.#folder, kind, `${key}.json`);
  }

  /** Returns null for what is not kept, or was cut by a crash. */
  async #read<T>(kind: Kind, key: string): Promise<T | null> {
    const text = await readFile(this.#toPath(kind, key), 'utf8').catch(() => '');
    try {
      return JSON.parse(text) as T;
    } catch {
      return null;
    }
  }

  async #write(kind: Kind, key: string, value: object): Promise<void> {
    const folder = join(this.#folder, kind);
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const made = join(folder, `${key}.${randomUUID()}`);
    await writeFile(made, JSON.stringify(value), { mode: 0o600 });
    await rename(made, this.#toPath(kind, key));
    await removeOld(folder, KEPT_MS, chooseFew);
  }
}
