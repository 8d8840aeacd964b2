// The archive reader finds an entry, compressed or stored, and refuses invalid archives.
import { expect, test } from 'vitest';
import { extractEntry } from '../../scripts/mongod/zip.ts';
import { makeZip } from './make-zip.ts';

const zip = makeZip([
  { name: 'a/README', content: 'read me' },
  { name: 'a/bin/packed', content: 'x'.repeat(10_000) },
  { name: 'a/bin/stored', content: 'as it is', stored: true },
]);

test.each([
  ['/bin/packed', 'x'.repeat(10_000)],
  ['/bin/stored', 'as it is'],
  ['README', 'read me'],
])('%s', async (suffix, content) => {
  expect((await extractEntry(zip, suffix)).toString()).toBe(content);
});

test('refuses a missing entry', async () => {
  await expect(extractEntry(zip, '/bin/mongod')).rejects.toThrow('no /bin/mongod in the archive');
});

test('refuses bytes that are no archive', async () => {
  await expect(extractEntry(Buffer.from('<html>sign in first</html>'), 'x')).rejects.toThrow(
    'not a zip archive',
  );
});
