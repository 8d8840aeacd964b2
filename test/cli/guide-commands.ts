// Reads the commands of a guide, and compares what they print with what it shows.
import { expect } from 'vitest';

/** Commands of a guide, each with what it shows below it. */
export const COMMAND = /```sh\n(.*?)\n```(?:\n\n```text\n(.*?)```)?/gs;

export const parseWords = (line: string): string[] =>
  [...line.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, plain = '']) => quoted ?? plain);

/** Expects a text to be as the guide shows it, where `…` is anything. */
export function expectShown(text: string, shown: string): void {
  const parts = shown.split('…').map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  expect(text).toMatch(new RegExp(`^${parts.join('.+')}$`));
}
