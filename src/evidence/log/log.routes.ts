// The public side of the witnessed logs, for monitors, witnesses and auditors (c2sp.org/tlog-tiles). An id is the right.
import { z } from 'zod';
import { reply, route } from '../../http/declaration/define-route.ts';
import { headParam, logParam, tileParams } from './log.schemas.ts';
import { readCheckpoint, readHead, readTile, describeLogs } from './log-publication.service.ts';

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
    async handler({ ctx, params }) {
      const body = await readCheckpoint(ctx.platform, params.logId);
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
    async handler({ ctx, params: { logId, sha256 } }) {
      const body = await readHead(ctx.platform, logId, sha256);
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
      async handler({ ctx, params: { logId, ...segments } }) {
        const tile = await readTile(ctx.platform, logId, Object.values(segments));
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
    async handler({ ctx }) {
      const body = JSON.stringify(await describeLogs(ctx.platform));
      return reply(200, { type: 'application/json; charset=utf-8', filename: null, body });
    },
  }),
];
