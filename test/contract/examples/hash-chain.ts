// The chain of decisions.
import {
  everybody,
  refuseAbsent,
  refuseAll,
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

const logId = '0'.repeat(32);
const tile = { logId, level: '0', first: 'x001' };
/** Reads of a log that nothing has. */
const ofLogs: readonly [string, Record<string, string>][] = [
  ['GET /log/:logId/checkpoint', { logId }],
  ['GET /log/:logId/head/:sha256', { logId, sha256: '0'.repeat(64) }],
  ['GET /log/:logId/tile/:level/:first', { logId, level: '0', first: '000' }],
  ['GET /log/:logId/tile/:level/:first/:second', { ...tile, second: '000' }],
  ['GET /log/:logId/tile/:level/:first/:second/:third', { ...tile, second: '000.p', third: '1' }],
  [
    'GET /log/:logId/tile/:level/:first/:second/:third/:fourth',
    { ...tile, second: 'x000', third: '000.p', fourth: '1' },
  ],
];

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
    'GET /api/v1/hash-chain/heads': requirePaidPlan(refuseScopedKey(refuseAbsent(readers))),
    'GET /api/v1/hash-chain/anchors/:anchorId/proof': requirePaidPlan(
      refuseScopedKey(refuseAbsent(readers)),
    ),
    'GET /api/v1/hash-chain/anchors/:anchorId/tlog-proof': requirePaidPlan(
      refuseScopedKey(refuseAbsent(readers)),
    ),
    'GET /api/v1/hash-chain/anchors/:anchorId/stamp': requirePaidPlan(
      refuseScopedKey(refuseAbsent(readers)),
    ),
    'GET /api/v1/hash-chain/anchors/:anchorId/receipt': requirePaidPlan(
      refuseScopedKey(refuseAbsent(readers)),
    ),
    'POST /api/v1/hash-chain/promise/check': requirePaidPlan(
      refuseAll({ ...readers, readOnlyKey: 'FORBIDDEN' }, 'VALIDATION_ERROR'),
    ),
    'GET /api/v1/hash-chain/anchors/:anchorId/statement': requirePaidPlan(
      refuseScopedKey(refuseAbsent(readers)),
    ),
    'GET /.well-known/assay-log': everybody,
    ...Object.fromEntries(ofLogs.map(([operation]) => [operation, refuseAbsent(everybody)])),
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
    'GET /api/v1/hash-chain/heads': sendNothing,
    'GET /api/v1/hash-chain/anchors/:anchorId/proof': ({ traceId }) => ({
      params: { anchorId: traceId },
      query: { sequence: '1' },
    }),
    'GET /api/v1/hash-chain/anchors/:anchorId/tlog-proof': ({ traceId }) => ({
      params: { anchorId: traceId },
      query: { sequence: '1' },
    }),
    'GET /api/v1/hash-chain/anchors/:anchorId/stamp': ({ traceId }) => ({
      params: { anchorId: traceId },
    }),
    'GET /api/v1/hash-chain/anchors/:anchorId/receipt': ({ traceId }) => ({
      params: { anchorId: traceId },
      query: { sequence: '1' },
    }),
    'POST /api/v1/hash-chain/promise/check': () => ({
      body: {
        sequence: 1,
        chainHash: 'ab'.repeat(32),
        promise: { note: 'signed by nothing here', index: 0, path: [] },
      },
    }),
    'GET /api/v1/hash-chain/anchors/:anchorId/statement': ({ traceId }) => ({
      params: { anchorId: traceId },
      query: { sequence: '1' },
    }),
    'GET /.well-known/assay-log': sendNothing,
    ...Object.fromEntries(ofLogs.map(([operation, params]) => [operation, () => ({ params })])),
    'GET /api/v1/hash-chain/export': () => ({ query: period }),
    'GET /api/v1/hash-chain/bundle': () => ({ query: period }),
  },
  refused: {
    'GET /api/v1/hash-chain/heads': 404,
    'GET /api/v1/hash-chain/anchors/:anchorId/proof': 404,
    'GET /api/v1/hash-chain/anchors/:anchorId/tlog-proof': 404,
    'GET /api/v1/hash-chain/anchors/:anchorId/stamp': 404,
    'GET /api/v1/hash-chain/anchors/:anchorId/receipt': 404,
    'POST /api/v1/hash-chain/promise/check': 400,
    'GET /api/v1/hash-chain/anchors/:anchorId/statement': 404,
    ...Object.fromEntries(ofLogs.map(([operation]) => [operation, 404])),
  },
};
