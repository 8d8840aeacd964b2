// Runs a mongod and stops it when the app has ended: the channel to the parent closes, however the parent died.
import { spawn } from 'node:child_process';
import { createWriteStream, renameSync, rmSync, statSync } from 'node:fs';
import { createInterface } from 'node:readline';

const GRACE_MS = 10_000;
const MAX_LOG_BYTES = 8_000_000;
const { binary, args, logFile, removeAfterwards } = JSON.parse(process.argv[2]);

// What mongod and its log write is for the owner alone.
process.umask(0o077);

// When the app died while this file was loading, no further `disconnect` follows.
if (!process.connected) process.exit();

if ((statSync(logFile, { throwIfNoEntry: false })?.size ?? 0) > MAX_LOG_BYTES)
  renameSync(logFile, `${logFile}.1`);
const log = createWriteStream(logFile, { flags: 'a' });
const mongod = spawn(binary, args, { stdio: ['ignore', 'pipe', 'pipe'], windowsHide: true });
const errors = [];

mongod.stderr.pipe(log, { end: false });
createInterface({ input: mongod.stdout }).on('line', (line) => {
  log.write(`${line}\n`);
  if (/"s":"[EF]"/.test(line) && errors.push(line) > 20) errors.shift();
  if (line.includes('"msg":"Waiting for connections"')) send({ listening: mongod.pid });
});

mongod.once('error', (error) => exit({ errors: [error.message] }));
mongod.once('close', (code, signal) => exit({ code, signal, errors }));

process.once('disconnect', () => {
  mongod.kill(removeAfterwards ? 'SIGKILL' : 'SIGTERM');
  setTimeout(() => mongod.kill('SIGKILL'), GRACE_MS).unref();
});
// A signal to the process group must not end the watchdog before mongod.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'])
  process.on(signal, () => mongod.kill('SIGTERM'));

function send(message, then = () => {}) {
  if (process.connected) process.send(message, then);
  else then();
}

function exit(ended) {
  if (removeAfterwards) rmSync(removeAfterwards, { recursive: true, force: true });
  send({ ended }, () => process.exit());
}
