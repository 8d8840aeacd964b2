// Reads SAML messages in a worker thread, which is started on first use and replaced when a message takes too long.
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { LogoutMessage } from '../../domain/saml/logout.ts';
import type { Assertion } from '../../domain/saml/response.ts';
import { AppError } from '../../errors.ts';
import type { LogoutRequest, ResponseRequest } from './saml-reader.ts';
import type { SamlResult, SamlRequest } from './saml-reader-thread.ts';

export interface SamlReaderWorker {
  /** @throws AppError `TOKEN_VERIFICATION_FAILED` for an invalid response, `FORBIDDEN` when the provider denies the login */
  response(request: Omit<ResponseRequest, 'kind'>): Promise<Assertion>;
  /** @throws AppError as `response` */
  logout(request: Omit<LogoutRequest, 'kind'>): Promise<LogoutMessage>;
  close(): Promise<void>;
}

/** Several times what the most expensive message takes that passes the strict parser. */
const TIMEOUT_MS = 3000;
const RESOURCE_LIMITS = { maxYoungGenerationSizeMb: 32, maxOldGenerationSizeMb: 256 };

export function createSamlReaderWorker({
  decryptionKey,
  log,
  timeoutMs = TIMEOUT_MS,
  threadScripts = import.meta.url,
}: {
  /** PEM; null: encrypted assertions are refused. */
  decryptionKey: string | null;
  log: { warn(details: object, text: string): void };
  /** Of one message. */
  timeoutMs?: number;
  /** Folder of the thread's script, as a URL; default: this one. */
  threadScripts?: string | undefined;
}): SamlReaderWorker {
  let worker: Worker | null = null;
  let queue: Promise<unknown> = Promise.resolve();

  async function start(): Promise<Worker> {
    const script = new URL('./saml-reader-thread.mjs', threadScripts);
    const started = new Worker(script, {
      workerData: { decryptionKey },
      execArgv: [],
      resourceLimits: RESOURCE_LIMITS,
    });
    started.unref();
    // `once` below and in `resultOf` rejects on the same event.
    started.on('error', () => (worker = null));
    await once(started, 'message');
    return started;
  }

  async function terminate(): Promise<void> {
    const terminated = worker;
    worker = null;
    await terminated?.terminate();
  }

  async function resultOf(request: SamlRequest): Promise<SamlResult> {
    const thread = (worker ??= await start());
    const signal = AbortSignal.timeout(timeoutMs);
    const message = once(thread, 'message', { signal }) as Promise<[SamlResult]>;
    thread.postMessage(request);
    try {
      return (await message)[0];
    } catch (error) {
      await terminate();
      return { error };
    }
  }

  async function read(request: SamlRequest): Promise<Assertion | LogoutMessage> {
    const result = await resultOf(request);
    if ('value' in result) return result.value;
    if ('rejection' in result)
      throw new AppError(
        result.isDenial ? 'FORBIDDEN' : 'TOKEN_VERIFICATION_FAILED',
        result.rejection,
      );
    log.warn({ err: result.error, kind: request.kind }, 'a SAML message could not be read');
    throw new AppError('TOKEN_VERIFICATION_FAILED', 'The SAML message cannot be read');
  }

  /** Reads one message after the other, so that each has the whole timeout. */
  function enqueue(request: SamlRequest): Promise<Assertion | LogoutMessage> {
    const result = queue.then(() => read(request));
    queue = result.catch(() => undefined);
    return result;
  }

  return {
    response: (request) => enqueue({ ...request, kind: 'response' }) as Promise<Assertion>,
    logout: (request) => enqueue({ ...request, kind: 'logout' }) as Promise<LogoutMessage>,
    close: terminate,
  };
}
