// Reads SAML messages in a worker thread, which is started on first use and replaced when a message takes too long.
import type { LogoutMessage } from '../../domain/saml/logout.ts';
import type { Assertion } from '../../domain/saml/response.ts';
import { AppError } from '../../errors.ts';
import { createThreadQueue } from '../thread-queue.ts';
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
  const thread = createThreadQueue<SamlRequest, SamlResult>({
    script: new URL('./saml-reader-thread.mjs', threadScripts),
    workerData: { decryptionKey },
    resourceLimits: RESOURCE_LIMITS,
    timeoutMs,
  });

  async function read(request: SamlRequest): Promise<Assertion | LogoutMessage> {
    const result = await thread.ask(request).catch((error: unknown): SamlResult => ({ error }));
    if ('value' in result) return result.value;
    if ('rejection' in result)
      throw new AppError(
        result.isDenial ? 'FORBIDDEN' : 'TOKEN_VERIFICATION_FAILED',
        result.rejection,
      );
    log.warn({ err: result.error, kind: request.kind }, 'a SAML message could not be read');
    throw new AppError('TOKEN_VERIFICATION_FAILED', 'The SAML message cannot be read');
  }

  return {
    response: (request) => read({ ...request, kind: 'response' }) as Promise<Assertion>,
    logout: (request) => read({ ...request, kind: 'logout' }) as Promise<LogoutMessage>,
    close: thread.close,
  };
}
