// Texts as vectors: texts that mean the same lie near each other.

export interface Embedder {
  /** The model and its parameters: vectors of two names cannot be compared. */
  readonly model: string;
  readonly dimensions: number;
  /**
   * One vector a text, of any length; null where the text says nothing that the model knows.
   * @throws EmbeddingNetworkError when a model elsewhere does not answer
   */
  embed(texts: readonly string[]): Promise<(Int8Array | null)[]>;
}

/** The model cannot be reached, or answers something else. */
export class EmbeddingNetworkError extends Error {
  override readonly name = 'EmbeddingNetworkError';
}

/** The direction of a vector in bytes; null where it has none. */
export function quantized(vector: ArrayLike<number>): Int8Array | null {
  let largest = 0;
  for (let at = 0; at < vector.length; at++) largest = Math.max(largest, Math.abs(vector[at] ?? 0));
  if (largest === 0 || !Number.isFinite(largest)) return null;
  const scale = 127 / largest;
  return Int8Array.from(vector, (value) => Math.round(value * scale));
}
