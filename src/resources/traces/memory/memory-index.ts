// The index of the memory search, as the rest of the server sees it: it works in a thread of its own.
import type { Neighbour } from '../../../domain/nearest/nearest.ts';

/** What follows the ledger for it: another model has another name, begins at the first entry, and so replaces all vectors. */
export function indexerOf(model: string): string {
  return `trace-vectors:${model}`;
}

/** An entry of the ledger that changed what a decision says. */
export interface ChangedEntry {
  traceId: string;
  sequence: number;
  isErasure: boolean;
}

export interface MemoryQuestion {
  organizationId: string;
  /** Null: of all workspaces. */
  workspaceId: string | null;
  query: string;
  limit: number;
  /** Neighbours below it are not found. */
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
