// Generates ML-BOMs from the current model metadata, and stores their digest (document 1, 4.3; document 2, 4.1).
import type { Platform } from '../../../platform/platform.ts';
import { createMlBom, type MlBom } from '../../../domain/agents/ml-bom.ts';
import { AppError } from '../../../errors.ts';
import { findProducer } from '../agent-resolver.service.ts';
import { getUpperRooms } from '../../upper-rooms.ts';
import type { AgentDocument } from '../agents.model.ts';
import { getAgent, changeAgent } from '../agents.service.ts';
import type { RefreshedMlBom } from './ml-bom.schemas.ts';
import type { Context } from '../../../platform/context.ts';

export interface GeneratedMlBom {
  bom: MlBom;
  digest: string;
  generatedAt: Date;
}

type Described = Pick<AgentDocument, '_id' | 'name' | 'modelMetadata'>;

/** @throws AppError `NOT_FOUND` */
export async function generateMlBom(ctx: Context, id: string): Promise<GeneratedMlBom> {
  return generate(ctx.platform, await getAgent(ctx, id));
}

/** @throws AppError `NOT_FOUND` */
export async function refreshMlBom(ctx: Context, id: string): Promise<RefreshedMlBom> {
  const { bom, digest, generatedAt } = generate(ctx.platform, await getAgent(ctx, id));
  const { _id } = await changeAgent(ctx, id, { lastBom: { digest, generatedAt } });
  const { serialNumber } = bom;
  return { _id, id: _id, serialNumber, lastBomDigest: digest, lastBomGeneratedAt: generatedAt };
}

/**
 * Generates the ML-BOM of the agent that made a decision, removed or not. `name`: of the decision.
 * @throws AppError `NOT_FOUND`, also when nothing was stated of its model and no digest was ever kept
 */
export async function generateMlBomOfProducer(ctx: Context, name: string): Promise<GeneratedMlBom> {
  const { decisions } = getUpperRooms(ctx.platform);
  const agent = await findProducer(ctx, await decisions.findProducerId(ctx.tenant, name));
  if (!agent?.modelMetadata && !agent?.lastBom)
    throw new AppError('NOT_FOUND', 'The agent has no ML-BOM');
  return generate(ctx.platform, agent);
}

function generate({ clock }: Platform, { _id, name, modelMetadata }: Described): GeneratedMlBom {
  const generatedAt = clock.now();
  const agent = { id: _id.toHexString(), name };
  return { generatedAt, ...createMlBom(agent, modelMetadata ?? {}, generatedAt) };
}
