// The public side of the witnessed logs, for monitors, witnesses and auditors (c2sp.org/tlog-tiles). An id is the right.
import { z } from 'zod';
import { reply, route } from '../../http/declaration/define-route.ts';
import { headParam, logParam, tileParams } from './log.schemas.ts';

const open = {
  method: 'get',
  auth: 'public',
  kind: 'file',
  codes: ['HASH_CHAIN_BROKEN'],
} as const;
const TEXT = 'text/plain; charset=utf-8';
const BYTES = 'application/octet-stream';
const FOR_EVER = 'public, max-age=31536000, immutable';
const SHORTLY = 'public, max-age=5';

export const logRoutes = [
  route({
    ...open,
    path: '/:logId/checkpoint',
    summary: 'The newest checkpoint of a log, with the signatures of its witnesses',
    mediaType: 'text/plain',
    params: logParam,
    data: z.unknown(),
    async handler({ params }, { logs }) {
      const body = await logs.publication.readCheckpoint(params.logId);
      const headers = { 'Cache-Control': SHORTLY };
      return reply(200, { type: TEXT, filename: null, body }, { headers });
    },
  }),
  route({
    ...open,
    path: '/:logId/head/:sha256',
    summary: 'The text of a checkpoint by its SHA-256, which a leaf of the heads log ends with',
    mediaType: 'text/plain',
    params: headParam,
    data: z.unknown(),
    async handler({ params: { logId, sha256 } }, { logs }) {
      const body = await logs.publication.readHead(logId, sha256);
      return reply(
        200,
        { type: TEXT, filename: null, body },
        { headers: { 'Cache-Control': FOR_EVER } },
      );
    },
  }),
  ...tileParams.map((params) =>
    route({
      ...open,
      path: `/:logId/tile/${Object.keys(params.shape)
        .slice(1)
        .map((name) => `:${name}`)
        .join('/')}`,
      summary: 'A tile of a log, or a bundle of its entries (level `entries`)',
      mediaType: BYTES,
      params,
      data: z.unknown(),
      async handler({ params: { logId, ...segments } }, { logs }) {
        const tile = await logs.publication.readTile(logId, Object.values(segments));
        const headers = { 'Cache-Control': tile.isFull ? FOR_EVER : SHORTLY };
        return reply(200, { type: BYTES, filename: null, body: tile.bytes }, { headers });
      },
    }),
  ),
];

export const logDescriptionRoutes = [
  route({
    ...open,
    path: '/.well-known/assay-log',
    summary: 'The public keys of logs and promises, and the delay that promises allow',
    mediaType: 'application/json',
    data: z.unknown(),
    async handler(_input, { logs }) {
      const body = JSON.stringify(await logs.publication.describeLogs());
      return reply(200, { type: 'application/json; charset=utf-8', filename: null, body });
    },
  }),
];
