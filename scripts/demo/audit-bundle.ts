// Ends a run with an audit bundle of the organisation, checked by the stand-alone verifier with the command it names.
import { spawnSync } from 'node:child_process';
import { mkdir } from 'node:fs/promises';
import { join, relative } from 'node:path';
import type { Api } from './api.ts';

const VERIFIER = join(import.meta.dirname, '../verify-bundle.ts');
const DAY_MS = 24 * 60 * 60 * 1000;

interface Made {
  id: string;
  entries: number;
  signerKid: string;
}

export interface CheckedBundle {
  command: string;
  isIntact: boolean;
  text: string;
}

/** Makes a bundle of the last day and verifies it like any recipient. */
export async function checkAuditBundle(
  { api, token }: { api: Api; token: string },
  folder: string,
): Promise<CheckedBundle> {
  const now = Date.now();
  const period = {
    from: new Date(now - DAY_MS).toISOString(),
    to: new Date(now + DAY_MS).toISOString(),
  };
  const { id, signerKid } = await api.post<Made>('/api/v1/audit-bundles', period, token);
  await mkdir(folder, { recursive: true });
  const file = relative('', join(folder, 'audit-bundle.tar.gz'));
  await api.saveFile(`/api/v1/audit-bundles/${id}/download`, token, file);
  const args = [file, '--key', signerKid];
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    ['--import', import.meta.resolve('tsx'), VERIFIER, ...args],
    { encoding: 'utf8' },
  );
  return {
    command: ['npx', 'tsx', relative('', VERIFIER), ...args].join(' '),
    isIntact: status === 0,
    text: (stdout + stderr).trimEnd(),
  };
}
