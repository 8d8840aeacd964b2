// Interface of embedders: texts as vectors, where similar meanings lie near each other.

export interface Embedder {
  /** Identifies the model and its parameters: vectors of different models cannot be compared. */
  readonly model: string;
  readonly dimensions: number;
  /**
   * One vector a text, of any length; null where the model knows no word of the text.
   * @throws EmbeddingNetworkError when a remote model does not answer
   */
  embed(texts: readonly string[]): Promise<(Int8Array | null)[]>;
}

/** A remote model cannot be reached, or its response is invalid. */
export class EmbeddingNetworkError extends Error {
  override readonly name = 'EmbeddingNetworkError';
}

/** Scales a vector to signed bytes; null for a zero or infinite vector. */
export function toByteVector(vector: ArrayLike<number>): Int8Array | null {
  let largest = 0;
  for (let at = 0; at < vector.length; at++) largest = Math.max(largest, Math.abs(vector[at] ?? 0));
  if (largest === 0 || !Number.isFinite(largest)) return null;
  const scale = 127 / largest;
  return Int8Array.from(vector, (value) => Math.round(value * scale));
}
