// Pins and verdicts on promises from the texts of proofs, checkpoints, policies and keys.
import { parse, Unreadable } from '../text.ts';
import { type LogPin, makeLogPins, readProofFile, type Trust } from './log-proof.ts';
import { readCheckpoint, readKey, readNote } from './note.ts';
import { readPolicy } from './policy.ts';
import { checkPromise, type PromiseReport, readPromised, tellNothing } from './promise-check.ts';

export interface LogTexts {
  proofs: readonly string[];
  checkpoints: readonly string[];
  /** Null: no witness is asked. */
  policy: string | null;
  /** Verifier keys of logs. */
  logKeys: readonly string[];
  /** Verifier keys of promises. */
  promiseKeys: readonly string[];
  /** Whether the entries of the bundle are linked, so that each vouches for those before it. */
  isLinked?: boolean;
}

/** @throws Unreadable when a key or the policy is malformed */
export const readTrust = ({ logKeys, policy }: Pick<LogTexts, 'logKeys' | 'policy'>): Trust => ({
  keys: logKeys.map(readKey),
  policy: policy === null ? null : readPolicy(policy),
});

/** Makes pins of proofs. @throws Unreadable when one is malformed or not signed as it must be */
export const makePinsOfTexts = (texts: LogTexts): LogPin[] =>
  makeLogPins(texts.proofs.map(readProofFile), readTrust(texts));

/** Checks the promise of an answer's text. `shown`: the chain hashes of a bundle, by sequence. */
export function checkPromiseText(
  answer: string,
  texts: LogTexts,
  shown: ReadonlyMap<number, string>,
): PromiseReport {
  try {
    const promised = readPromised(parse(answer), texts.promiseKeys.map(readKey));
    const proofs = texts.proofs.map(readProofFile);
    const checkpoints = texts.checkpoints.map((text) => {
      const note = readNote(text);
      return { note, checkpoint: readCheckpoint(note) };
    });
    const evidence = { proofs, checkpoints, shown, isLinked: texts.isLinked === true };
    return checkPromise(promised, evidence, readTrust(texts));
  } catch (error) {
    if (!(error instanceof Unreadable)) throw error;
    return tellNothing(error.message);
  }
}
