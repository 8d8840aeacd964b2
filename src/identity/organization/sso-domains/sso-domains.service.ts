// E-mail domains of organisations: at most one organisation at a time has verified a domain, which DNS decides.
// Call all functions but `listSsoDomains` and `lookUpDomain` in a transaction.
import { createSystemAuditEvent } from '../../../domain/record/audit-event.ts';
import type { Platform } from '../../../platform/platform.ts';
import { AppError } from '../../../errors.ts';
import { AFTER, findOr404, insertOne, requireFewer } from '../../../platform/mongo/queries.ts';
import { recordAudit } from '../../audit/audit.service.ts';
import { lockOrganization } from '../memberships/memberships.service.ts';
import type { SsoDomainDocument } from './sso-domains.model.ts';
import type { SsoDomainView } from './sso-domains.schemas.ts';
import type { Context } from '../../../platform/context.ts';

const MAX_DOMAINS = 50;
const CHALLENGE_BYTES = 16;

const toRecordName = (domain: string): string => `_assay-challenge.${domain}`;
const toRecordValue = (challenge: string): string => `assay-domain-verification=${challenge}`;

export async function listSsoDomains({
  platform: { models },
  tenant: { organizationId },
}: Context): Promise<SsoDomainView[]> {
  const found = await models.ssoDomains
    .find({ organizationId })
    .sort({ createdAt: -1, _id: -1 })
    .lean<SsoDomainDocument[]>();
  return found.map(toView);
}

/**
 * Does not reveal whether another organisation has verified the domain.
 * @throws AppError `ALREADY_EXISTS`, `INVALID_OPERATION`
 */
export async function claimDomain(
  { platform, tenant: { organizationId } }: Context,
  domain: string,
): Promise<SsoDomainView> {
  return toView(await addDomain(platform, organizationId, domain));
}

/**
 * Looks up the TXT records of a claimed domain.
 * @throws AppError `NOT_FOUND`; `INVALID_OPERATION` when no name server answers
 */
export async function lookUpDomain(ctx: Context, id: string): Promise<readonly string[]> {
  const name = toRecordName((await findClaim(ctx, id)).domain);
  return ctx.platform.dns.resolveTxt(name).catch((cause: unknown) => {
    const text = `TXT record of ${name} could not be looked up; try again later`;
    throw new AppError('INVALID_OPERATION', text, { cause });
  });
}

/**
 * @throws AppError `INVALID_OPERATION` when `records` lack the challenge, `ALREADY_EXISTS` while another organisation's
 * verification stands: its record is still published too, or the installation approved it
 */
export async function verifyDomain(
  ctx: Context,
  id: string,
  records: readonly string[],
): Promise<SsoDomainView> {
  const { platform } = ctx;
  const claimed = await findClaim(ctx, id);
  if (!records.includes(toRecordValue(claimed.challenge)))
    throw new AppError(
      'INVALID_OPERATION',
      `No TXT record of ${toRecordName(claimed.domain)} has the value`,
    );
  await endOtherVerification(platform, claimed, records);
  return confirm(platform, claimed, 'dns');
}

/** @throws AppError `NOT_FOUND` */
export function removeDomain(
  { platform: { models }, tenant: { organizationId } }: Context,
  id: string,
): Promise<SsoDomainDocument> {
  return findOr404(
    models.ssoDomains.findOneAndDelete({ organizationId, _id: id }).lean<SsoDomainDocument>(),
  );
}

/**
 * Verifies a domain by the decision of the installation's administrator.
 * @throws AppError `ORG_NOT_FOUND`, `ALREADY_EXISTS`, `INVALID_OPERATION`
 */
export async function approveDomain(
  platform: Platform,
  organizationId: string,
  domain: string,
): Promise<SsoDomainView> {
  if (!(await platform.models.organizations.exists({ _id: organizationId })))
    throw new AppError('ORG_NOT_FOUND');
  const other = await findVerifiedClaim(platform, domain);
  if (other && other.organizationId.toHexString() !== organizationId) throw toTakenError();
  const known = await platform.models.ssoDomains
    .findOne({ organizationId, domain })
    .lean<SsoDomainDocument>();
  return confirm(platform, known ?? (await addDomain(platform, organizationId, domain)), 'system');
}

/** @throws AppError `ALREADY_EXISTS` when the organisation has claimed it, `INVALID_OPERATION` when it has claimed too many */
async function addDomain(
  platform: Platform,
  organizationId: string,
  domain: string,
): Promise<SsoDomainDocument> {
  await lockOrganization(platform, organizationId);
  const claimed = platform.models.ssoDomains.countDocuments({ organizationId });
  await requireFewer(claimed, MAX_DOMAINS, `An organisation has at most ${MAX_DOMAINS} domains`);
  const challenge = platform.generateHex(CHALLENGE_BYTES);
  return insertOne(platform.models.ssoDomains, { organizationId, domain, challenge });
}

function findClaim(
  { platform: { models }, tenant: { organizationId } }: Context,
  id: string,
): Promise<SsoDomainDocument> {
  return findOr404(
    models.ssoDomains.findOne({ organizationId, _id: id }).lean<SsoDomainDocument>(),
  );
}

function findVerifiedClaim(
  { models }: Platform,
  domain: string,
): Promise<SsoDomainDocument | null> {
  return models.ssoDomains
    .findOne({ domain, verifiedAt: { $type: 'date' } }, null, { crossTenant: true })
    .lean<SsoDomainDocument>();
}

/** Ends a verification whose record is gone when another organisation publishes its own. */
async function endVerification(
  platform: Platform,
  { _id, organizationId, domain }: SsoDomainDocument,
): Promise<void> {
  const where = { _id, organizationId };
  await platform.models.ssoDomains.updateOne(where, {
    $set: { verifiedAt: null, verifiedBy: null },
  });
  await recordAudit(
    platform,
    createSystemAuditEvent({
      organizationId: organizationId.toHexString(),
      action: 'organization.sso_domain.superseded',
      resource: 'ssoDomain',
      resourceId: _id.toHexString(),
      detail: domain,
      metadata: { domain },
    }),
  );
}

async function confirm(
  { clock, models }: Platform,
  { _id, organizationId }: SsoDomainDocument,
  verifiedBy: 'dns' | 'system',
): Promise<SsoDomainView> {
  const change = { $set: { verifiedAt: clock.now(), verifiedBy } };
  const confirmed = await findOr404(
    models.ssoDomains
      .findOneAndUpdate({ _id, organizationId }, change, AFTER)
      .lean<SsoDomainDocument>(),
  );
  return toView(confirmed);
}

/** @throws AppError `ALREADY_EXISTS` while another organisation's verification stands */
async function endOtherVerification(
  platform: Platform,
  { _id, domain }: SsoDomainDocument,
  records: readonly string[],
): Promise<void> {
  const other = await findVerifiedClaim(platform, domain);
  if (!other || other._id.equals(_id)) return;
  if (other.verifiedBy === 'system' || records.includes(toRecordValue(other.challenge)))
    throw toTakenError();
  await endVerification(platform, other);
}

const toTakenError = (): AppError =>
  new AppError('ALREADY_EXISTS', 'Another organisation has verified this domain');

function toView(domain: SsoDomainDocument): SsoDomainView {
  return {
    ...domain,
    status: domain.verifiedAt === null ? 'claimed' : 'verified',
    record: {
      type: 'TXT',
      name: toRecordName(domain.domain),
      value: toRecordValue(domain.challenge),
    },
  };
}
