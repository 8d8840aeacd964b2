// An embedder behind an OpenAI-compatible interface: `POST <base>/embeddings`.
import { z } from 'zod';
import type { SafeHttp } from '../outbound/safe-http.ts';
import { type Embedder, EmbeddingNetworkError, toByteVector } from './embedder.ts';

export interface RemoteModel {
  /** Base URL, such as `https://embeddings.example.com/v1`. */
  url: string;
  key: string | undefined;
  model: string;
  dimensions: number;
}

/** Identifies the vectors of a remote model. */
export function formatModelName({
  model,
  dimensions,
}: Pick<RemoteModel, 'model' | 'dimensions'>): string {
  return `${model}/${dimensions}`;
}

/** Texts of one request. */
const BATCH = 32;
/** Statuses for a text that the model rejects: a retry does not help. */
const REFUSED = new Set([400, 413, 422]);

/** Schema of the response: one vector per text, with its index. */
function createAnswerSchema(dimensions: number) {
  const vector = z.array(z.number()).length(dimensions);
  return z.object({ data: z.array(z.object({ index: z.int(), embedding: vector })) });
}

export function createRemoteEmbedder(
  { url, key, model, dimensions }: RemoteModel,
  http: SafeHttp,
): Embedder {
  const address = `${url.replace(/\/$/, '')}/embeddings`;
  const headers = {
    'content-type': 'application/json',
    ...(key !== undefined && { authorization: `Bearer ${key}` }),
  };
  const answerSchema = createAnswerSchema(dimensions);

  async function postTexts(input: readonly string[]): Promise<Response> {
    const body = JSON.stringify({ model, input, dimensions, encoding_format: 'float' });
    return http.fetch(address, { method: 'POST', headers, body }).catch(throwNetworkError);
  }

  async function fetchVectors(input: readonly string[]): Promise<(Int8Array | null)[]> {
    const response = await postTexts(input);
    const { status } = response;
    if (REFUSED.has(status)) throw new Error(`the embedding model refuses a text: ${status}`);
    if (!response.ok) throw new EmbeddingNetworkError(`the embedding model answers ${status}`);
    const { data } = await response.json().then(answerSchema.parse).catch(throwNetworkError);
    const byIndex = new Map(data.map(({ index, embedding }) => [index, embedding]));
    return input.map((_text, index) => toByteVector(byIndex.get(index) ?? []));
  }

  /** Skips blank texts, which some models refuse. */
  async function processBatch(texts: readonly string[]): Promise<(Int8Array | null)[]> {
    const given = texts.filter((text) => text.trim() !== '');
    if (given.length === 0) return texts.map(() => null);
    const vectors = (await fetchVectors(given)).values();
    return texts.map((text) => (text.trim() === '' ? null : (vectors.next().value ?? null)));
  }

  return {
    model: formatModelName({ model, dimensions }),
    dimensions,
    async embed(texts) {
      const vectors: (Int8Array | null)[] = [];
      for (let from = 0; from < texts.length; from += BATCH)
        vectors.push(...(await processBatch(texts.slice(from, from + BATCH))));
      return vectors;
    },
  };
}

function throwNetworkError(cause: unknown): never {
  throw new EmbeddingNetworkError('the embedding model does not answer as it should', { cause });
}
