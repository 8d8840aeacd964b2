// ML-BOMs: made of what is stated now, their digest kept when asked (document 1, section 4.3; document 2, section 4.1).
import type { Platform } from '../../../composition/platform.ts';
import { createMlBom } from '../../../domain/agents/ml-bom.ts';
import type { Tenant } from '../../../domain/identity/tenant.ts';
import { AppError } from '../../../errors.ts';
import type { AgentDocument } from '../agents.model.ts';
import type { AgentService } from '../agents.service.ts';

type Deps = Pick<Platform, 'clock'> & {
  agents: AgentService;
};

export function createMlBomService({ agents, clock }: Deps) {
  function generate({
    _id,
    name,
    modelMetadata,
  }: Pick<AgentDocument, '_id' | 'name' | 'modelMetadata'>) {
    const generatedAt = clock.now();
    return {
      generatedAt,
      ...createMlBom({ id: _id.toHexString(), name }, modelMetadata ?? {}, generatedAt),
    };
  }

  return {
    /** @throws AppError `NOT_FOUND` */
    get: async (tenant: Tenant, id: string) => generate(await agents.get(tenant, id)),

    /** @throws AppError `NOT_FOUND` */
    async refresh(tenant: Tenant, id: string) {
      const { bom, digest, generatedAt } = generate(await agents.get(tenant, id));
      const { _id } = await agents.update(tenant, id, { lastBom: { digest, generatedAt } });
      const { serialNumber } = bom;
      return { _id, id: _id, serialNumber, lastBomDigest: digest, lastBomGeneratedAt: generatedAt };
    },

    /**
     * Of the agent that made a decision, removed or not.
     * @throws AppError `NOT_FOUND` when nothing was stated of its model and no digest was ever kept
     */
    async ofProducer(tenant: Tenant, agentId: string) {
      const agent = await agents.producer(tenant, agentId);
      if (!agent?.modelMetadata && !agent?.lastBom)
        throw new AppError('NOT_FOUND', 'The agent has no ML-BOM');
      return generate(agent);
    },
  };
}
export type MlBomService = ReturnType<typeof createMlBomService>;
