// Stream tokens (document 1, sections 4.1 and 5): 60 seconds, one use, no more than the session they come from.
import { redeemStreamToken } from '../../../src/identity/auth/sessions/stream-tokens.service.ts';
import { expect, test } from 'vitest';
import { AppError } from '../../../src/errors.ts';
import { useHarness, useOwner } from '../../setup/fixtures.ts';
import { changeMembership, createMember } from '../../setup/harness.ts';
import { assertOk, createOwner, type Owner } from '../../setup/personas.ts';
import { MovedClock } from '../../setup/second-factor.ts';

const clock = new MovedClock();
const harness = useHarness({}, { clock });
const ada = useOwner(harness);

async function mint({ token }: Owner, headers = {}): Promise<string> {
  const { status, body } = await harness.app.call('POST', '/api/v1/auth/stream-token', {
    token,
    headers,
  });
  const lifetime = new Date(body.data.expiresAt).getTime() - clock.now().getTime();
  expect([status, Object.keys(body.data)]).toEqual([201, ['streamToken', 'expiresAt']]);
  expect(Math.abs(lifetime - 60_000)).toBeLessThan(20_000);
  return body.data.streamToken;
}
/** Authenticates as the event stream does; returns `ok` or the code. */
const redeem = (token: string): Promise<string> =>
  redeemStreamToken(harness.app.instance.platform, token).then(
    () => 'ok',
    (error: unknown) => (error instanceof AppError ? error.code : String(error)),
  );

test('it stands for the caller and the chosen workspace', async () => {
  const viewer = await createMember(harness, ada, 'viewer');
  const token = await mint(viewer, { 'x-workspace-id': viewer.workspaceId });
  const caller = await redeemStreamToken(harness.app.instance.platform, token);
  expect(caller).toMatchObject({
    role: 'viewer',
    user: { userId: viewer.userId },
    tenant: { organizationId: ada.organizationId, workspaceId: viewer.workspaceId },
  });
  const plain = await redeemStreamToken(harness.app.instance.platform, await mint(viewer));
  expect(plain.tenant.workspaceId).toBeNull();
});

test('used 20 times in parallel it works once', async () => {
  const token = await mint(ada);
  const codes = await Promise.all(Array.from({ length: 20 }, () => redeem(token)));
  expect(codes.sort()).toEqual([...Array(19).fill('INVALID_STREAM_TOKEN'), 'ok']);
});

test('it expires after 60 seconds', async () => {
  const [early, late] = [await mint(ada), await mint(ada)];
  clock.aheadMs += 45_000;
  expect(await redeem(early)).toBe('ok');
  clock.aheadMs += 15_000;
  expect(await redeem(late)).toBe('INVALID_STREAM_TOKEN');
});

test('it ends with its session, its membership and the password', async () => {
  const [out, suspended] = [
    await createOwner(harness.app),
    await createMember(harness, ada, 'member'),
  ];
  const tokens = [await mint(out), await mint(suspended)];
  assertOk(await harness.app.call('POST', '/api/v1/auth/logout', { token: out.token }));
  await changeMembership(harness, suspended, { isActive: false, deactivatedBy: 'team' });
  expect(await Promise.all(tokens.map(redeem))).toEqual([
    'INVALID_STREAM_TOKEN',
    'INVALID_STREAM_TOKEN',
  ]);
});

test('it is no session, and nothing else is a stream token', async () => {
  const token = await mint(ada);
  expect((await harness.app.call('GET', '/api/v1/auth/me', { token })).body.code).toBe(
    'TOKEN_VERIFICATION_FAILED',
  );
  for (const other of [ada.token, '', 'unknown'])
    expect(await redeem(other)).toBe('INVALID_STREAM_TOKEN');
  expect(await redeem(token)).toBe('ok');
});
