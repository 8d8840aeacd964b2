// E-mail domains of organisations: at most one organisation at a time has verified a domain, which DNS decides.
import { createSystemAuditEvent } from '../../../domain/record/audit-event.ts';
import type { Platform } from '../../../platform/platform.ts';
import type { Tenant } from '../../../domain/identity/tenant.ts';
import { AppError } from '../../../errors.ts';
import { AFTER, findOr404, insertOne, requireFewer } from '../../../platform/mongo/queries.ts';
import type { AuditService } from '../../audit/audit.service.ts';
import type { MembershipService } from '../memberships/memberships.service.ts';
import type { SsoDomainDocument } from './sso-domains.model.ts';
import type { SsoDomainView } from './sso-domains.schemas.ts';

interface Deps {
  memberships: MembershipService;
  audit: AuditService;
}

const MAX_DOMAINS = 50;
const CHALLENGE_BYTES = 16;

const toRecordName = (domain: string): string => `_assay-challenge.${domain}`;
const toRecordValue = (challenge: string): string => `assay-domain-verification=${challenge}`;

/** Call all methods but `listDomains` and `lookUp` in a transaction. */
export function createSsoDomainService(
  platform: Pick<Platform, 'models' | 'dns' | 'clock' | 'generateHex'>,
  deps: Deps,
) {
  const { models, dns, clock, generateHex: randomHex } = platform;
  const { memberships, audit } = deps;

  /** @throws AppError `ALREADY_EXISTS` when the organisation has claimed it, `INVALID_OPERATION` when it has claimed too many */
  async function addDomain(organizationId: string, domain: string): Promise<SsoDomainDocument> {
    await memberships.lockOrganization(organizationId);
    const claimed = models.ssoDomains.countDocuments({ organizationId });
    await requireFewer(claimed, MAX_DOMAINS, `An organisation has at most ${MAX_DOMAINS} domains`);
    const challenge = randomHex(CHALLENGE_BYTES);
    return insertOne(models.ssoDomains, { organizationId, domain, challenge });
  }

  function findClaim({ organizationId }: Tenant, id: string): Promise<SsoDomainDocument> {
    return findOr404(
      models.ssoDomains.findOne({ organizationId, _id: id }).lean<SsoDomainDocument>(),
    );
  }

  function findVerifiedClaim(domain: string): Promise<SsoDomainDocument | null> {
    return models.ssoDomains
      .findOne({ domain, verifiedAt: { $type: 'date' } }, null, { crossTenant: true })
      .lean<SsoDomainDocument>();
  }

  /** Ends a verification whose record is gone when another organisation publishes its own. */
  async function endVerification({
    _id,
    organizationId,
    domain,
  }: SsoDomainDocument): Promise<void> {
    const where = { _id, organizationId };
    await models.ssoDomains.updateOne(where, { $set: { verifiedAt: null, verifiedBy: null } });
    await audit.record(
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
    { _id, domain }: SsoDomainDocument,
    records: readonly string[],
  ): Promise<void> {
    const other = await findVerifiedClaim(domain);
    if (!other || other._id.equals(_id)) return;
    if (other.verifiedBy === 'system' || records.includes(toRecordValue(other.challenge)))
      throw toTakenError();
    await endVerification(other);
  }

  return {
    async listDomains({ organizationId }: Tenant): Promise<SsoDomainView[]> {
      const found = await models.ssoDomains
        .find({ organizationId })
        .sort({ createdAt: -1, _id: -1 })
        .lean<SsoDomainDocument[]>();
      return found.map(toView);
    },

    /**
     * Does not reveal whether another organisation has verified the domain.
     * @throws AppError `ALREADY_EXISTS`, `INVALID_OPERATION`
     */
    async claim({ organizationId }: Tenant, domain: string): Promise<SsoDomainView> {
      return toView(await addDomain(organizationId, domain));
    },

    /**
     * Looks up the TXT records of a claimed domain.
     * @throws AppError `NOT_FOUND`; `INVALID_OPERATION` when no name server answers
     */
    async lookUp(tenant: Tenant, id: string): Promise<readonly string[]> {
      const name = toRecordName((await findClaim(tenant, id)).domain);
      return dns.resolveTxt(name).catch((cause: unknown) => {
        const text = `TXT record of ${name} could not be looked up; try again later`;
        throw new AppError('INVALID_OPERATION', text, { cause });
      });
    },

    /**
     * @throws AppError `INVALID_OPERATION` when `records` lack the challenge, `ALREADY_EXISTS` while another organisation's
     * verification stands: its record is still published too, or the installation approved it
     */
    async verify(tenant: Tenant, id: string, records: readonly string[]): Promise<SsoDomainView> {
      const claimed = await findClaim(tenant, id);
      if (!records.includes(toRecordValue(claimed.challenge)))
        throw new AppError(
          'INVALID_OPERATION',
          `No TXT record of ${toRecordName(claimed.domain)} has the value`,
        );
      await endOtherVerification(claimed, records);
      return confirm(claimed, 'dns');
    },

    /** @throws AppError `NOT_FOUND` */
    remove({ organizationId }: Tenant, id: string): Promise<SsoDomainDocument> {
      return findOr404(
        models.ssoDomains.findOneAndDelete({ organizationId, _id: id }).lean<SsoDomainDocument>(),
      );
    },

    /**
     * Verifies a domain by the decision of the installation's administrator.
     * @throws AppError `ORG_NOT_FOUND`, `ALREADY_EXISTS`, `INVALID_OPERATION`
     */
    async approve(organizationId: string, domain: string): Promise<SsoDomainView> {
      if (!(await models.organizations.exists({ _id: organizationId })))
        throw new AppError('ORG_NOT_FOUND');
      const other = await findVerifiedClaim(domain);
      if (other && other.organizationId.toHexString() !== organizationId) throw toTakenError();
      const known = await models.ssoDomains
        .findOne({ organizationId, domain })
        .lean<SsoDomainDocument>();
      return confirm(known ?? (await addDomain(organizationId, domain)), 'system');
    },
  };
}
export type SsoDomainService = ReturnType<typeof createSsoDomainService>;

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
