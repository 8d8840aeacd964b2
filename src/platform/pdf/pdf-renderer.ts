// Renders PDFs in two threads: organisations are served in rotation, one PDF of each at a time on all workers, with a short queue.
import { AppError } from '../../errors.ts';
import type { CallerContext } from '../waiting-caller.ts';
import type { Shared } from '../shared/shared.ts';
import { KeySlots } from '../shared/slots.ts';
import type { Threads } from '../threads/threads.ts';
import type { PdfDocument } from './pdf-document.ts';

export interface PdfRenderer {
  /**
   * The caller bounds the contents, since a few thousand rows take seconds.
   * @throws AppError `RATE_LIMIT_EXCEEDED` for too many PDFs of the organisation, `SERVICE_UNAVAILABLE` of all
   */
  render(organizationId: string, document: PdfDocument): Promise<Uint8Array>;
}

/** Upper bound on running and waiting PDFs of one organisation. */
const MAX_PER_ORGANIZATION = 2;
/** Milliseconds that a PDF waits for that of another worker. */
const SLOT_WAIT_MS = 120_000;

export function createPdfRenderer({
  callerContext,
  shared,
  threads,
}: {
  callerContext: Pick<CallerContext, 'caller'>;
  shared: Pick<Shared, 'acquireSlot'>;
  threads: Pick<Threads, 'open'>;
}): PdfRenderer {
  const pool = threads.open<PdfDocument, Uint8Array>('pdf');
  /** Running and waiting PDFs, also of callers that have gone. */
  const begun = new KeySlots();

  /** Draws a PDF when no other worker draws one of the organisation. */
  async function renderInTurn(
    organizationId: string,
    document: PdfDocument,
    isAbandoned: () => boolean,
  ): Promise<Uint8Array> {
    const slot = { namespace: 'pdf', key: organizationId, limit: 1, waitMs: SLOT_WAIT_MS };
    const release = await shared.acquireSlot(slot);
    if (release === null) throw tooMany();
    try {
      return await pool.sendInTurn(document, { tenant: organizationId, client: '', isAbandoned });
    } finally {
      release();
    }
  }

  return {
    async render(organizationId, document) {
      const { hasLeft } = callerContext.caller();
      const limit = MAX_PER_ORGANIZATION;
      const slot = { namespace: 'pdf', key: organizationId, limit, waitMs: 0 };
      const release = await begun.acquire(slot);
      if (release === null) throw tooMany();
      try {
        return await renderInTurn(organizationId, document, hasLeft);
      } finally {
        release();
      }
    },
  };
}

const tooMany = (): AppError =>
  new AppError(
    'RATE_LIMIT_EXCEEDED',
    `At most ${MAX_PER_ORGANIZATION} PDFs of an organisation at a time: wait for one to end`,
    {
      data: { limit: MAX_PER_ORGANIZATION, windowSeconds: 1 },
      headers: { 'Retry-After': '2' },
    },
  );
