// A small app with an embedded database for tests that kill it: prints its connection string and waits.
import { startEmbedded } from '../src/embedded-mongod.ts';

const [dataDir = '', path = '', version = '', ephemeral] = process.argv.slice(2);
const { uri } = await startEmbedded({
  dataDir,
  binary: { path, version },
  log: () => undefined,
  ephemeral: ephemeral === 'ephemeral',
});
console.log(uri);
// Waits for a kill, or for the end of the test process that holds the other end.
process.stdin.resume().once('end', () => process.exit());
