// Where a tab notes verdicts that are under way: the next page looks whether one was lost.
import { readKept } from './browser-storage.ts';

export const UNSENT_VERDICTS = 'assay-unsent-verdicts';

export async function reportUnsentVerdicts(userId: string): Promise<void> {
  if (readKept(UNSENT_VERDICTS) === null) return;
  const { reportUnsent } = await import('../pages/review/verdicts/unsent-verdicts.ts');
  await reportUnsent(userId);
}
