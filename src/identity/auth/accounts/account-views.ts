// Users and organisations as the answers about accounts show them.
import type { Plan } from '../../../domain/identity/plans.ts';
import type { OrganizationDocument } from '../../organization/organization.model.ts';
import type { UserDocument } from './users.model.ts';

export interface UserView extends UserDocument {
  mfaEnabled: boolean;
}
export interface ActiveOrganization extends OrganizationDocument {
  plan: Plan;
  reclaimedAt: Date | null;
}

export function toUserView(user: UserDocument): UserView {
  return { ...user, mfaEnabled: user.mfa.enabled };
}

export function toActiveOrganization(organization: OrganizationDocument): ActiveOrganization {
  const { subscription, reclaimedAt = null } = organization;
  return { ...organization, plan: subscription.plan, reclaimedAt };
}
