// Transparency logs of C2SP: what the package offers.
export {
  type CosignatureRequest,
  formatCosignatureRequest,
  readWitnessAnswer,
  type WitnessAnswer,
} from './add-checkpoint.ts';
export {
  formatCheckpoint,
  formatProofFile,
  type InclusionProof,
  type LogCheckpoint,
  parseCheckpoint,
} from './checkpoint.ts';
export { type ReceiptParts, writeReceipt } from './cose-receipt.ts';
export {
  type CosignVerdict,
  decideCosigning,
  parseCosignRequest,
  type ReceivedCheckpoint,
  writeCosignature,
} from './cosign-request.ts';
export {
  computeEmptyRoot,
  computeRoot,
  HASH_BYTES,
  hashLeaf,
  isConsistent,
  isIncluded,
  joinSubtrees,
  type LeafRange,
  listConsistencyRanges,
  listInclusionRanges,
  splitRange,
  type Subtree,
  type TreeHead,
} from './merkle-tree.ts';
export {
  BatchTree,
  type EntryPromise,
  formatPromise,
  isPromised,
  parsePromise,
  type PromisedEntry,
  type PromiseTerms,
} from './promise.ts';
export {
  computeKeyId,
  decodeBase64,
  formatCosignature,
  formatCosignedText,
  formatSignatureLine,
  formatVerifierKey,
  isSignedBy,
  LOG_KEY,
  parseNote,
  parseSignatureLine,
  parseVerifierKey,
  type SignedNote,
  type SignNote,
  signNote,
  toRawPublicKey,
  verifyCosignature,
  type VerifierKey,
  WITNESS_KEY,
} from './signed-note.ts';
export {
  countFullTiles,
  findSubtreeTile,
  formatEntryBundle,
  parseTilePath,
  splitHashes,
  type Tile,
  TILE_WIDTH,
  TiledTree,
  type TilePlace,
  type TileRequest,
} from './tiles.ts';
export {
  hasQuorum,
  parseWitnessPolicy,
  type Witness,
  type WitnessPolicy,
} from './witness-policy.ts';
export { parseWitnessedLogs } from './witnessed-logs.ts';
