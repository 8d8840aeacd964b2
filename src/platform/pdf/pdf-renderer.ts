// Renders PDFs in two threads: organisations are served in rotation, one PDF of each at a time on all workers, with a short queue.
import { AppError } from '../../errors.ts';
import { createWorkerThreads } from '../concurrency/worker-threads.ts';
import type { CallerContext } from '../waiting-caller.ts';
import type { Shared } from '../shared/shared.ts';
import type { PdfDocument } from './pdf-document.ts';
import type { PdfResult } from './pdf-thread.ts';

export interface PdfRenderer {
  /**
   * The caller bounds the contents, since a few thousand rows take seconds.
   * @throws AppError `RATE_LIMIT_EXCEEDED` for too many PDFs of the organisation, `SERVICE_UNAVAILABLE` of all
   */
  render(organizationId: string, document: PdfDocument): Promise<Uint8Array>;
  close(): Promise<void>;
}

/** Upper bound on running and waiting PDFs of one organisation. */
const MAX_PER_ORGANIZATION = 2;
/** Upper bound on waiting PDFs of all organisations. */
const WAITING_MAX = 24;
/** Many times as long as the largest document takes, since the thread has a low priority. */
const TIMEOUT_MS = 120_000;
/** One organisation uses one thread of all workers at a time, so its largest PDF does not delay those of others. */
const THREADS = 2;
const RESOURCE_LIMITS = { maxYoungGenerationSizeMb: 64, maxOldGenerationSizeMb: 768 };

export function createPdfRenderer({
  callerContext,
  shared,
  threadScripts = import.meta.url,
}: {
  callerContext: Pick<CallerContext, 'caller'>;
  shared: Pick<Shared, 'acquireSlot'>;
  /** Folder of the thread's script, as a URL; default: this one. */
  threadScripts?: string | undefined;
}): PdfRenderer {
  const threads = createWorkerThreads<PdfDocument, PdfResult>({
    script: new URL('./pdf-thread.mjs', threadScripts),
    resourceLimits: RESOURCE_LIMITS,
    threads: THREADS,
    timeoutMs: TIMEOUT_MS,
    maxWaiting: WAITING_MAX,
  });
  const underWay: string[] = [];

  /** Counts a PDF until it is done, also when its caller has gone. */
  function enter(organizationId: string): void {
    const own = underWay.filter((other) => other === organizationId).length;
    if (own >= MAX_PER_ORGANIZATION) throw tooMany();
    underWay.push(organizationId);
  }

  /** Draws a PDF when no other worker draws one of the organisation. */
  async function renderInTurn(
    organizationId: string,
    document: PdfDocument,
    isAbandoned: () => boolean,
  ): Promise<PdfResult> {
    const slot = { namespace: 'pdf', key: organizationId, limit: 1, waitMs: TIMEOUT_MS };
    const release = await shared.acquireSlot(slot);
    if (release === null) throw tooMany();
    try {
      const share = { share: organizationId, client: '', isAbandoned };
      return await threads.sendRequest(document, share);
    } finally {
      release();
    }
  }

  return {
    async render(organizationId, document) {
      enter(organizationId);
      const { hasLeft } = callerContext.caller();
      try {
        const result = await renderInTurn(organizationId, document, hasLeft);
        if ('error' in result) throw result.error;
        return result.value;
      } finally {
        underWay.splice(underWay.indexOf(organizationId), 1);
      }
    },
    close: threads.close,
  };
}

const tooMany = (): AppError =>
  new AppError('RATE_LIMIT_EXCEEDED', `Too many PDFs at a time: ${MAX_PER_ORGANIZATION}`, {
    data: { limit: MAX_PER_ORGANIZATION, windowSeconds: 1 },
    headers: { 'Retry-After': '2' },
  });
