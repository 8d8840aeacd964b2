// An invitation of a user who has only ever signed on at another organisation's provider.
import { composeInvitation } from '../../../src/identity/team/invitation-mails.service.ts';
import { expect, test } from 'vitest';
import { toObjectId, startHarness } from '../../setup/harness.ts';
import { startHandmadeProvider } from '../../setup/providers/identity-provider.ts';
import { assertOk, createOwner } from '../../setup/personas.ts';
import { createSsoOrganization, readSession, signOn } from '../../setup/providers/sso.ts';
import type { Answer } from '../../setup/start-app.ts';

test('accepting says that the account has no password, and how to get one', async () => {
  const provider = await startHandmadeProvider();
  const harness = await startHarness({ ASSAY_OUTBOUND_ALLOW: '127.0.0.1' });
  const { app } = harness;
  const home = await createSsoOrganization(harness, provider.createRealm());
  const email = `ada@${home.domain}`;
  readSession((await signOn(harness, home, { sub: 'ada', email })).answer);

  const other = await createOwner(app, 'Other');
  await harness.db.collection('users').updateMany({}, { $set: { emailVerifiedAt: new Date() } });
  const { _id: invitationId } = assertOk(
    await app.call('POST', '/api/v1/team/invite', {
      token: other.token,
      body: { email, role: 'member' },
    }),
  ).body.data;
  const mail = await composeInvitation(app.instance.platform, {
    organizationId: toObjectId(other.organizationId),
    payload: { invitationId },
  });
  const accept = (password: string): Promise<Answer> =>
    app.call('POST', `/api/v1/team/invites/${mail?.action.token ?? ''}/accept`, {
      body: { name: 'Ada', password },
    });
  const refused = await accept('Correct-Horse-9');
  expect([refused.status, refused.body.code, refused.body.data]).toEqual([
    401,
    'INVALID_CREDENTIALS',
    { reason: 'NO_PASSWORD' },
  ]);
  expect(refused.body.error).toContain('forgot-password');
  // The error reveals nothing about an account with a password.
  const users = harness.db.collection('users');
  const otherUser = await users.findOne({ email: other.email });
  await users.updateOne({ email }, { $set: { passwordHash: otherUser?.passwordHash } });
  const wrong = await accept('Wrong-Horse-9');
  expect([wrong.status, wrong.body.code, wrong.body.data]).toEqual([
    401,
    'INVALID_CREDENTIALS',
    undefined,
  ]);
  await harness.stop();
  await provider.stop();
});
