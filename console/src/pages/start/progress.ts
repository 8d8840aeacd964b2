// How far an organisation has come: read when the page opens or is looked at again, and when the stream says that a step may be done.
import { queryOptions } from '@tanstack/react-query';
import { ApiError } from '../../api/api-error.ts';
import { api, readData, readEnvelope } from '../../api/client.ts';
import type { Decision } from '../../parts/decision-stream.ts';
import type { Way } from '../../parts/snippets.ts';

export interface Progress {
  hasKey: boolean;
  hasDecision: boolean;
  hasPolicy: boolean;
  hasVerdict: boolean;
  hasVerification: boolean;
}

const one = { params: { query: { limit: 1 } } } as const;

/** Auditors and small plans may not read everything: what is refused to them counts as not done. */
const isSome = (call: Promise<unknown[]>): Promise<boolean> =>
  call.then(
    (found) => found.length > 0,
    (error: unknown) => {
      if (error instanceof ApiError && error.status === 403) return false;
      throw error;
    },
  );

const listReviewed = (status: 'approved' | 'rejected') =>
  isSome(readData(api.GET('/api/v1/review-queue', { params: { query: { status, limit: 1 } } })));

/** A step that was done stays done: it is not asked for again. */
const STEPS: { [K in keyof Progress]: () => Promise<boolean> } = {
  hasKey: () => isSome(readData(api.GET('/api/v1/auth/keys', one))),
  hasDecision: () => isSome(readEnvelope(api.GET('/api/v1/traces', one)).then(({ data }) => data)),
  hasPolicy: () => isSome(readData(api.GET('/api/v1/policies', one))),
  hasVerdict: async () => (await listReviewed('approved')) || (await listReviewed('rejected')),
  hasVerification: () =>
    isSome(
      readData(api.GET('/api/v1/hash-chain/status')).then(({ lastVerifiedAt }) =>
        lastVerifiedAt === null ? [] : [lastVerifiedAt],
      ),
    ),
};

const KEY = ['progress'];

export const progressQuery = queryOptions({
  queryKey: KEY,
  async queryFn({ client }): Promise<Progress> {
    const known = client.getQueryData<Progress>(KEY);
    const names = Object.keys(STEPS) as (keyof Progress)[];
    const found = await Promise.all(
      names.map(async (name) => [name, known?.[name] || (await STEPS[name]())] as const),
    );
    return Object.fromEntries(found) as unknown as Progress;
  },
});

/** Programs as their decisions name them. */
const PROGRAMS: Readonly<Record<string, Way['id']>> = {
  curl: 'curl',
  'assay-typescript': 'typescript',
  'assay-python': 'python',
  'assay-mcp-proxy': 'mcp',
  'assay-hook': 'hooks',
};

export function findWay({ adapter, clientInfo }: Decision): Way['id'] | undefined {
  if (typeof adapter === 'object' && adapter !== null && 'mode' in adapter) {
    if (adapter.mode === 'observed') return 'otlp';
  }
  return PROGRAMS[clientInfo?.sdk ?? ''];
}

/** The ways by which the newest decisions came. */
export const arrivedWaysQuery = queryOptions({
  queryKey: ['decisions', 'ways'],
  async queryFn(): Promise<Way['id'][]> {
    const query = { limit: 50 };
    const { data } = await readEnvelope(api.GET('/api/v1/traces', { params: { query } }));
    return [...new Set(data.map(findWay))].filter((way) => way !== undefined);
  },
});
