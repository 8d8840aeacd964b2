// The offline verifier: what the package offers, in Node.js and in a browser.
export { readTar } from './archive/tar.ts';
export type { ArchiveOptions, ArchiveReport } from './archive/verify-archive.ts';
export type { DecisionQuestion, Step } from './decisions/decision-story.ts';
export { matchDisclosures } from './disclosures.ts';
export {
  type Destruction,
  DestructionCheck,
  type DestructionQuestion,
  NO_ENTRY,
} from './log/destruction-check.ts';
export type { HeadsQuestion } from './log/heads-check.ts';
export type { LogPin } from './log/log-proof.ts';
export { checkPromiseText, type LogTexts, makePinsOfTexts, readTrust } from './log/log-texts.ts';
export { readNote } from './log/note.ts';
export type { PromiseReport } from './log/promise-check.ts';
export { readRoots, readStamp } from './log/time-stamp.ts';
export { type Pin, readPin, readShortPin } from './pins/pins.ts';
export { type FieldRow, isLinked, type Problem, type Report, type Verdict } from './report.ts';
export type { SignatureCounts, Signer } from './signatures/signed-approvals.ts';
export { findSignatureFault, type Signed } from './signatures/assertion.ts';
export { readLines } from './system/lines.ts';
export type { EcKey, SignatureKey } from './system/primitives.ts';
export { hashSha256, toCanonicalJson, Unreadable, type Value } from './text.ts';
export { type Options, verifyBundle } from './verify.ts';
export { verifyBytes } from './verify-bytes.ts';
export { findViewFault } from './view.ts';
