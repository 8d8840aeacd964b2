// Renders PDFs in a thread of their own: a bounded number waits, few of them of one organisation.
import { AppError } from '../../errors.ts';
import { createThreadQueue } from '../thread-queue.ts';
import type { PdfDocument } from './pdf-document.ts';
import type { PdfResult } from './pdf-thread.ts';

export interface PdfRenderer {
  /**
   * The caller bounds what is shown: some thousand rows take seconds.
   * @throws AppError `RATE_LIMIT_EXCEEDED` when the organisation has enough under way, `SERVICE_UNAVAILABLE` when all together have
   */
  render(organizationId: string, document: PdfDocument): Promise<Uint8Array>;
  close(): Promise<void>;
}

/** Under way or waiting, of one organisation and of all. */
const OF_ONE = 2;
const OF_ALL = 24;
/** Many times what the largest document takes: its thread goes last on a busy machine. */
const TIMEOUT_MS = 120_000;
const RESOURCE_LIMITS = { maxYoungGenerationSizeMb: 64, maxOldGenerationSizeMb: 768 };

export function createPdfRenderer({
  threadScripts = import.meta.url,
}: {
  /** Folder of the thread's script, as a URL; default: this one. */
  threadScripts?: string | undefined;
}): PdfRenderer {
  const thread = createThreadQueue<PdfDocument, PdfResult>({
    script: new URL('./pdf-thread.mjs', threadScripts),
    resourceLimits: RESOURCE_LIMITS,
    timeoutMs: TIMEOUT_MS,
  });
  const underWay: string[] = [];

  /** A place is left when the work is done, not when the caller goes. */
  function enter(organizationId: string): void {
    const own = underWay.filter((other) => other === organizationId).length;
    if (own >= OF_ONE)
      throw new AppError('RATE_LIMIT_EXCEEDED', `Too many PDFs at a time: ${OF_ONE}`, {
        data: { limit: OF_ONE, windowSeconds: 1 },
        headers: { 'Retry-After': '2' },
      });
    if (underWay.length >= OF_ALL)
      throw new AppError('SERVICE_UNAVAILABLE', 'Too many PDFs at the moment', {
        headers: { 'Retry-After': '5' },
      });
    underWay.push(organizationId);
  }

  return {
    async render(organizationId, document) {
      enter(organizationId);
      try {
        const result = await thread.ask(document);
        if ('error' in result) throw result.error;
        return result.value;
      } finally {
        underWay.splice(underWay.indexOf(organizationId), 1);
      }
    },
    close: thread.close,
  };
}
