// The e-mail domains of organisations: one organisation at a time has proved a domain, and the domain name system decides which.
import { systemAuditEvent } from '../../../domain/record/audit-event.ts';
import type { Platform } from '../../../composition/platform.ts';
import type { Tenant } from '../../../domain/identity/tenant.ts';
import { AppError } from '../../../errors.ts';
import type { AuditService } from '../../audit/audit.service.ts';
import type { MembershipService } from '../memberships/memberships.service.ts';
import type { SsoDomainDocument } from './sso-domains.model.ts';

type Deps = Pick<Platform, 'models' | 'dns' | 'clock' | 'randomHex'> & {
  memberships: MembershipService;
  audit: AuditService;
};

const MAX_DOMAINS = 50;
const CHALLENGE_BYTES = 16;

const recordName = (domain: string): string => `_assay-challenge.${domain}`;
const recordValue = (challenge: string): string => `assay-domain-verification=${challenge}`;

/** Everything here but `list` belongs into a transaction. */
export function createSsoDomainService({
  models,
  memberships,
  audit,
  dns,
  clock,
  randomHex,
}: Deps) {
  async function find({ organizationId }: Tenant, id: string): Promise<SsoDomainDocument> {
    const found = await models.ssoDomains
      .findOne({ organizationId, _id: id })
      .lean<SsoDomainDocument>();
    if (!found) throw new AppError('NOT_FOUND');
    return found;
  }

  /** @throws AppError `ALREADY_EXISTS` when the organisation has claimed it, `INVALID_OPERATION` when it has claimed too many */
  async function add(organizationId: string, domain: string): Promise<SsoDomainDocument> {
    await memberships.lock(organizationId);
    if ((await models.ssoDomains.countDocuments({ organizationId })) >= MAX_DOMAINS)
      throw new AppError('INVALID_OPERATION', `An organisation has at most ${MAX_DOMAINS} domains`);
    const [made] = await models.ssoDomains.create([
      { organizationId, domain, challenge: randomHex(CHALLENGE_BYTES) },
    ]);
    if (!made) throw new AppError('INTERNAL_ERROR');
    return made.toObject();
  }

  /** @throws AppError `INVALID_OPERATION` when nobody answers */
  async function published(domain: string): Promise<readonly string[]> {
    return dns.txt(recordName(domain)).catch((cause: unknown) => {
      const text = `The TXT record of ${recordName(domain)} could not be looked up; try again later`;
      throw new AppError('INVALID_OPERATION', text, { cause });
    });
  }

  function holder(domain: string): Promise<SsoDomainDocument | null> {
    return models.ssoDomains
      .findOne({ domain, verifiedAt: { $type: 'date' } }, null, { crossTenant: true })
      .lean<SsoDomainDocument>();
  }

  /** What one organisation proved by a record that is gone since, another one may prove. */
  async function supersede({ _id, organizationId, domain }: SsoDomainDocument): Promise<void> {
    const where = { _id, organizationId };
    await models.ssoDomains.updateOne(where, { $set: { verifiedAt: null, verifiedBy: null } });
    await audit.record(
      systemAuditEvent({
        organizationId: organizationId.toHexString(),
        action: 'organization.sso_domain.superseded',
        resource: 'ssoDomain',
        resourceId: _id.toHexString(),
        detail: domain,
        metadata: { domain },
      }),
    );
  }

  async function confirm({ _id, organizationId }: SsoDomainDocument, verifiedBy: 'dns' | 'system') {
    const change = { $set: { verifiedAt: clock.now(), verifiedBy } };
    const confirmed = await models.ssoDomains
      .findOneAndUpdate({ _id, organizationId }, change, { returnDocument: 'after' })
      .lean<SsoDomainDocument>();
    if (!confirmed) throw new AppError('NOT_FOUND');
    return shown(confirmed);
  }

  const taken = (): AppError =>
    new AppError('ALREADY_EXISTS', 'Another organisation has proved this domain');

  return {
    async list({ organizationId }: Tenant) {
      const found = await models.ssoDomains
        .find({ organizationId })
        .sort({ createdAt: -1, _id: -1 })
        .lean<SsoDomainDocument[]>();
      return found.map(shown);
    },

    /** Whether another organisation has proved the domain is told by the proof only. @throws AppError `ALREADY_EXISTS`, `INVALID_OPERATION` */
    async claim({ organizationId }: Tenant, domain: string) {
      return shown(await add(organizationId, domain));
    },

    /**
     * @throws AppError `INVALID_OPERATION` when the record is not there, `ALREADY_EXISTS` when another organisation's proof stands:
     * its record is still published too, or the installation approved it
     */
    async verify(tenant: Tenant, id: string) {
      const claimed = await find(tenant, id);
      const records = await published(claimed.domain);
      if (!records.includes(recordValue(claimed.challenge)))
        throw new AppError(
          'INVALID_OPERATION',
          `No TXT record of ${recordName(claimed.domain)} has the value`,
        );
      const other = await holder(claimed.domain);
      if (other && other._id.toHexString() !== id) {
        if (other.verifiedBy === 'system' || records.includes(recordValue(other.challenge)))
          throw taken();
        await supersede(other);
      }
      return confirm(claimed, 'dns');
    },

    /** @throws AppError `NOT_FOUND` */
    async remove({ organizationId }: Tenant, id: string): Promise<SsoDomainDocument> {
      const removed = await models.ssoDomains
        .findOneAndDelete({ organizationId, _id: id })
        .lean<SsoDomainDocument>();
      if (!removed) throw new AppError('NOT_FOUND');
      return removed;
    },

    /** The administrator of the installation answers for it. @throws AppError `ORG_NOT_FOUND`, `ALREADY_EXISTS`, `INVALID_OPERATION` */
    async approve(organizationId: string, domain: string) {
      if (!(await models.organizations.exists({ _id: organizationId })))
        throw new AppError('ORG_NOT_FOUND');
      const other = await holder(domain);
      if (other && other.organizationId.toHexString() !== organizationId) throw taken();
      const known = await models.ssoDomains
        .findOne({ organizationId, domain })
        .lean<SsoDomainDocument>();
      return confirm(known ?? (await add(organizationId, domain)), 'system');
    },
  };
}
export type SsoDomainService = ReturnType<typeof createSsoDomainService>;

function shown({ domain, challenge, ...rest }: SsoDomainDocument) {
  return {
    ...rest,
    domain,
    challenge,
    status: rest.verifiedAt === null ? ('claimed' as const) : ('verified' as const),
    record: { type: 'TXT' as const, name: recordName(domain), value: recordValue(challenge) },
  };
}
