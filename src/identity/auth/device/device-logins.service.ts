// The device flow (RFC 8628): a person approves, in a session of their own, that a device gets a session of theirs.
import { createHmac } from 'node:crypto';
import type { Platform } from '../../../platform/platform.ts';
import { drawUserCode, parseUserCode } from '../../../domain/identity/user-codes.ts';
import { AppError } from '../../../errors.ts';
import { findOr404, insertOne } from '../../../platform/mongo/queries.ts';
import {
  type OpenedSession,
  type Origin,
  switchOrganization,
} from '../sessions/sign-in.service.ts';
import type { DeviceLoginDocument } from './device-logins.model.ts';
import {
  type DeviceApprovalInput,
  clientName as clientNameInput,
  type CodeForm,
  type TokenForm,
  type DeviceRequest,
} from './device.schemas.ts';
import { resumeSession } from '../sessions/authentication.service.ts';
import { findSession, logOut } from '../sessions/open-sessions.service.ts';
import type { UserContext } from '../../../platform/context.ts';

/** The members that RFC 8628, section 3.2, names. */
export interface DeviceCodes {
  device_code: string;
  user_code: string;
  verification_uri: string;
  verification_uri_complete: string;
  expires_in: number;
  interval: number;
}

/** The error codes of RFC 8628, section 3.5, and RFC 6749, section 5.2. */
export type DeviceError =
  | 'authorization_pending'
  | 'slow_down'
  | 'access_denied'
  | 'expired_token'
  | 'invalid_grant'
  | 'invalid_request'
  | 'unsupported_grant_type';

export type DeviceAnswer =
  | { error: DeviceError }
  | { session: OpenedSession; userId: string; expiresIn: number };

const GRANT_TYPE = 'urn:ietf:params:oauth:grant-type:device_code';
const LIFETIME_SECONDS = 600;
const INTERVAL_SECONDS = 5;
/** Seconds added to the interval of a client that polls too often (RFC 8628, 3.5). */
const SLOWER_SECONDS = 5;
/** How long a client whose answer was lost may ask again. */
const AGAIN_SECONDS = 30;
const PAGE = 'console/device';

export async function issueDeviceCodes(
  platform: Platform,
  form: CodeForm,
  origin: Origin,
): Promise<DeviceCodes | { error: DeviceError }> {
  const named = clientNameInput.safeParse(form.client_id);
  if (!named.success) return { error: 'invalid_request' };
  const deviceCode = platform.generateToken();
  const userCode = drawUserCode(platform.draw16Bytes);
  const { ip, userAgent } = origin;
  await insertOne(platform.models.deviceLogins, {
    deviceHash: digest(platform, 'device', deviceCode),
    userHash: digest(platform, 'user', parseUserCode(userCode) ?? ''),
    clientName: named.data,
    ip,
    userAgent: userAgent?.slice(0, 200) ?? null,
    interval: INTERVAL_SECONDS,
    expiresAt: new Date(platform.clock.now().getTime() + LIFETIME_SECONDS * 1000),
  });
  const page = `${platform.publicUrl}/${PAGE}`;
  return {
    device_code: deviceCode,
    user_code: userCode,
    verification_uri: page,
    verification_uri_complete: `${page}?user_code=${userCode}`,
    expires_in: LIFETIME_SECONDS,
    interval: INTERVAL_SECONDS,
  };
}

/** Describes the login to the person who has typed in its code. @throws AppError `NOT_FOUND` */
export async function describeDeviceLogin(
  platform: Platform,
  userCode: string,
): Promise<DeviceRequest> {
  const query = platform.models.deviceLogins.findOne(toOpenFilter(platform, userCode));
  return findOr404(query.lean<DeviceLoginDocument>());
}

/** Approves or denies, once. @throws AppError `NOT_FOUND` */
export async function settleDeviceLogin(
  {
    platform,
    tenant: { organizationId },
    user: { userId, jti, expiresAt: sessionEnd },
  }: UserContext,
  { userCode, decision }: DeviceApprovalInput,
): Promise<DeviceRequest> {
  const approval = { userId, organizationId, jti, sessionEnd };
  const change = decision === 'approve' ? { status: 'approved', approval } : { status: 'denied' };
  const query = platform.models.deviceLogins.findOneAndUpdate(toOpenFilter(platform, userCode), {
    $set: change,
  });
  return findOr404(query.lean<DeviceLoginDocument>());
}

