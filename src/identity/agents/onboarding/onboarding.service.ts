// Onboarding: an agent that its creator can resume until it is completed or discarded (document 1, section 4.3).
import type { z } from 'zod';
import { AppError } from '../../../errors.ts';
import type { OnboardingProgress } from '../agents.model.ts';
import type { DeletedView } from '../../../platform/mongo/queries.ts';
import {
  type AgentView,
  getAgent,
  findAgentDraft,
  changeAgent,
  removeAgent,
} from '../agents.service.ts';
import type { onboardingProgress } from './onboarding.schemas.ts';
import type { UserContext, Context } from '../../../platform/context.ts';

export async function findOnboardingDraft(ctx: UserContext): Promise<{ agent: AgentView | null }> {
  return { agent: await findAgentDraft(ctx) };
}

/** @throws AppError `NOT_FOUND`, `INVALID_OPERATION` */
export async function saveOnboarding(
  ctx: Context,
  id: string,
  change: z.output<typeof onboardingProgress>,
): Promise<AgentView> {
  const before = await requireProgress(ctx, id);
  return changeAgent(ctx, id, { onboardingProgress: { ...before, ...change } });
}

/** @throws AppError `NOT_FOUND`, `INVALID_OPERATION` */
export async function completeOnboarding(ctx: Context, id: string): Promise<AgentView> {
  await requireProgress(ctx, id);
  return changeAgent(ctx, id, { onboardingProgress: null });
}

/** Only a draft can be discarded. @throws AppError `NOT_FOUND`, `INVALID_OPERATION` */
export async function discardOnboarding(
  ctx: Context,
  id: string,
): Promise<DeletedView<AgentView['_id']>> {
  await requireProgress(ctx, id);
  return removeAgent(ctx, id);
}

async function requireProgress(ctx: Context, id: string): Promise<OnboardingProgress> {
  const agent = await getAgent(ctx, id);
  if (!agent.onboardingProgress)
    throw new AppError('INVALID_OPERATION', 'The agent is not in onboarding');
  return agent.onboardingProgress;
}
