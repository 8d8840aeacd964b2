// The tools that decisions called most; their names are those of the catalogue, or of the newest decisions.
import { rankTop } from '../../domain/counts/top-lists.ts';
import { OTHER } from '../../domain/counts/decision-path.ts';
import { deriveToolMark } from '../../domain/counts/tool-mark.ts';
import type { ComparedRange } from '../../domain/series.ts';
import { countKeys } from '../../decisions/traces/series/decision-counts.service.ts';
import { listToolKeys } from '../../policies/tools/tools.service.ts';
import { listUnlistedTools } from '../../policies/tools/unlisted-tools.service.ts';
import type { Verdict } from '../../decisions/traces/traces.model.ts';
import type { Context } from '../../platform/context.ts';
import type { Overview } from './overview.schemas.ts';

type TopTool = Overview['tools'][number];
type Range = Pick<ComparedRange, 'bucket' | 'from' | 'to'>;

/** A tool that no catalogue lists has a name while one of the newest decisions calls it. */
export async function listTopTools(
  ctx: Context,
  spans: { now: Range; before: Range },
  most: number,
): Promise<TopTool[]> {
  const counted = {
    now: await countTools(ctx, spans.now),
    before: await countTools(ctx, spans.before),
  };
  const top = rankTop(counted, ({ mark }) => [mark]).slice(0, most);
  const names = await nameTools(
    ctx,
    top.map(({ key }) => key),
  );
  return top.map(({ key, ...totals }) => ({
    ...totals,
    kind: key === OTHER ? 'other' : 'tool',
    name: names.get(key)?.name ?? null,
    listed: names.get(key)?.listed ?? false,
  }));
}

/** Decisions by the tool that they call, and their verdict. */
async function countTools(ctx: Context, { bucket: unit, from, to }: Range) {
  const counted = await countKeys(ctx, { dimension: 'tool', unit, from, to });
  return [...counted].map(([key, count]) => {
    const [mark = '', verdict] = key.split('|');
    return { mark, verdict: verdict as Verdict, count };
  });
}

interface Named {
  name: string;
  listed: boolean;
}

async function nameTools(
  ctx: Context,
  marks: readonly string[],
): Promise<ReadonlyMap<string, Named>> {
  const { platform, tenant } = ctx;
  const names = new Map<string, Named>();
  const add = (name: string, listed: boolean): void => {
    const mark = deriveToolMark(platform.secrets.ledgerKey, tenant.organizationId, name);
    if (!names.has(mark)) names.set(mark, { name, listed });
  };
  for (const name of await listToolKeys(ctx)) add(name, true);
  if (marks.every((mark) => mark === OTHER || names.has(mark))) return names;
  for (const { name } of (await listUnlistedTools(ctx)).tools) add(name, false);
  return names;
}
