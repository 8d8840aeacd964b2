// Generates ML-BOMs from the current model metadata, and stores their digest (document 1, 4.3; document 2, 4.1).
import type { Platform } from '../../../platform/platform.ts';
import { createMlBom, type MlBom } from '../../../domain/agents/ml-bom.ts';
import type { Tenant } from '../../../domain/identity/tenant.ts';
import { AppError } from '../../../errors.ts';
import type { AgentResolver } from '../agent-resolver.service.ts';
import type { AgentDocument } from '../agents.model.ts';
import type { AgentService } from '../agents.service.ts';
import type { RefreshedMlBom } from './ml-bom.schemas.ts';

interface Deps {
  agents: AgentService;
  resolver: AgentResolver;
}

export interface GeneratedMlBom {
  bom: MlBom;
  digest: string;
  generatedAt: Date;
}

type Described = Pick<AgentDocument, '_id' | 'name' | 'modelMetadata'>;

export function createMlBomService({ clock }: Pick<Platform, 'clock'>, { agents, resolver }: Deps) {
  function generate({ _id, name, modelMetadata }: Described): GeneratedMlBom {
    const generatedAt = clock.now();
    const agent = { id: _id.toHexString(), name };
    return { generatedAt, ...createMlBom(agent, modelMetadata ?? {}, generatedAt) };
  }

  return {
    /** @throws AppError `NOT_FOUND` */
    async generateForAgent(tenant: Tenant, id: string): Promise<GeneratedMlBom> {
      return generate(await agents.getAgent(tenant, id));
    },

    /** @throws AppError `NOT_FOUND` */
    async refresh(tenant: Tenant, id: string): Promise<RefreshedMlBom> {
      const { bom, digest, generatedAt } = generate(await agents.getAgent(tenant, id));
      const { _id } = await agents.update(tenant, id, { lastBom: { digest, generatedAt } });
      const { serialNumber } = bom;
      return { _id, id: _id, serialNumber, lastBomDigest: digest, lastBomGeneratedAt: generatedAt };
    },

    /**
     * Generates the ML-BOM of the agent that made a decision, removed or not.
     * @throws AppError `NOT_FOUND` when nothing was stated of its model and no digest was ever kept
     */
    async generateForProducer(tenant: Tenant, agentId: string): Promise<GeneratedMlBom> {
      const agent = await resolver.findProducer(tenant, agentId);
      if (!agent?.modelMetadata && !agent?.lastBom)
        throw new AppError('NOT_FOUND', 'The agent has no ML-BOM');
      return generate(agent);
    },
  };
}
export type MlBomService = ReturnType<typeof createMlBomService>;
