// What people and programs read: text on a terminal, JSON with `--json`. Texts of others cannot control the terminal.

import type { Io } from './io.ts';

/** Exit statuses. */
export const EXIT = { ok: 0, refused: 1, unknown: 2 } as const;

/** Ends the command with a message and an exit status. */
export class CommandFailure extends Error {
  readonly exitCode: number;

  constructor(message: string, exitCode: number = EXIT.unknown) {
    super(message);
    this.exitCode = exitCode;
  }
}

/** Control characters and the marks that change the direction of text. */
const UNPRINTABLE = /[\p{Cc}\p{Cf}\u2028\u2029]/gu;

/** Returns a text of others as one line without control characters. */
export function toLine(value: unknown, length = 100): string {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
  const line = text.replace(UNPRINTABLE, (character) => (/\s/.test(character) ? ' ' : '\ufffd'));
  const characters = [...line];
  return characters.length > length ? `${characters.slice(0, length - 1).join('')}…` : line;
}

/** Returns a text of others with its lines, without other control characters. */
export function toLines(value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value, null, 2);
  return (text ?? '')
    .split('\n')
    .map((line) => toLine(line, 2_000))
    .join('\n');
}

export type Cell = string | number | boolean | null | undefined;

/** Writes either JSON or text. */
export class Output {
  readonly #asJson: boolean;
  readonly #io: Pick<Io, 'stdout' | 'stderr'>;

  constructor(asJson: boolean, io: Pick<Io, 'stdout' | 'stderr'>) {
    this.#asJson = asJson;
    this.#io = io;
  }

  /** Prints a value as JSON, or what `render` makes of it. */
  print<T>(value: T, render: (value: T) => string): void {
    this.#io.stdout.write(`${this.#asJson ? JSON.stringify(value) : render(value)}\n`);
  }

  /** Prints what is for people alone. */
  note(text: string): void {
    if (!this.#asJson) this.#io.stderr.write(`${text}\n`);
  }
}

/** Returns rows under a header, in columns. */
export function renderTable(header: readonly string[], rows: readonly (readonly Cell[])[]): string {
  const lines = [header, ...rows.map((row) => row.map((cell) => toLine(String(cell ?? ''), 60)))];
  const widths = header.map((_, at) => Math.max(...lines.map((line) => (line[at] ?? '').length)));
  return lines
    .map((line) =>
      line
        .map((cell, at) => cell.padEnd(widths[at]!))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}
