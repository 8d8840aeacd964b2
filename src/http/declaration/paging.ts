// Page-based lists: `page` and `limit` in, `pagination` out (document 1, section 1).
import { z } from 'zod';
import type { PageRule } from './define-route.ts';

/** Greatest page number: deeper paging is what the exports are for. */
const MAX_PAGE = 1_000_000;

/** The query members that every paged route adds; a `limit` above the cap is capped. */
export function pageQuery({ limit, max }: PageRule) {
  return {
    page: z.coerce.number().int().min(1).max(MAX_PAGE).default(1).describe('1-indexed page'),
    limit: z.coerce
      .number()
      .int()
      .min(1)
      .default(limit)
      .transform((wanted) => Math.min(wanted, max))
      .describe(`page size, at most ${max}`),
  };
}

export interface Paged {
  page: number;
  limit: number;
}

/** The `pagination` member of a list answer. */
export function pagination({ page, limit }: Paged, total: number) {
  const pages = Math.ceil(total / limit);
  return { page, limit, total, pages, hasMore: page < pages };
}
