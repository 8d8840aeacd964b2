// Answers one question: verifies a bundle and checks promises, against what the reader trusts.
import {
  checkPromiseText,
  type LogTexts,
  makePinsOfTexts,
} from '../../scripts/verify-bundle/log/log-texts.ts';
import type { LogPin } from '../../scripts/verify-bundle/log/log-proof.ts';
import { type Pin, readPin, readShortPin } from '../../scripts/verify-bundle/pins.ts';
import type { Value } from '../../scripts/verify-bundle/text.ts';
import { verifyBytes } from '../../scripts/verify-bundle/verify-bytes.ts';
import { readBlob, readWhole } from './bytes.ts';
import type { Evidence, LoggedPlace, Outcome, Question } from './protocol.ts';
import { joinBundle, listRows, openBundle, tamperBundle } from './tamper-lab.ts';

/** The lab holds a bundle in memory. */
const LAB_BYTES = 16 * 1024 * 1024;

interface Trusted {
  pins: Pin[];
  logPins: LogPin[];
  faults: string[];
}

function parsePin(text: string): Pin | null {
  try {
    return readShortPin(text.trim()) ?? readPin(JSON.parse(text) as Value);
  } catch {
    return null;
  }
}

function toLogTexts({ proofs, checkpoints, policy, verifierKeys }: Evidence): LogTexts {
  return { proofs, checkpoints, policy, logKeys: verifierKeys, promiseKeys: verifierKeys };
}

/** What cannot be read vouches for nothing, and is reported. */
function readTrusted(evidence: Evidence): Trusted {
  const faults: string[] = [];
  const pins = evidence.pins.flatMap((text) => {
    const pin = parsePin(text);
    if (!pin) faults.push(`Not a place with its hash: ${text.slice(0, 80)}`);
    return pin ? [pin] : [];
  });
  let logPins: LogPin[] = [];
  try {
    logPins = makePinsOfTexts(toLogTexts(evidence));
  } catch (error) {
    faults.push(error instanceof Error ? error.message : String(error));
  }
  return { pins: [...pins, ...logPins.map(({ pin }) => pin)], logPins, faults };
}

const toPlace = ({ pin, origin, size, witnesses }: LogPin): LoggedPlace => ({
  sequence: pin.sequence,
  origin,
  size,
  witnesses: [...witnesses].map(([name, seconds]) => [name, seconds * 1000]),
});

/** `onRead` gets the number of bytes read so far. */
export async function answerQuestion(
  { bundle, evidence, tampering }: Question,
  onRead: (bytes: number) => void,
): Promise<Outcome> {
  const { pins, logPins, faults } = readTrusted(evidence);
  const text = bundle && (await readWhole(bundle, LAB_BYTES).catch(() => null));
  const opened = text === null ? null : openBundle(text);
  const altered = tampering && opened ? tamperBundle(opened, tampering) : null;
  const verified = altered ? new Blob([joinBundle(altered.bundle)]) : bundle;
  const shown = new Map<number, string>();
  const report =
    verified &&
    (await verifyBytes(readBlob(verified, onRead), {
      pins,
      keys: evidence.keyNames,
      onEntry: (sequence, chainHash) => shown.set(sequence, chainHash),
    }));
  const promises = evidence.answers.map(({ name, text: answer }) => ({
    name,
    report: checkPromiseText(answer, toLogTexts(evidence), shown),
  }));
  const vouched = logPins.filter(({ pin }) => pin.sequence <= (report?.vouchedUpTo ?? 0));
  return {
    report,
    logged: vouched.map(toPlace),
    faults,
    promises,
    rows: opened && listRows(opened),
    change: altered?.change ?? null,
  };
}
