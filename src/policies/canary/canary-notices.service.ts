// Notifies all owners and admins of canaries: some decisions are judged otherwise than before (decisions: canary).
import { scrubStrictly } from '@assay/scrub';
import { toQuotedName } from '../../domain/names/quoted-name.ts';
import type { UserContext } from '../../platform/context.ts';
import { getNeighbours } from '../neighbours.ts';
import type { PolicyView } from '../policies.service.ts';

/** What happened: it began, or it has ended. */
type CanaryStep = { share: number } | { end: 'promote' | 'rollback' };

/** Writes in the transaction of the request. */
export async function announceCanary(
  { platform, user }: UserContext,
  { _id, organizationId, name, enabled }: PolicyView,
  step: CanaryStep,
): Promise<void> {
  await getNeighbours(platform).managerNotices.notifyManagers(organizationId.toHexString(), {
    type: 'security',
    title: `${describeStep(step)}: ${toQuotedName(scrubStrictly(name))}`,
    body: `By ${toQuotedName(user.name)}. ${describeEffect(step, enabled)}`,
    link: `/console/policies/${_id.toHexString()}?part=canary`,
  });
}

function describeStep(step: CanaryStep): string {
  if ('share' in step) return 'A canary began';
  return step.end === 'promote' ? 'A canary was promoted' : 'A canary was rolled back';
}

function describeEffect(step: CanaryStep, isEnabled: boolean): string {
  const judge = isEnabled ? 'are judged by the change' : 'are judged without the policy';
  if ('share' in step)
    return `${Math.round(100 * step.share)} % of the decisions ${judge}, the others as before.`;
  return step.end === 'promote'
    ? `All decisions ${judge} from now on.`
    : 'The policy is as it was before.';
}
