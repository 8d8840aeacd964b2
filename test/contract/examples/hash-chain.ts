// The chain of decisions.
import {
  refuseAbsent,
  refuseScopedKey,
  denyForeigner,
  requirePaidPlan,
  readers,
  readersInPerson,
} from './access.ts';
import { sendNothing, type ResourceExamples } from './example.ts';

const period = {
  from: '2025-01-01',
  to: '2045-01-01',
  fromSequence: '1',
  toSequence: '1',
  format: 'json',
};

export const hashChain: ResourceExamples = {
  access: {
    'GET /api/v1/hash-chain/status': requirePaidPlan(refuseScopedKey(readers)),
    'POST /api/v1/hash-chain/verify': requirePaidPlan(readersInPerson),
    'GET /api/v1/hash-chain/entry/:traceId': requirePaidPlan(
      refuseScopedKey(denyForeigner(readers)),
    ),
    'GET /api/v1/hash-chain/entries': requirePaidPlan(refuseScopedKey(readers)),
    'GET /api/v1/hash-chain/entries/:id': requirePaidPlan(refuseScopedKey(denyForeigner(readers))),
    'GET /api/v1/hash-chain/anchors': requirePaidPlan(refuseScopedKey(readers)),
    'GET /api/v1/hash-chain/anchors/:anchorId/proof': requirePaidPlan(
      refuseScopedKey(refuseAbsent(readers)),
    ),
    'GET /api/v1/hash-chain/export': requirePaidPlan(refuseScopedKey(readers)),
    'GET /api/v1/hash-chain/bundle': requirePaidPlan(refuseScopedKey(readers)),
  },
  examples: {
    'GET /api/v1/hash-chain/status': sendNothing,
    'POST /api/v1/hash-chain/verify': sendNothing,
    'GET /api/v1/hash-chain/entry/:traceId': ({ traceName }) => ({
      params: { traceId: traceName },
    }),
    'GET /api/v1/hash-chain/entries': ({ traceName }) => ({
      query: { limit: '10', beforeSeq: '1000', search: traceName.slice(0, 8) },
    }),
    'GET /api/v1/hash-chain/entries/:id': ({ traceId }) => ({ params: { id: traceId } }),
    'GET /api/v1/hash-chain/anchors': sendNothing,
    'GET /api/v1/hash-chain/anchors/:anchorId/proof': ({ traceId }) => ({
      params: { anchorId: traceId },
      query: { sequence: '1' },
    }),
    'GET /api/v1/hash-chain/export': () => ({ query: period }),
    'GET /api/v1/hash-chain/bundle': () => ({ query: period }),
  },
  refused: {
    'GET /api/v1/hash-chain/anchors/:anchorId/proof': 404,
  },
};
