// Calls the public API with the session cookie; a failure becomes an ApiError with its code and request id.
import createClient from 'openapi-fetch';
import { ApiError } from './api-error.ts';
import type { paths } from './schema.gen.d.ts';

/** The service takes the session cookie only with this header, which pages of other origins cannot send. */
const CONSOLE_HEADER = { 'X-Assay-Console': '1' } as const;

let workspaceId: string | null = null;

/** From now on the service is asked for what belongs to the workspace; null: for everything. */
export const setWorkspace = (id: string | null): void => void (workspaceId = id);
export const getWorkspace = (): string | null => workspaceId;

/** What every request of a session says. */
export const createHeaders = (): Record<string, string> => ({
  ...CONSOLE_HEADER,
  ...(workspaceId !== null && { 'X-Workspace-Id': workspaceId }),
});

export const api = createClient<paths>({ baseUrl: '' });
api.use({
  onRequest({ request: { headers } }) {
    for (const [name, value] of Object.entries(createHeaders())) headers.set(name, value);
  },
});

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
