// A journal of what ran while the service could not be reached: one JSON document a line, on disk before the action runs.
import { constants } from 'node:fs';
import { open, readFile, rename, rm } from 'node:fs/promises';
import { Invalid } from './errors.ts';
import type { JsonObject } from './json.ts';

/** A decision that was not sent yet. */
export interface JournalEntry {
  idempotencyKey: string;
  body: JsonObject;
}

export interface Journal {
  /** Resolves when the entry is durable. */
  append(entry: JournalEntry): Promise<void>;
  /** Sends every entry in order; those that fail stay. Returns the number sent. */
  drain(send: (entry: JournalEntry) => Promise<void>): Promise<number>;
}

const ENTRIES_MAX = 10_000;

/** A journal in a file that its owner alone may read. One process writes to it. */
export class FileJournal implements Journal {
  readonly #path: string;
  #last: Promise<unknown> = Promise.resolve();
  #count: number | undefined;

  constructor(path: string) {
    this.#path = path;
  }

  append(entry: JournalEntry): Promise<void> {
    return this.#run(async () => {
      // A line that was cut by a crash goes, or the next would be joined to it.
      if (this.#count === undefined) await this.#replace(await this.#read());
      if (this.#count! >= ENTRIES_MAX)
        throw new Invalid(`The journal holds ${ENTRIES_MAX} decisions: send them first`);
      await this.#write(this.#path, constants.O_APPEND, `${JSON.stringify(entry)}\n`);
      this.#count! += 1;
    });
  }

  drain(send: (entry: JournalEntry) => Promise<void>): Promise<number> {
    return this.#run(async () => {
      const entries = await this.#read();
      let sent = 0;
      try {
        for (; sent < entries.length; sent++) await send(entries[sent]!);
      } finally {
        await this.#replace(entries.slice(sent));
      }
      return sent;
    });
  }

  /** Reads whole lines: a last line that was cut by a crash was never promised. */
  async #read(): Promise<JournalEntry[]> {
    const text = await readFile(this.#path, 'utf8').catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return '';
      throw error;
    });
    return text
      .slice(0, text.lastIndexOf('\n') + 1)
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as JournalEntry);
  }

  async #replace(entries: readonly JournalEntry[]): Promise<void> {
    this.#count = entries.length;
    if (entries.length === 0) return rm(this.#path, { force: true });
    const text = entries.map((entry) => `${JSON.stringify(entry)}\n`).join('');
    await this.#write(`${this.#path}.new`, constants.O_TRUNC, text);
    await rename(`${this.#path}.new`, this.#path);
  }

  async #write(path: string, how: number, text: string): Promise<void> {
    const file = await open(path, constants.O_WRONLY | constants.O_CREAT | how, 0o600);
    try {
      await file.writeFile(text);
      await file.sync();
    } finally {
      await file.close();
    }
  }

  /** Runs one operation after the other. */
  #run<T>(operation: () => Promise<T>): Promise<T> {
    const run = this.#last.then(operation, operation);
    this.#last = run.catch(() => undefined);
    return run;
  }
}
