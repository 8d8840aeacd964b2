// Calls the public API with the session cookie; a failure becomes an ApiError with its code and request id.
import createClient from 'openapi-fetch';
import { ApiError } from './api-error.ts';
import type { paths } from './schema.gen.d.ts';

/** The service takes the session cookie only with this header, which pages of other origins cannot send. */
export const CONSOLE_HEADERS = { 'X-Assay-Console': '1' } as const;

export const api = createClient<paths>({ baseUrl: '', headers: CONSOLE_HEADERS });

interface Outcome<E> {
  data?: E;
  error?: unknown;
  response: Response;
}

/** Resolves with the whole success envelope. @throws ApiError */
export async function readEnvelope<E>(call: Promise<Outcome<E>>): Promise<E> {
  const { data, error, response } = await call.catch((cause: unknown) => {
    throw ApiError.fromNetwork(cause);
  });
  if (!response.ok || data === undefined) throw ApiError.fromAnswer(response, error);
  return data;
}

/** Resolves with `data` of the success envelope. @throws ApiError */
export async function readData<D>(call: Promise<Outcome<{ data: D }>>): Promise<D> {
  return (await readEnvelope(call)).data;
}
