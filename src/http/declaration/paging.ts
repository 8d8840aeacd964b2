// Page-based lists: `page` and `limit` in, `pagination` out (document 1, section 1).
import { z } from 'zod';
import { withDefault } from './optional.ts';
import type { PageRule } from './define-route.ts';

/** Maximum page number; exports serve readers who need more. */
const MAX_PAGE = 1_000_000;

/** The query members of every paged route; a `limit` above the maximum counts as the maximum. */
export function createPageQuery({
  limit,
  max,
}: PageRule): Record<'page' | 'limit', z.ZodType<number>> {
  return {
    page: withDefault(z.coerce.number().int().min(1).max(MAX_PAGE), 1).describe('1-indexed page'),
    limit: withDefault(z.coerce.number().int().min(1), limit)
      .transform((wanted) => Math.min(wanted, max))
      .describe(`page size, at most ${max}`),
  };
}

/** The query schema of a paged route: its own members, `page` and `limit`. */
export function addPaging(query: z.ZodType | undefined, rule: PageRule): z.ZodType {
  const own = query instanceof z.ZodObject ? query : z.object({});
  return own.extend(createPageQuery(rule));
}

export interface Paged {
  page: number;
  limit: number;
}

/** The `pagination` member of a list answer. */
export interface Pagination extends Paged {
  /** Beyond 10,000 a lower bound, as `pages` is; `hasMore` is always right. */
  total: number;
  pages: number;
  hasMore: boolean;
}

export function createPagination({ page, limit }: Paged, total: number): Pagination {
  const pages = Math.ceil(total / limit);
  return { page, limit, total, pages, hasMore: page < pages };
}
