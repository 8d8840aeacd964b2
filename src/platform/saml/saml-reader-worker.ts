// Reads SAML messages and metadata in worker threads.
import { perInstance } from '../per-instance.ts';
import {
  type LogoutMessage,
  type Assertion,
  type ProposedSamlSettings,
  type LogoutRequest,
  type MetadataRequest,
  type ResponseRequest,
  type SamlContents,
  type SamlRequest,
} from '@assay/saml';
import { AppError } from '../../errors.ts';
import type { Threads } from '../threads/threads.ts';
import type { CallerContext } from '../waiting-caller.ts';
import type { SamlThreadData } from './saml-reader-thread.ts';
import { UNREADABLE_DOCUMENT } from './unreadable-document.ts';

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
}

export function createSamlReaderWorker({
  decryptionKey,
  callerContext,
  log,
  threads,
}: SamlThreadData & {
  callerContext: Pick<CallerContext, 'caller'>;
  log: { warn(details: object, text: string): void };
  threads: Pick<Threads, 'open'>;
}): SamlReaderWorker {
  const data: SamlThreadData = { decryptionKey };
  const pool = threads.open<SamlRequest, SamlContents>('saml', data);

  /** Resolves with the contents that belong to the kind of the request. */
  async function readDocument<T extends SamlContents>(
    tenant: string,
    request: SamlRequest,
  ): Promise<T> {
    const { network: client, hasLeft: isAbandoned } = callerContext.caller();
    try {
      return (await pool.sendInTurn(request, { tenant, client, isAbandoned })) as T;
    } catch (error) {
      if (error instanceof AppError) throw error;
      log.warn({ err: error, kind: request.kind }, 'a SAML document could not be read');
      const { code, text } = UNREADABLE_DOCUMENT[request.kind];
      throw new AppError(code, text);
    }
  }

  return {
    readResponse: (organizationId, request) =>
      readDocument<Assertion>(organizationId, { ...request, kind: 'response' }),
    readLogout: (organizationId, request) =>
      readDocument<LogoutMessage>(organizationId, { ...request, kind: 'logout' }),
    readMetadata: (organizationId, request) =>
      readDocument<ProposedSamlSettings>(organizationId, { ...request, kind: 'metadata' }),
  };
}

export const openSamlReader = perInstance(({ config, callerContext, logger, threads }) =>
  createSamlReaderWorker({
    decryptionKey: config.ASSAY_SAML_KEY ?? null,
    callerContext,
    log: logger,
    threads,
  }),
);
