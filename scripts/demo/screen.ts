// Prints the output of the demo: a progress bar, tables, and readable numbers.

const BAR = 30;

export const printLine = (text: string): void => void process.stdout.write(`${text}\n`);
export const count = (value: number): string => value.toLocaleString('en');
export const formatMilliseconds = (value: number): string => value.toFixed(value < 10 ? 1 : 0);

/** Redraws one line on a terminal; anywhere else it is silent until the end. */
export function createProgress(total: number): () => void {
  const started = performance.now();
  let done = 0;
  let drawn = 0;
  return () => {
    done += 1;
    const now = performance.now();
    const isLast = done === total;
    if (!isLast && (!process.stdout.isTTY || now - drawn < 50)) return;
    drawn = now;
    const filled = Math.round((BAR * done) / total);
    const rate = Math.round(done / ((now - started) / 1000));
    const bar = '█'.repeat(filled) + '░'.repeat(BAR - filled);
    process.stdout.write(
      `${process.stdout.isTTY ? '\r' : ''}  ${bar}  ${count(done)} of ${count(total)}, ${count(rate)}/s  ${isLast ? '\n' : ''}`,
    );
  };
}

export interface Column {
  title: string;
  align?: 'right';
}

/** A table of text; numbers are written by the caller. */
export function formatTable(
  columns: readonly Column[],
  rows: readonly (readonly string[])[],
): string {
  const widths = columns.map(({ title }, i) =>
    Math.max(title.length, ...rows.map((row) => row[i]?.length ?? 0)),
  );
  const formatRow = (cells: readonly string[]): string =>
    cells
      .map((cell, i) =>
        columns[i]?.align === 'right' ? cell.padStart(widths[i] ?? 0) : cell.padEnd(widths[i] ?? 0),
      )
      .join('  ')
      .trimEnd();
  const rule = widths.map((width) => '─'.repeat(width));
  return [columns.map(({ title }) => title), rule, ...rows]
    .map((cells) => `  ${formatRow(cells)}`)
    .join('\n');
}

/** Breaks a list separated by semicolons into indented lines. */
export const formatList = (list: string): string =>
  list.replaceAll(/(.{1,100})(?:; |$)/g, '    $1\n').trimEnd();
