// One decision of the demo from proposal to outcome: held, approved with an edit, claimed once, carried out.
import { createHash } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { canonicalize, type Json } from '@assay/json';
import { applyMergePatch } from '../../src/domain/actions/merge-patch.ts';
import type { Caller } from './oversight.ts';
import { printLine } from './screen.ts';

/** The agent's call: the address is masked in what is stored and shown. */
const ACTION = {
  tool: 'issue_refund',
  arguments: { order_id: '4711', amount: 480, currency: 'EUR', to: 'ada@example.com' },
};
const EDITS = { arguments: { amount: 120 } };

interface Proposed {
  traceId: string;
  reviewId: string | null;
  actionDigest: string;
  binding: { salt: string };
}

interface Executed {
  executionId: string;
  state: string;
  editedAction: { salt: string } | null;
  receipts: { outcome: { sequence: number; chainHash: string } | null };
}

/** What proves it to a third party. */
export interface ExecutionProof {
  /** Arguments of the verifier. */
  args: string[];
  /** Pin of the outcome. */
  pin: string;
}

const hashCanonical = (value: Json): string =>
  createHash('sha256').update(canonicalize(value)).digest('hex');

/** Returns null when no policy holds the action. */
export async function executeOnce(
  { api, token }: Caller,
  { key, folder }: { key: string; folder: string },
): Promise<ExecutionProof | null> {
  const body = {
    agentId: 'refund-desk',
    inputContext: { prompt: 'Order 4711 arrived broken: refund the customer' },
    outputDecision: { action: ACTION, rationale: 'The photo shows the damage' },
  };
  const text = JSON.stringify(body);
  const { data } = await api.sendRequest<Proposed>('POST', '/api/v1/traces', {
    credential: key,
    body: text,
  });
  if (!data?.reviewId) return null;
  const { traceId, reviewId, actionDigest, binding } = data;
  printLine(`\nOne action from proposal to outcome: ${canonicalize(ACTION)}\n  held`);
  const verdict = { decision: 'approve', actionDigest, edits: EDITS, reason: 'A part of it' };
  await api.post(`/api/v1/review-queue/${reviewId}/decision`, verdict, token);
  printLine(`  approved with an edit: ${canonicalize(EDITS)}`);
  const edited = applyMergePatch(ACTION, EDITS);
  const path = `/api/v1/traces/${traceId}/executions`;
  const claim = {
    rawActionDigest: hashCanonical(ACTION),
    editedActionDigest: hashCanonical(edited),
    action: ACTION,
  };
  const claimed = await api.post<Executed>(path, claim, key);
  const again = await api.sendRequest('POST', path, {
    credential: key,
    body: JSON.stringify(claim),
  });
  printLine(`  claimed; a second claim gets ${again.failure}`);
  const ended = await api.sendRequest<Executed>('PATCH', `${path}/${claimed.executionId}`, {
    credential: key,
    body: JSON.stringify({ outcome: 'succeeded', summary: 'Refunded', durationMs: 230 }),
  });
  const outcome = ended.data?.receipts.outcome;
  if (!outcome) throw new Error(`The outcome was refused: ${ended.failure}`);
  printLine('  carried out, and its outcome recorded');
  await mkdir(folder, { recursive: true });
  const [raw, changed] = [join(folder, 'action.json'), join(folder, 'edited-action.json')];
  await writeFile(raw, canonicalize(ACTION));
  await writeFile(changed, canonicalize(edited));
  const args = ['--decision', traceId, '--action', relative('', raw), '--salt', binding.salt];
  const { salt = '' } = claimed.editedAction ?? {};
  args.push('--edited', relative('', changed), '--edited-salt', salt);
  return { args, pin: `${outcome.sequence}:${outcome.chainHash}` };
}
