// The form of a token exchange (RFC 8693); what it lacks is answered as the RFC says.
import { z } from 'zod';
import { optional } from '../../../http/declaration/optional.ts';
import { nameSchemas } from '../../../http/declaration/schema-names.ts';

export const ACCESS_TOKEN = 'urn:ietf:params:oauth:token-type:access_token';

const token = z.string().max(16_384);
const name = z.string().max(200);

export const exchangeForm = z.object({
  grant_type: optional(name).describe('urn:ietf:params:oauth:grant-type:token-exchange'),
  audience: optional(name).describe('The id of the agent'),
  subject_token: optional(token).describe(
    'The token of the workload; with `actor_token` the one on whose behalf it acts: a session, a token of the organisation’s provider, a run token',
  ),
  subject_token_type: optional(name).describe('urn:ietf:params:oauth:token-type:jwt, and its like'),
  actor_token: optional(token).describe('The token of the workload'),
  actor_token_type: optional(name),
  requested_token_type: optional(name).describe(
    'urn:ietf:params:oauth:token-type:access_token, if anything',
  ),
  grant: optional(z.string().max(65_536)).describe(
    'Not of the RFC: what the run token may do at most, as the JSON of a Grant; only less than it may without',
  ),
});
export type ExchangeForm = z.output<typeof exchangeForm>;

nameSchemas({ TokenExchangeForm: exchangeForm });
