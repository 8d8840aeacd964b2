// Renders anchors and proofs.
import type { Types } from 'mongoose';
import type { LogHeadDocument } from '../log-heads.model.ts';
import type { StampView } from '../stamps/stamps.ts';

export interface AnchorView {
  anchorId: Types.ObjectId;
  origin: string;
  treeSize: number;
  root: string;
  sealedAt: Date;
  checkpoint: string;
  cosignatures: { witness: string; at: Date }[];
  witnessed: boolean;
  /** The first time stamp that covers it; null until there is one. */
  eidasTimestamp: StampView | null;
}

/** Facts about an anchor besides its head. */
interface AnchorFacts {
  origin: string;
  isWitnessed: boolean;
  stamp: StampView | null;
}

/** A proof in the heads log. */
export interface HeadsProof {
  index: number;
  path: readonly Buffer[];
  treeSize: number;
  checkpoint: string;
  cosignatures: { witness: string; at: Date }[];
  /** Whether the quorum of the witnesses has signed it, or a later head. */
  isWitnessed: boolean;
}

/** A proof that an entry is below an anchor. */
export interface AnchorProof {
  anchorId: Types.ObjectId;
  origin: string;
  index: number;
  treeSize: number;
  leafHash: Buffer;
  path: readonly Buffer[];
  /** The root that was signed. */
  root: Buffer;
  checkpoint: string;
  heads: HeadsProof | null;
}

/** Returns the checkpoint with the signatures of its log and of its witnesses. */
export function formatCosignedNote({
  note,
  cosignatures,
}: Pick<LogHeadDocument, 'note' | 'cosignatures'>): string {
  return note + cosignatures.map(({ line }) => `${line}\n`).join('');
}

export function toAnchorView(
  head: LogHeadDocument,
  { origin, isWitnessed, stamp }: AnchorFacts,
): AnchorView {
  return {
    anchorId: head._id,
    origin,
    treeSize: head.size,
    root: head.root,
    sealedAt: head.at,
    checkpoint: formatCosignedNote(head),
    cosignatures: head.cosignatures.map(({ witness, at }) => ({ witness, at })),
    witnessed: isWitnessed,
    eidasTimestamp: stamp,
  };
}

const toHexList = (hashes: readonly Buffer[]): string[] =>
  hashes.map((hash) => hash.toString('hex'));

export function toHeadsView(heads: HeadsProof | null) {
  if (!heads) return null;
  const { index, treeSize, path, checkpoint, isWitnessed: witnessed } = heads;
  const cosignatures = heads.cosignatures.map(({ witness, at }) => ({ witness, at }));
  return { index, treeSize, hashes: toHexList(path), checkpoint, cosignatures, witnessed };
}

export function toProofView(proof: AnchorProof) {
  const { anchorId, origin, index, treeSize, leafHash, path, checkpoint, heads } = proof;
  return {
    anchorId,
    origin,
    leafIndex: index,
    treeSize,
    leafHash: leafHash.toString('hex'),
    hashes: toHexList(path),
    checkpoint,
    witnessed: heads?.isWitnessed ?? false,
    heads: toHeadsView(heads),
  };
}
export type ProofView = ReturnType<typeof toProofView>;
