// Reads SAML messages and metadata in two worker threads, started on first use and replaced when one takes too long.
import type { LogoutMessage } from '../../domain/saml/logout.ts';
import type { Assertion } from '../../domain/saml/response.ts';
import type { ProposedSamlSettings } from '../../domain/saml/provider-metadata.ts';
import { AppError } from '../../errors.ts';
import { createWorkerThreads } from '../concurrency/worker-threads.ts';
import type { CallerContext } from '../waiting-caller.ts';
import type {
  LogoutRequest,
  MetadataRequest,
  ResponseRequest,
  SamlContents,
  SamlRequest,
} from './saml-reader.ts';
import type { SamlResult } from './saml-reader-thread.ts';

export interface SamlReaderWorker {
  /**
   * Serves organisations in rotation, and within one the networks that its messages come from.
   * @throws AppError `TOKEN_VERIFICATION_FAILED` for an invalid response, `FORBIDDEN` when the provider denies the login,
   * `SERVICE_UNAVAILABLE` when too many wait
   */
  readResponse(organizationId: string, request: Omit<ResponseRequest, 'kind'>): Promise<Assertion>;
  /** @throws AppError like `readResponse` */
  readLogout(organizationId: string, request: Omit<LogoutRequest, 'kind'>): Promise<LogoutMessage>;
  /** @throws AppError `VALIDATION_ERROR` for unusable metadata, `SERVICE_UNAVAILABLE` when too many wait */
  readMetadata(
    organizationId: string,
    request: Omit<MetadataRequest, 'kind'>,
  ): Promise<ProposedSamlSettings>;
  close(): Promise<void>;
}

/** The answer for what cannot be read, by the kind of request. */
const UNREADABLE = {
  response: { code: 'TOKEN_VERIFICATION_FAILED', text: 'The SAML message cannot be read' },
  logout: { code: 'TOKEN_VERIFICATION_FAILED', text: 'The SAML message cannot be read' },
  metadata: { code: 'VALIDATION_ERROR', text: 'The metadata cannot be read' },
} as const;

/** Queue length over all organisations: beyond it, messages of the organisation with the most are refused. */
const WAITING_MAX = 256;
/** Several times as long as the most expensive message that passes the strict parser. */
const TIMEOUT_MS = 3000;
/** One organisation uses one thread at a time, so its slow messages do not delay those of others. */
const THREADS = 2;
const RESOURCE_LIMITS = { maxYoungGenerationSizeMb: 32, maxOldGenerationSizeMb: 256 };

export function createSamlReaderWorker({
  decryptionKey,
  callerContext,
  log,
  timeoutMs = TIMEOUT_MS,
  threadScripts = import.meta.url,
}: {
  /** PEM; null: encrypted assertions are refused. */
  decryptionKey: string | null;
  callerContext: Pick<CallerContext, 'caller'>;
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

  /** Resolves with the contents that belong to the kind of the request. */
  async function readDocument<T extends SamlContents>(
    share: string,
    request: SamlRequest,
  ): Promise<T> {
    const { network: client, hasLeft: isAbandoned } = callerContext.caller();
    const { code, text } = UNREADABLE[request.kind];
    const asked = threads.sendRequest(request, { share, client, isAbandoned });
    const result = await asked.catch((error: unknown): SamlResult => ({ error }));
    if ('value' in result) return result.value as T;
    if ('rejection' in result)
      throw new AppError(result.isDenial ? 'FORBIDDEN' : code, result.rejection);
    if (result.error instanceof AppError) throw result.error;
    log.warn({ err: result.error, kind: request.kind }, 'a SAML document could not be read');
    throw new AppError(code, text);
  }

  return {
    readResponse: (organizationId, request) =>
      readDocument<Assertion>(organizationId, { ...request, kind: 'response' }),
    readLogout: (organizationId, request) =>
      readDocument<LogoutMessage>(organizationId, { ...request, kind: 'logout' }),
    readMetadata: (organizationId, request) =>
      readDocument<ProposedSamlSettings>(organizationId, { ...request, kind: 'metadata' }),
    close: threads.close,
  };
}