/** Answers a client that asks for its session, which it gets once. */
export async function exchangeDeviceCode(
  platform: Platform,
  form: TokenForm,
  origin: Origin,
): Promise<DeviceAnswer> {
  const { grant_type: grantType, device_code: deviceCode } = form;
  if (grantType === undefined || deviceCode === undefined) return { error: 'invalid_request' };
  if (grantType !== GRANT_TYPE) return { error: 'unsupported_grant_type' };
  const deviceHash = digest(platform, 'device', deviceCode);
  const login = await platform.models.deviceLogins
    .findOneAndUpdate({ deviceHash }, { $set: { polledAt: platform.clock.now() } })
    .lean<DeviceLoginDocument>();
  if (!login) return { error: 'invalid_grant' };
  if (login.status !== 'used' && login.expiresAt <= platform.clock.now())
    return { error: 'expired_token' };
  if (login.status === 'denied') return { error: 'access_denied' };
  if (login.status === 'pending') return answerPending(platform, login);
  return takeSession(platform, deviceHash, origin);
}

/** Keyed, since a code of 34 bits could be found from a plain digest. */
const digest = ({ secrets }: Platform, kind: 'device' | 'user', code: string): string =>
  createHmac('sha256', secrets.ledgerKey).update(`device-login:${kind}:${code}`).digest('hex');

const toOpenFilter = (platform: Platform, userCode: string) => {
  const code = parseUserCode(userCode);
  if (code === null) throw new AppError('NOT_FOUND');
  return {
    userHash: digest(platform, 'user', code),
    status: 'pending' as const,
    expiresAt: { $gt: platform.clock.now() },
  };
};

/** Opens a session that ends with the caller's. @throws AppError `SESSION_REVOKED` when that has ended just now */
async function openBeside(ctx: UserContext, origin: Origin): Promise<OpenedSession> {
  const { platform } = ctx;
  const { organizationId } = ctx.tenant;
  const approved = { ...origin, isApproved: true } as const;
  const session = await switchOrganization(ctx, organizationId, approved);
  if ((await findSession(platform, ctx.user.jti)).revokedAt === null) return session;
  // It did not know of this one when it ended.
  await logOut(platform, session);
  throw new AppError('SESSION_REVOKED');
}

/** Opens the session, as long as the one that approved it is open. */
async function openSession(
  platform: Platform,
  { _id, approval, issuedJti }: DeviceLoginDocument,
  origin: Origin,
): Promise<DeviceAnswer> {
  if (!approval) return { error: 'invalid_grant' };
  const { userId, organizationId, jti, sessionEnd } = approval;
  try {
    const claims = { sub: userId, organizationId, jti, exp: sessionEnd / 1000 };
    const { tenant, user } = await resumeSession(platform, claims);
    if (!user) return { error: 'access_denied' };
    const caller = { tenant, user };
    // The session whose answer was lost ends before another begins.
    if (issuedJti !== undefined) await logOut(platform, { jti: issuedJti });
    const session = await openBeside({ platform, ...caller }, origin);
    await platform.models.deviceLogins.updateOne({ _id }, { $set: { issuedJti: session.jti } });
    const leftMs = session.expiresAt.getTime() - platform.clock.now().getTime();
    return { session, userId, expiresIn: Math.floor(leftMs / 1000) };
  } catch (error) {
    if (error instanceof AppError && error.http < 500) return { error: 'access_denied' };
    throw error;
  }
}

/**
 * Takes the session of an approved login: once, and again for a client that leaves its pause, as long as the answer may
 * have been lost. Nothing is taken by a failure of the service.
 */
async function takeSession(
  platform: Platform,
  deviceHash: string,
  origin: Origin,
): Promise<DeviceAnswer> {
  const now = platform.clock.now();
  const before = (seconds: number): Date => new Date(now.getTime() - seconds * 1000);
  const lost = {
    status: 'used' as const,
    firstTakenAt: { $gt: before(AGAIN_SECONDS) },
    takenAt: { $lte: before(INTERVAL_SECONDS) },
  };
  const taken = await platform.models.deviceLogins
    .findOneAndUpdate(
      { deviceHash, $or: [{ status: 'approved' as const }, lost] },
      [
        {
          $set: {
            status: 'used',
            takenAt: now,
            firstTakenAt: { $ifNull: ['$firstTakenAt', now] },
          },
        },
      ],
      { updatePipeline: true },
    )
    .lean<DeviceLoginDocument>();
  if (!taken) return { error: 'invalid_grant' };
  try {
    return await openSession(platform, taken, origin);
  } catch (error) {
    const back = { status: 'approved' as const, firstTakenAt: taken.firstTakenAt };
    await platform.models.deviceLogins.updateOne({ deviceHash, takenAt: now }, { $set: back });
    throw error;
  }
}

/** Answers a client whose request is pending; one that asks too often has to slow down. */
async function answerPending(
  { clock, models }: Platform,
  login: DeviceLoginDocument,
): Promise<DeviceAnswer> {
  const { _id, polledAt, interval } = login;
  const earliest = (polledAt?.getTime() ?? 0) + interval * 1000;
  if (clock.now().getTime() >= earliest) return { error: 'authorization_pending' };
  await models.deviceLogins.updateOne({ _id }, { $inc: { interval: SLOWER_SECONDS } });
  return { error: 'slow_down' };
}
