// Halts what agents do for a person who is no active member any more, until that person is one again; revokes their passkeys.
import {
  hadPasskeys,
  revokeMemberPasskeys,
} from '../../identity/auth/credentials/credentials.service.ts';
import { hadTrusts } from '../../identity/agents/trusts/trusts.service.ts';
import { findMailbox } from '../../identity/auth/accounts/account-reader.service.ts';
import { findMembership } from '../../identity/organization/memberships/memberships.service.ts';
import { loadTextScrubber } from '../../decisions/traces/scrubbing/read-scrubbers.service.ts';
import type { Platform } from '../../platform/platform.ts';
import { isHaltedAlready, sealHalt } from './halt-entries.service.ts';
import { HALT_TOPIC } from './halt-topic.ts';

const REASON = 'No longer an active member';
const BY = { cause: 'membership' } as const;

/** Queues that halt and passkeys of a person follow their membership, in the transaction of its change. */
export async function queueMemberHalt(
  platform: Platform,
  organizationId: string,
  userId: string,
): Promise<void> {
  const hadTrust = await hadTrusts(platform, organizationId);
  if (!hadTrust && !(await hadPasskeys(platform, organizationId))) return;
  const lane = `${organizationId}:${userId}`;
  await platform.outbox.queue({ organizationId, topic: HALT_TOPIC, lane, payload: { userId } });
}

/** Halts or resumes by the membership as it is now; again without effect. */
export async function followMembership(
  platform: Platform,
  organizationId: string,
  userId: string,
): Promise<void> {
  const tenant = {
    organizationId,
    workspaceId: null,
    actor: { kind: 'system', id: null },
  } as const;
  const about = { scope: 'person', target: userId, by: BY } as const;
  const membership = await findMembership(platform, organizationId, userId);
  if (!membership) await revokeMemberPasskeys(platform, organizationId, userId);
  if (!(await hadTrusts(platform, organizationId))) return;
  if (membership?.isActive === true) return resume({ platform, tenant }, about);
  const scrubber = await loadTextScrubber(platform, organizationId);
  const mailbox = await findMailbox(platform, userId);
  const name = mailbox ? scrubber.scrubString(mailbox.name).text : undefined;
  const said = { ...about, state: 'halted', name, reason: REASON } as const;
  await sealHalt({ platform, tenant }, said, isHaltedAlready('halted'));
}

type Sealing = Parameters<typeof sealHalt>[0];

/** What people halted stays so; what was watched before is watched again. */
async function resume(
  { platform, tenant }: Sealing,
  about: { scope: 'person'; target: string; by: typeof BY },
): Promise<void> {
  const records = await platform.ledger.halts.listRecords(tenant.organizationId);
  const own = records.filter(({ scope, target }) => scope === 'person' && target === about.target);
  const newest = own.at(-1);
  if (newest?.state !== 'halted' || newest.cause !== BY.cause) return;
  const state = own.at(-2)?.state === 'watched' ? 'watched' : 'resumed';
  const said = { ...about, state, name: newest.name ?? undefined } as const;
  await sealHalt(
    { platform, tenant },
    said,
    (_newest, entry) => entry?.sequence !== newest.sequence,
  );
}
