// The options about logs and promises: reads their files, and makes pins and evidence of them.
import { readFileSync } from 'node:fs';
import { Unreadable } from '../text.ts';
import type { DestructionQuestion } from './destruction-check.ts';
import { checkPromiseText, type LogTexts, makePinsOfTexts, readTrust } from './log-texts.ts';
import type { CheckedHeads, HeadsQuestion } from './heads-check.ts';
import type { LogPin } from './log-proof.ts';
import type { PromiseReport } from './promise-check.ts';
import { readRoots, readStamp, type Stamp } from './time-stamp.ts';

export interface LogArguments {
  proof: readonly string[];
  log: readonly string[];
  checkpoint: readonly string[];
  policy: string | undefined;
  stamp: string | undefined;
  'stamp-ca': string | undefined;
  promise: string | undefined;
  'promise-key': readonly string[];
  heads: readonly string[];
  destruction: string | undefined;
  'custodian-key': readonly string[];
}

/** An option that may be given several times. */
export const REPEATED = { type: 'string', multiple: true, default: [] as string[] } as const;
/** The options of `parseArgs`. */
export const LOG_OPTIONS = {
  proof: REPEATED,
  log: REPEATED,
  checkpoint: REPEATED,
  policy: { type: 'string' },
  stamp: { type: 'string' },
  'stamp-ca': { type: 'string' },
  promise: { type: 'string' },
  'promise-key': REPEATED,
  heads: REPEATED,
  destruction: { type: 'string' },
  'custodian-key': REPEATED,
} as const;

export const LOG_USAGE = `  --log VKEY            a verifier key of a log that you trust, under the log's origin; repeatable
  --proof FILE          a proof file (tlog-proof) of an entry, or of its checkpoint in the heads log; repeatable
  --policy FILE         the witnesses that must have signed (tlog-policy)
  --stamp FILE          a time stamp (RFC 3161) of a checkpoint that is given by --proof
  --stamp-ca FILE       with it: the root certificates of the authority, in PEM
  --promise FILE        a saved answer to an ingestion: whether its promise was kept, by --proof, --checkpoint or the
                        bundle; FILE may then be missing. Exit status: 0 kept, 1 broken, 2 cannot tell
  --promise-key VKEY    the verifier key of promises; repeatable
  --checkpoint FILE     a checkpoint with the signatures of witnesses; repeatable
  --heads FILE          every checkpoint that was signed of a log, with the heads log (GET /api/v1/hash-chain/heads):
                        whether the bundle, which begins at sequence 1, agrees with each; repeatable
  --destruction FILE    a saved erasure (GET /api/v1/erasure/ID): whether a custodian signed that older copies of its
                        keys are destroyed, and the bundle, exported with disclose=destruction, has that statement
  --custodian-key VKEY  with it: the verifier key of a custodian that you trust; repeatable`;

const readText = (path: string): string => readFileSync(path, 'utf8');

const readTexts = (given: LogArguments): LogTexts => ({
  proofs: given.proof.map(readText),
  checkpoints: given.checkpoint.map(readText),
  policy: given.policy === undefined ? null : readText(given.policy),
  logKeys: given.log,
  promiseKeys: given['promise-key'],
});

/** Reads the proofs as pins. @throws Unreadable when one is malformed or not signed as it must be */
export const readLogPins = (given: LogArguments): LogPin[] => makePinsOfTexts(readTexts(given));

/** Verifies the time stamp, if one is given; null: none is. @throws Unreadable */
export async function readGivenStamp(
  { stamp, 'stamp-ca': roots }: LogArguments,
  pins: readonly LogPin[],
): Promise<Stamp | null> {
  if (stamp === undefined) return null;
  if (roots === undefined) throw new Unreadable('--stamp requires --stamp-ca');
  const texts = pins.flatMap((pin) => pin.texts);
  return readStamp(readFileSync(stamp), { roots: readRoots(readText(roots)), texts });
}

/** Returns whether one of the pins rests on what was stamped. */
export const hasStampedPin = ({ text }: Stamp, pins: readonly LogPin[]): boolean =>
  pins.some(({ texts }) => texts.includes(text));

/** Describes a time stamp. */
export const describeStamp = ({ issuer, at }: Stamp): string =>
  `  stamped by ${issuer} at ${at.toISOString()}: the log was as it is now by then`;

/** Checks the promise of a saved answer. `shown`: the chain hashes of a bundle, by sequence. */
export const checkGivenPromise = (
  given: LogArguments,
  shown: ReadonlyMap<number, string>,
  isLinked: boolean,
): PromiseReport =>
  checkPromiseText(readText(given.promise ?? ''), { ...readTexts(given), isLinked }, shown);

/** The destruction to look for, if one is given. */
export function readGivenDestruction(given: LogArguments): { destruction?: DestructionQuestion } {
  const { destruction, 'custodian-key': custodianKeys } = given;
  if (destruction === undefined) return {};
  return { destruction: { answer: readText(destruction), custodianKeys } };
}

/** The heads files, if any are given. @throws Unreadable when a key or the policy is malformed */
export function readGivenHeads(given: LogArguments): { heads?: HeadsQuestion } {
  if (given.heads.length === 0) return {};
  return { heads: { texts: given.heads.map(readText), trust: readTrust(readTexts(given)) } };
}

/** Describes how the chain agrees with the checkpoints of its log. */
export function describeHeads({ checked, beyond }: CheckedHeads): string {
  const rest = beyond === 0 ? '' : `; ${beyond} of entries after it were not checked`;
  return `  checkpoints that the chain agrees with: ${checked}${rest}`;
}

/** Describes who vouches for the entries up to a pin. */
export function describeLogPin({ pin, origin, size, witnesses }: LogPin): string {
  const seen = [...witnesses].map(
    ([name, time]) => `${name} at ${new Date(time * 1000).toISOString()}`,
  );
  const by = seen.length === 0 ? '' : `, witnessed by ${seen.join(', ')}`;
  return `  entry ${pin.sequence} is in the log ${origin} of ${size} entries${by}`;
}
