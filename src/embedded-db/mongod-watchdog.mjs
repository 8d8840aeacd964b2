// Runs one mongod for the app and never lets it outlive the app: the channel to the parent closes, however the parent died.
import { spawn } from 'node:child_process';
import { createWriteStream, renameSync, rmSync, statSync } from 'node:fs';
import { createInterface } from 'node:readline';

const graceMs = 10_000;
const logLimitBytes = 8_000_000;
const { binary, args, logFile, removeAfterwards } = JSON.parse(process.argv[2]);

// The app may have died while this file was loading: that `disconnect` is over, and there will be no other.
if (!process.connected) process.exit();

if ((statSync(logFile, { throwIfNoEntry: false })?.size ?? 0) > logLimitBytes)
  renameSync(logFile, `${logFile}.1`);
const log = createWriteStream(logFile, { flags: 'a' });
const mongod = spawn(binary, args, { stdio: ['ignore', 'pipe', 'pipe'], windowsHide: true });
const complaints = [];

mongod.stderr.pipe(log, { end: false });
createInterface({ input: mongod.stdout }).on('line', (line) => {
  log.write(`${line}\n`);
  if (/"s":"[EF]"/.test(line) && complaints.push(line) > 20) complaints.shift();
  if (line.includes('"msg":"Waiting for connections"')) tell({ listening: mongod.pid });
});

mongod.once('error', (error) => leave({ complaints: [error.message] }));
mongod.once('close', (code, signal) => leave({ code, signal, complaints }));

process.once('disconnect', () => {
  mongod.kill(removeAfterwards ? 'SIGKILL' : 'SIGTERM');
  setTimeout(() => mongod.kill('SIGKILL'), graceMs).unref();
});
// A signal to the whole group must not end the watchdog before mongod.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'])
  process.on(signal, () => mongod.kill('SIGTERM'));

function tell(message, then = () => {}) {
  if (process.connected) process.send(message, then);
  else then();
}

function leave(ended) {
  if (removeAfterwards) rmSync(removeAfterwards, { recursive: true, force: true });
  tell({ ended }, () => process.exit());
}
