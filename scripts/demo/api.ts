// The demo's HTTP client: it knows the address, the credential and the envelope, as any caller would.
import { createWriteStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';

export interface Answer<T> {
  status: number;
  /** Milliseconds from the request to the whole answer. */
  ms: number;
  headers: Headers;
  /** The envelope's `data`; undefined on most failures. */
  data: T | undefined;
  /** Code and text of a failure. */
  failure: string | null;
}

export interface Call {
  /** A session token or an API key. */
  credential?: string;
  /** JSON text, sent as it is. */
  body?: string;
}

export interface Api {
  /** Any answer is an answer, also a refusal. */
  sendRequest<T>(method: string, path: string, call: Call): Promise<Answer<T>>;
  /** The `data` of an answer that has to be a success. @throws Error with the refusal */
  get<T>(path: string, credential: string): Promise<T>;
  post<T>(path: string, body: object, credential?: string): Promise<T>;
  /** Writes a download to a file, as it arrives. */
  saveFile(path: string, credential: string, file: string): Promise<void>;
}

interface Envelope<T> {
  data?: T;
  code?: string;
  error?: string;
}

const createHeaders = ({ credential, body }: Call): Record<string, string> => ({
  ...(credential !== undefined && { authorization: `Bearer ${credential}` }),
  ...(body !== undefined && { 'content-type': 'application/json' }),
});

/** A client of the interface at `url`. */
export function createApi(url: string): Api {
  async function sendRequest<T>(method: string, path: string, call: Call): Promise<Answer<T>> {
    const started = performance.now();
    const response = await fetch(url + path, {
      method,
      headers: createHeaders(call),
      body: call.body ?? null,
    });
    const { data, code, error } = (await response.json()) as Envelope<T>;
    const failure = response.ok ? null : `${response.status} ${code ?? ''}: ${error ?? ''}`;
    return {
      status: response.status,
      ms: performance.now() - started,
      headers: response.headers,
      data,
      failure,
    };
  }

  async function requireSuccess<T>(method: string, path: string, call: Call): Promise<T> {
    const { data, failure } = await sendRequest<T>(method, path, call);
    if (failure !== null) throw new Error(`${method} ${path} was refused: ${failure}`);
    return data as T;
  }

  return {
    sendRequest,
    get: (path, credential) => requireSuccess('GET', path, { credential }),
    post: (path, body, credential) =>
      requireSuccess('POST', path, {
        body: JSON.stringify(body),
        ...(credential !== undefined && { credential }),
      }),
    async saveFile(path, credential, file) {
      const response = await fetch(url + path, { headers: createHeaders({ credential }) });
      if (!response.ok || response.body === null)
        throw new Error(`GET ${path} was refused: ${await response.text()}`);
      await pipeline(response.body, createWriteStream(file));
    },
  };
}
