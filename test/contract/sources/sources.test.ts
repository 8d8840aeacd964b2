// Every rule about the sources, in one file: whatever worker runs it reads and parses each source once.
import { readdirSync } from 'node:fs';
import { describe, expect, test } from 'vitest';

const ENDING = '.rules.ts';
const rules = readdirSync(import.meta.dirname)
  .filter((file) => file.endsWith(ENDING))
  .map((file) => file.slice(0, -ENDING.length));

test('the rules are found', () => {
  expect(rules.length).toBeGreaterThan(8);
});

for (const rule of rules)
  describe(rule, async () => {
    await import(`./${rule}.rules.ts`);
  });
