// The evidence of a run: the exported bundle, and its verification by the stand-alone verifier in a process of its own.
import { spawnSync } from 'node:child_process';
import { mkdir, stat, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import type { Api } from './api.ts';
import type { Posted } from './post.ts';

const VERIFIER = join(import.meta.dirname, '../verify-bundle.ts');

/** Files for an auditor, as paths from the working folder. */
export interface Evidence {
  bundle: string;
  /** The answer to the newest decision, kept by its caller. */
  receipt: string;
  /** The body that was posted for it. */
  body: string;
  bytes: number;
}

export interface Exporting {
  api: Api;
  token: string;
  /** Made when absent. */
  folder: string;
  recorded: readonly Posted[];
}

const getSequence = ({ verdict }: Posted): number => verdict?.hashChain.sequence ?? 0;

/** Exports the whole chain and writes what the caller of the newest decision holds beside it. */
export async function exportEvidence({
  api,
  token,
  folder,
  recorded,
}: Exporting): Promise<Evidence> {
  const [newest] = [...recorded].sort((a, b) => getSequence(b) - getSequence(a));
  if (!newest) throw new Error('No decision was recorded: there is nothing to export');
  await mkdir(folder, { recursive: true });
  const toRelativePath = (name: string): string => relative('', join(folder, name));
  const files = {
    bundle: toRelativePath('bundle.json'),
    receipt: toRelativePath('receipt.json'),
    body: toRelativePath('decision.json'),
  };
  await writeFile(files.receipt, JSON.stringify(newest.verdict));
  await writeFile(files.body, newest.decision.line);
  await api.saveFile('/api/v1/hash-chain/export?fromSequence=1', token, files.bundle);
  return { ...files, bytes: (await stat(files.bundle)).size };
}

/** Runs the verifier on the files like any recipient. `laterPin`: that of the newest entry about a decision. */
export function verifyOffline(
  { bundle, receipt, body }: Evidence,
  { laterPin, more }: { laterPin: string | null; more: readonly string[] },
) {
  const later = laterPin === null ? [] : ['--pin', laterPin];
  const args = [bundle, '--pin', receipt, ...later, '--body', body, ...more];
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
