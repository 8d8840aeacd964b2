// The chain of decisions.
import { absent, allAgents, ofOne, paid, readers, readersInPerson } from './access.ts';
import { nothing, type ResourceExamples } from './example.ts';

const period = {
  from: '2025-01-01',
  to: '2045-01-01',
  fromSequence: '1',
  toSequence: '1',
  format: 'json',
};

export const hashChain: ResourceExamples = {
  access: {
    'GET /api/v1/hash-chain/status': paid(allAgents(readers)),
    'POST /api/v1/hash-chain/verify': paid(readersInPerson),
    'GET /api/v1/hash-chain/entry/:traceId': paid(allAgents(ofOne(readers))),
    'GET /api/v1/hash-chain/entries': paid(allAgents(readers)),
    'GET /api/v1/hash-chain/entries/:id': paid(allAgents(ofOne(readers))),
    'GET /api/v1/hash-chain/anchors': paid(allAgents(readers)),
    'GET /api/v1/hash-chain/anchors/:anchorId/proof': paid(allAgents(absent(readers))),
    'GET /api/v1/hash-chain/export': paid(allAgents(readers)),
    'GET /api/v1/hash-chain/bundle': paid(allAgents(readers)),
  },
  examples: {
    'GET /api/v1/hash-chain/status': nothing,
    'POST /api/v1/hash-chain/verify': nothing,
    'GET /api/v1/hash-chain/entry/:traceId': ({ traceName }) => ({
      params: { traceId: traceName },
    }),
    'GET /api/v1/hash-chain/entries': ({ traceName }) => ({
      query: { limit: '10', beforeSeq: '1000', search: traceName.slice(0, 8) },
    }),
    'GET /api/v1/hash-chain/entries/:id': ({ traceId }) => ({ params: { id: traceId } }),
    'GET /api/v1/hash-chain/anchors': nothing,
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
