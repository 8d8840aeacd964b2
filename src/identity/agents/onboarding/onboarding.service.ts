// Onboarding: an agent that its creator can resume until it is completed or discarded (document 1, section 4.3).
import type { z } from 'zod';
import type { Tenant, User } from '../../../domain/identity/tenant.ts';
import { AppError } from '../../../errors.ts';
import type { OnboardingProgress } from '../agents.model.ts';
import type { DeletedView } from '../../../platform/mongo/queries.ts';
import type { AgentService, AgentView } from '../agents.service.ts';
import type { onboardingProgress } from './onboarding.schemas.ts';

export function createOnboardingService({ agents }: { agents: AgentService }) {
  async function requireProgress(tenant: Tenant, id: string): Promise<OnboardingProgress> {
    const agent = await agents.getAgent(tenant, id);
    if (!agent.onboardingProgress)
      throw new AppError('INVALID_OPERATION', 'The agent is not in onboarding');
    return agent.onboardingProgress;
  }

  return {
    async findDraft(tenant: Tenant, user: User): Promise<{ agent: AgentView | null }> {
      return { agent: await agents.findDraft(tenant, user) };
    },

    /** @throws AppError `NOT_FOUND`, `INVALID_OPERATION` */
    async saveProgress(
      tenant: Tenant,
      id: string,
      change: z.output<typeof onboardingProgress>,
    ): Promise<AgentView> {
      const before = await requireProgress(tenant, id);
      return agents.update(tenant, id, { onboardingProgress: { ...before, ...change } });
    },

    /** @throws AppError `NOT_FOUND`, `INVALID_OPERATION` */
    async complete(tenant: Tenant, id: string): Promise<AgentView> {
      await requireProgress(tenant, id);
      return agents.update(tenant, id, { onboardingProgress: null });
    },

    /** Only a draft can be discarded. @throws AppError `NOT_FOUND`, `INVALID_OPERATION` */
    async discard(tenant: Tenant, id: string): Promise<DeletedView<AgentView['_id']>> {
      await requireProgress(tenant, id);
      return agents.remove(tenant, id);
    },
  };
}
export type OnboardingService = ReturnType<typeof createOnboardingService>;
