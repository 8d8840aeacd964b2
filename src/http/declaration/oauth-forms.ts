// Routes that take the forms of OAuth, and answer as RFC 6749, section 5, says.
import { reply, type ReplyParts } from './define-route.ts';

/** Members of the declaration of such a route. */
export const oauthForm = {
  bodyType: 'form',
  kind: 'file',
  mediaType: 'application/json',
} as const;

const headers = { 'Cache-Control': 'no-store', Pragma: 'no-cache' };

/** No cache keeps an answer. */
export const replyToForm = <const S extends number>(
  status: S,
  body: object,
  audit: ReplyParts['audit'] = [],
) =>
  reply(
    status,
    { type: 'application/json; charset=utf-8', filename: null, body: JSON.stringify(body) },
    { headers, audit },
  );
