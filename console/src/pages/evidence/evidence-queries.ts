// What the parts of the evidence page read.
import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query';
import { api, readData, readEnvelope } from '../../api/client.ts';
import type { paths } from '../../api/schema.gen.d.ts';

export const chainStatusQuery = queryOptions({
  queryKey: ['evidence', 'status'],
  queryFn: () => readData(api.GET('/api/v1/hash-chain/status')),
});

export const createEntriesQuery = (search: string | undefined) =>
  infiniteQueryOptions({
    queryKey: ['evidence', 'entries', search],
    initialPageParam: undefined as number | undefined,
    queryFn: ({ pageParam: beforeSeq, signal }) =>
      readData(
        api.GET('/api/v1/hash-chain/entries', {
          params: {
            query: { limit: 25, ...(beforeSeq && { beforeSeq }), ...(search && { search }) },
          },
          signal,
        }),
      ),
    getNextPageParam: ({ entries, hasMore }) => (hasMore ? entries.at(-1)?.sequence : undefined),
  });

export const anchorsQuery = queryOptions({
  queryKey: ['evidence', 'anchors'],
  queryFn: () =>
    readData(api.GET('/api/v1/hash-chain/anchors', { params: { query: { limit: 25 } } })),
});

interface LogDescription {
  heads: string[];
  promises: string[];
  /** Public keys in base64. */
  logKeys: string[];
}

const ED25519 = 1;

/** Writes a key as verifiers take it, `name+id+key` (c2sp.org/signed-note). */
async function formatVerifierKey(name: string, publicKey: string): Promise<string> {
  const typed = Uint8Array.of(ED25519, ...Uint8Array.from(atob(publicKey), (c) => c.charCodeAt(0)));
  const named = Uint8Array.of(...new TextEncoder().encode(`${name}\n`), ...typed);
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', named));
  const id = [...digest.subarray(0, 4)].map((byte) => byte.toString(16).padStart(2, '0')).join('');
  return `${name}+${id}+${btoa(String.fromCharCode(...typed))}`;
}

/** Verifier keys of a log, of the log of heads, and of promises. */
export const createLogKeysQuery = (origin: string) =>
  queryOptions({
    queryKey: ['evidence', 'log-keys', origin],
    async queryFn() {
      const response = await fetch('/.well-known/assay-log');
      const { heads, promises, logKeys } = (await response.json()) as LogDescription;
      // Browsers hash over https, or on this machine itself.
      const ofLog = 'subtle' in crypto ? logKeys : [];
      const own = await Promise.all(ofLog.map((key) => formatVerifierKey(origin, key)));
      return [...own, ...heads, ...promises];
    },
    staleTime: 60_000,
  });

const createListQuery = <T>(
  name: string,
  read: (page: number) => Promise<{ data: T[]; pagination?: { page: number; pages: number } }>,
) =>
  infiniteQueryOptions({
    queryKey: ['evidence', name],
    initialPageParam: 1,
    queryFn: ({ pageParam }) => read(pageParam),
    getNextPageParam: ({ pagination }) =>
      pagination && pagination.page < pagination.pages ? pagination.page + 1 : undefined,
  });

export const auditBundlesQuery = createListQuery('bundles', (page) =>
  readEnvelope(api.GET('/api/v1/audit-bundles', { params: { query: { page, limit: 25 } } })),
);
export const erasuresQuery = createListQuery('erasures', (page) =>
  readEnvelope(api.GET('/api/v1/erasure', { params: { query: { page, limit: 25 } } })),
);
export const manifestsQuery = createListQuery('manifests', (page) =>
  readEnvelope(
    api.GET('/api/v1/provenance/c2pa/manifests', { params: { query: { page, limit: 25 } } }),
  ),
);

type AuditFilters = NonNullable<paths['/api/v1/audit']['get']['parameters']['query']>;

export const createAuditQuery = (filters: AuditFilters) =>
  queryOptions({
    queryKey: ['evidence', 'audit', filters],
    queryFn: ({ signal }) =>
      readData(api.GET('/api/v1/audit', { params: { query: { ...filters, limit: 25 } }, signal })),
    placeholderData: keepPreviousData,
  });
