// Reads SAML messages in two worker threads, started on first use and replaced when a message takes too long.
import type { LogoutMessage } from '../../domain/saml/logout.ts';
import type { Assertion } from '../../domain/saml/response.ts';
import { AppError } from '../../errors.ts';
import { createWorkerThreads } from '../concurrency/worker-threads.ts';
import type { Presence } from '../presence.ts';
import type { LogoutRequest, ResponseRequest } from './saml-reader.ts';
import type { SamlResult, SamlRequest } from './saml-reader-thread.ts';

export interface SamlReaderWorker {
  /**
   * Serves organisations in rotation, and within one the networks that its messages come from.
   * @throws AppError `TOKEN_VERIFICATION_FAILED` for an invalid response, `FORBIDDEN` when the provider denies the login,
   * `SERVICE_UNAVAILABLE` when too many wait
   */
  readResponse(organizationId: string, request: Omit<ResponseRequest, 'kind'>): Promise<Assertion>;
  /** @throws AppError like `readResponse` */
  readLogout(organizationId: string, request: Omit<LogoutRequest, 'kind'>): Promise<LogoutMessage>;
  close(): Promise<void>;
}

/** Queue length over all organisations: beyond it, messages of the organisation with the most are refused. */
const WAITING_MAX = 256;
/** Several times as long as the most expensive message that passes the strict parser. */
const TIMEOUT_MS = 3000;
/** One organisation uses one thread at a time, so its slow messages do not delay those of others. */
const THREADS = 2;
const RESOURCE_LIMITS = { maxYoungGenerationSizeMb: 32, maxOldGenerationSizeMb: 256 };

export function createSamlReaderWorker({
  decryptionKey,
  presence,
  log,
  timeoutMs = TIMEOUT_MS,
  threadScripts = import.meta.url,
}: {
  /** PEM; null: encrypted assertions are refused. */
  decryptionKey: string | null;
  presence: Pick<Presence, 'caller'>;
  log: { warn(details: object, text: string): void };
  /** Timeout of one message. */
  timeoutMs?: number;
  /** Folder of the thread's script, as a URL; default: this one. */
  threadScripts?: string | undefined;
}): SamlReaderWorker {
  const threads = createWorkerThreads<SamlRequest, SamlResult>({
    script: new URL('./saml-reader-thread.mjs', threadScripts),
    workerData: { decryptionKey },
    resourceLimits: RESOURCE_LIMITS,
    threads: THREADS,
    timeoutMs,
    maxWaiting: WAITING_MAX,
  });

  async function readMessage(
    share: string,
    request: SamlRequest,
  ): Promise<Assertion | LogoutMessage> {
    const { network: client, hasLeft: isAbandoned } = presence.caller();
    const asked = threads.sendRequest(request, { share, client, isAbandoned });
    const result = await asked.catch((error: unknown): SamlResult => ({ error }));
    if ('value' in result) return result.value;
    if ('rejection' in result)
      throw new AppError(
        result.isDenial ? 'FORBIDDEN' : 'TOKEN_VERIFICATION_FAILED',
        result.rejection,
      );
    if (result.error instanceof AppError) throw result.error;
    log.warn({ err: result.error, kind: request.kind }, 'a SAML message could not be read');
    throw new AppError('TOKEN_VERIFICATION_FAILED', 'The SAML message cannot be read');
  }

  return {
    readResponse: (organizationId, request) =>
      readMessage(organizationId, { ...request, kind: 'response' }) as Promise<Assertion>,
    readLogout: (organizationId, request) =>
      readMessage(organizationId, { ...request, kind: 'logout' }) as Promise<LogoutMessage>,
    close: threads.close,
  };
}
