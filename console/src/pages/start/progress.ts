// How far an organisation has come, asked again every few seconds while the page is open.
import { queryOptions } from '@tanstack/react-query';
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

/** Auditors and small plans may not read everything: what is refused counts as not done. */
const isSome = (call: Promise<unknown[]>): Promise<boolean> =>
  call.then(
    (found) => found.length > 0,
    () => false,
  );

async function loadProgress(): Promise<Progress> {
  const listReviewed = (status: 'approved' | 'rejected') =>
    isSome(readData(api.GET('/api/v1/review-queue', { params: { query: { status } } })));
  const [hasKey, hasDecision, hasPolicy, isApproved, isRejected, hasVerification] =
    await Promise.all([
      isSome(readData(api.GET('/api/v1/auth/keys', one))),
      isSome(readEnvelope(api.GET('/api/v1/traces', one)).then(({ data }) => data)),
      isSome(readData(api.GET('/api/v1/policies', one))),
      listReviewed('approved'),
      listReviewed('rejected'),
      isSome(
        readData(api.GET('/api/v1/hash-chain/status')).then(({ lastVerifiedAt }) =>
          lastVerifiedAt === null ? [] : [lastVerifiedAt],
        ),
      ),
    ]);
  return { hasKey, hasDecision, hasPolicy, hasVerdict: isApproved || isRejected, hasVerification };
}

export const progressQuery = queryOptions({
  queryKey: ['progress'],
  queryFn: loadProgress,
  refetchInterval: 3000,
});

/** Programs as their decisions name them. */
const PROGRAMS: Readonly<Record<string, Way['id']>> = {
  curl: 'curl',
  'assay-typescript': 'typescript',
  'assay-python': 'python',
  'assay-mcp-proxy': 'mcp',
  'assay-hook': 'hooks',
};

function findWay({ adapter, clientInfo }: Decision): Way['id'] | undefined {
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
  refetchInterval: 3000,
});
