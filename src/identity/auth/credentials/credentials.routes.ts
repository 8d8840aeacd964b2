// Routes of passkeys: enrol, list, confirm, rename, revoke (docs/guides/signed-approvals.md).
import { z } from 'zod';
import { REVIEWERS, ROLES } from '../../../domain/identity/roles.ts';
import { reply, route } from '../../../http/declaration/define-route.ts';
import { AUTH, OWN_ACCOUNT } from '../../../http/declaration/rate-limits.ts';
import { byId } from '../../../http/declaration/views.ts';
import { confirmPasskey, listWaitingPasskeys } from './confirmations.service.ts';
import {
  confirmationInput,
  enrolmentOptionsView,
  enrolmentProof,
  passkeyChange,
  passkeyInput,
  passkeyRemoval,
  passkeyView,
  waitingPasskeyView,
} from './credentials.schemas.ts';
import {
  beginPasskey,
  enrolPasskey,
  listOwnPasskeys,
  renamePasskey,
  revokePasskey,
} from './credentials.service.ts';

const own = { auth: 'user', roles: ROLES } as const;
const toAudit = (action: string) => ({ action, resource: 'passkey' });
const limits = [AUTH, OWN_ACCOUNT];

export const credentialRoutes = [
  route({
    method: 'get',
    path: '/',
    summary: 'Your passkeys in this organisation',
    ...own,
    data: z.array(passkeyView),
    handler: async ({ ctx }) => reply(200, await listOwnPasskeys(ctx)),
  }),
  route({
    method: 'post',
    path: '/options',
    summary: 'What a browser needs to make a passkey; asks for fresh proof of who you are',
    ...own,
    limits,
    writes: 'own',
    body: enrolmentProof,
    data: enrolmentOptionsView,
    codes: ['INVALID_CREDENTIALS', 'INVALID_MFA_CODE', 'INVALID_OPERATION'],
    handler: async ({ ctx, body }) => reply(200, { ...(await beginPasskey(ctx, body)) } as never),
  }),
  route({
    method: 'post',
    path: '/',
    summary: 'Enrol a passkey: an entry of the chain; it counts once it is confirmed',
    ...own,
    limits,
    writes: 'own',
    status: 201,
    body: passkeyInput,
    data: passkeyView,
    codes: ['INVALID_TOKEN', 'EXPIRED', 'SIGNATURE_INVALID', 'ALREADY_EXISTS', 'INVALID_OPERATION'],
    audit: toAudit('passkey.enrol'),
    handler: async ({ ctx, body }) => reply(201, await enrolPasskey(ctx, body)),
  }),
  route({
    method: 'get',
    path: '/waiting',
    summary: 'Passkeys of others that wait for their confirmation, and what you sign for it',
    auth: 'user',
    roles: REVIEWERS,
    data: z.array(waitingPasskeyView),
    handler: async ({ ctx }) => reply(200, (await listWaitingPasskeys(ctx)) as never),
  }),
  route({
    method: 'post',
    path: '/:id/confirm',
    summary: 'Confirm a passkey: another person signs over it, or an owner their own after a day',
    auth: 'user',
    roles: REVIEWERS,
    limits,
    writes: 'own',
    params: byId,
    body: confirmationInput,
    data: passkeyView,
    codes: ['SIGNATURE_REQUIRED', 'SIGNATURE_INVALID', 'INVALID_OPERATION'],
    audit: toAudit('passkey.confirm'),
    handler: async ({ ctx, params, body }) =>
      reply(200, await confirmPasskey(ctx, params.id, body.signature)),
  }),
  route({
    method: 'patch',
    path: '/:id',
    summary: 'Rename one of your passkeys',
    ...own,
    params: byId,
    body: passkeyChange,
    data: passkeyView,
    audit: toAudit('passkey.rename'),
    handler: ({ ctx, params, body }) => renamePasskey(ctx, params.id, body.name),
  }),
  route({
    method: 'delete',
    path: '/:id',
    summary:
      'Revoke a passkey of yours, or as owner or admin that of another; what it signed stays',
    ...own,
    writes: 'own',
    params: byId,
    body: passkeyRemoval,
    data: passkeyView,
    codes: ['INVALID_OPERATION'],
    audit: toAudit('passkey.revoke'),
    handler: async ({ ctx, params, body }) =>
      reply(200, await revokePasskey(ctx, params.id, body.reason)),
  }),
];
