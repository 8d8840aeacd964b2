// The worked examples of docs/reference/formats.md print the documented output.
// @module-tag long
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { has } from '../tools.ts';

const blocks = [
  ...readFileSync('docs/reference/formats.md', 'utf8').matchAll(/^```sh\n(.*?)^```/gms),
].map(([, block]) => block!);
/** A line that begins with `$ ` is a command; the lines up to the next one are its output. */
const examples = blocks
  .flatMap((block) => block.split(/^\$ /m).slice(1))
  .map((example) => {
    const end = example.indexOf('\n');
    return { command: example.slice(0, end), output: example.slice(end + 1).trim() };
  });

it.skipIf(!has('jq', 'sha256sum', 'openssl')).each(examples)('$command', ({ command, output }) => {
  expect(
    execFileSync('sh', ['-c', `${command}; exit 0`])
      .toString()
      .trim(),
  ).toBe(output);
});
