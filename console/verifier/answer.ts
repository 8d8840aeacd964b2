// Answers one question: verifies a bundle and checks promises, against what the reader trusts.
import {
  checkPromiseText,
  type LogTexts,
  makePinsOfTexts,
  readTrust,
  DestructionCheck,
  NO_ENTRY,
  type DestructionQuestion,
  type HeadsQuestion,
  type LogPin,
  type Pin,
  readPin,
  readShortPin,
  readNote,
  readRoots,
  readStamp,
  Unreadable,
  type Value,
  isLinked,
  verifyBytes,
} from '@assay/verifier';
import { readBlob } from './bytes.ts';
import type {
  DestructionReport,
  Evidence,
  LoggedPlace,
  Outcome,
  Question,
  VerifiedStamp,
} from './protocol.ts';
import { openLab } from './lab/lab.ts';

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

/** What of the evidence holds, and what of it could not be used. */
interface CheckedStamps {
  stamps: VerifiedStamp[];
  faults: string[];
}

async function checkStamps(
  { stamps, roots, checkpoints }: Evidence,
  pins: readonly LogPin[],
): Promise<CheckedStamps> {
  const checked: CheckedStamps = { stamps: [], faults: [] };
  const texts = pins.flatMap((pin) => pin.texts);
  for (const { name, base64 } of stamps)
    try {
      if (roots.length === 0)
        throw new Unreadable('give the root certificates of its authority, in PEM');
      const trust = { roots: readRoots(roots.join('\n')), texts, others: readTexts(checkpoints) };
      const { issuer, at } = await readStamp(Buffer.from(base64, 'base64'), trust);
      checked.stamps.push({ name, issuer, at: at.getTime() });
    } catch (error) {
      if (!(error instanceof Unreadable)) throw error;
      checked.faults.push(`${name}: ${error.message}`);
    }
  return checked;
}

/** Returns what was signed of each checkpoint that can be read. */
const readTexts = (checkpoints: readonly string[]): string[] =>
  checkpoints.flatMap((checkpoint) => {
    try {
      return [readNote(checkpoint).text];
    } catch {
      return [];
    }
  });

const toPlace = ({ pin, origin, size, witnesses }: LogPin): LoggedPlace => ({
  sequence: pin.sequence,
  origin,
  size,
  witnesses: [...witnesses].map(([name, seconds]) => [name, seconds * 1000]),
});

const NO_BUNDLE =
  'its custodian has signed the statement; drop the bundle that has it too, exported with disclose=destruction';

const toQuestion = ({ erasure, custodianKeys }: Evidence): DestructionQuestion | null =>
  erasure && { answer: erasure.text, custodianKeys };

/** Tells what a bundle shows of the destruction; without one, only what is wrong with the erasure is known. */
function reportDestruction(
  evidence: Evidence,
  report: Outcome['report'],
): DestructionReport | null {
  const question = toQuestion(evidence);
  if (!question || !evidence.erasure) return null;
  const { name } = evidence.erasure;
  if (!report) {
    const gap = new DestructionCheck(question).findGap();
    return { name, found: null, gap: gap === NO_ENTRY ? NO_BUNDLE : gap };
  }
  const unseen = report.problems.find(({ code }) => code === 'destruction-unseen');
  return { name, found: report.destruction, gap: unseen?.message ?? null };
}

/** What is given of checkpoints; keys that cannot be read are reported by the pins. */
function toHeadsQuestion(evidence: Evidence): HeadsQuestion | null {
  const { heads: texts } = evidence;
  if (texts.length === 0) return null;
  try {
    return { texts, trust: readTrust(toLogTexts(evidence)) };
  } catch (error) {
    if (!(error instanceof Unreadable)) throw error;
    return { texts, trust: { keys: [], policy: null } };
  }
}

/** `onRead` gets the number of bytes read so far. */
export async function answerQuestion(
  { bundle, evidence, tampering }: Question,
  onRead: (bytes: number) => void,
): Promise<Outcome> {
  const { pins, logPins, faults } = readTrusted(evidence);
  const lab = bundle && (await openLab(bundle));
  const altered = tampering && lab ? lab.alterCopy(tampering) : null;
  const verified = altered?.blob ?? bundle;
  const shown = new Map<number, string>();
  const destruction = toQuestion(evidence);
  const heads = toHeadsQuestion(evidence);
  const report =
    verified &&
    (await verifyBytes(readBlob(verified, onRead), {
      pins,
      keys: evidence.keyNames,
      ...(destruction && { destruction }),
      ...(heads && { heads }),
      onEntry: (sequence, chainHash) => shown.set(sequence, chainHash),
    }));
  const promises = evidence.answers.map(({ name, text: answer }) => ({
    name,
    report: checkPromiseText(
      answer,
      { ...toLogTexts(evidence), isLinked: report !== null && isLinked(report) },
      shown,
    ),
  }));
  const vouched = logPins.filter(({ pin }) => pin.sequence <= (report?.vouchedUpTo ?? 0));
  const stamped = await checkStamps(evidence, vouched);
  return {
    report,
    logged: vouched.map(toPlace),
    stamps: stamped.stamps,
    faults: [...faults, ...stamped.faults],
    promises,
    destruction: reportDestruction(evidence, report),
    rows: lab?.rows ?? null,
    change: altered?.change ?? null,
  };
}
