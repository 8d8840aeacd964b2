// The interface of the memory search's index, which runs in a thread of its own.
import type { Neighbour } from '../../../domain/nearest/nearest.ts';

/** Consumer name of the indexer. Another model has another name, starts at entry 1, and so replaces all vectors. */
export function toIndexerName(model: string): string {
  return `trace-vectors:${model}`;
}

/** An entry of the ledger that changed the texts of a decision. */
export interface ChangedEntry {
  traceId: string;
  sequence: number;
  isErasure: boolean;
}

export interface MemoryQuestion {
  organizationId: string;
  /** Null: all workspaces. */
  workspaceId: string | null;
  query: string;
  limit: number;
  /** Neighbours below this score are left out. */
  minScore: number;
}

export interface MemoryIndex {
  /** The embedder's name. */
  readonly model: string;
  /** Brings the vectors of the decisions up to these entries. @throws `EmbeddingNetworkError` by name */
  store(organizationId: string, entries: readonly ChangedEntry[]): Promise<void>;
  /** Best first; `id`: the decision's sequence, `part`: which of its texts. @throws `EmbeddingNetworkError` by name */
  find(question: MemoryQuestion): Promise<readonly Neighbour[]>;
}
