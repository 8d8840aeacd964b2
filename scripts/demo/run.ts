// Runs the steps of the demo against a running instance and prints each.
import { join, relative } from 'node:path';
import type { Instance } from '../../src/instance.ts';
import { createApi } from './api.ts';
import { checkAuditBundle } from './audit-bundle.ts';
import type { Decision } from './decisions.ts';
import { awaitEvents, subscribe } from './events.ts';
import { exportEvidence, verifyOffline } from './evidence.ts';
import { executeOnce } from './execution.ts';
import { type Caller, buildReport, review, tryStricter } from './oversight.ts';
import { postAll, type Posted } from './post.ts';
import { prepare } from './prepare.ts';
import type { Receiver } from './receiver.ts';
import type { DemoWitness } from './witness.ts';
import { showWitnessedLog } from './witnessed-log.ts';
import { count, formatMilliseconds, createProgress, printLine } from './screen.ts';
import { renderActionTable, renderPolicyTable, tally, type ListedPolicy } from './tables.ts';
import { confirmHeads } from '../../src/evidence/log/witnesses/log-witnesses.service.ts';

const CONCURRENCY = 16;

export interface Job {
  instance: Instance;
  receiver: Receiver;
  witness: DemoWitness;
  /** File that names the witness. */
  policy: string;
  decisions: readonly Decision[];
  /** Source of the decisions, for display. */
  input: string;
  /** Folder in which the organisation gets a folder of its own. */
  dataDir: string;
}

/** True when the chain is whole and the bundle intact. */
export async function runDemo(job: Job): Promise<boolean> {
  const { instance, receiver, decisions, input, dataDir } = job;
  const api = createApi(instance.url);
  const { token, key, organizationId, email, password } = await prepare(api, decisions);
  const caller = { api, token };
  await subscribe(caller, receiver);
  // Nothing is promised after a start until a witness has confirmed the log.
  await confirmHeads(instance.platform);

  printLine(
    `\nPosting ${count(decisions.length)} decisions of ${relative('', input)}, ${CONCURRENCY} at a time`,
  );
  const onAnswer = createProgress(decisions.length);
  const recorded = report(
    await postAll(decisions, { api, key, concurrency: CONCURRENCY, onAnswer }),
  );

  // The counts of matches follow the decisions within a second; the demo does not wait for that.
  await instance.runJobsOnce();
  const policies = await api.get<ListedPolicy[]>('/api/v1/policies?limit=200', token);
  printLine(
    `\nVerdicts by policy, in the order in which they are evaluated\n\n${renderPolicyTable(recorded, policies.reverse())}`,
  );
  printLine(`\nVerdicts by what the agent did\n\n${renderActionTable(recorded)}`);

  const newestReview = await showOversight(instance, caller, policies);
  printLine(`\nThe webhook got ${await awaitEvents(receiver, recorded.length)}`);

  const folder = join(dataDir, organizationId);
  const execution = await executeOnce(caller, { key, folder });

  const chain = await api.post<ChainVerdict>('/api/v1/hash-chain/verify', {}, token);
  printLine(`\nThe chain: ${describe(chain)}`);
  const evidence = await exportEvidence({
    api,
    token,
    folder,
    recorded,
  });
  printLine(
    `The bundle: ${count(Math.ceil(evidence.bytes / 1024))} KiB, verified offline with the receipts of the newest posted decision and of the newest verdict or outcome as pins\n`,
  );
  const { command, text, isIntact } = verifyOffline(evidence, {
    laterPin: execution?.pin ?? newestReview,
    more: execution?.args ?? [],
  });
  printLine(`  $ ${command}\n${text.replaceAll(/^/gm, '  ')}`);
  const audit = await checkAuditBundle({ api, token }, folder);
  printLine(
    `\nThe audit bundle, as a stranger checks it\n\n  $ ${audit.command}\n${audit.text.replaceAll(/^/gm, '  ')}`,
  );
  const log = { ...job, api, token, key, folder };
  const isProven = await showWitnessedLog(log, evidence);
  printLine(
    `\nTo look around: ASSAY_DATA_DIR=${dataDir} npm start, and sign in as ${email} with ${password}`,
  );
  return chain.ok && isIntact && audit.isIntact && isProven;
}

/** Shows what people do about the decisions; returns the pin of the newest review. */
async function showOversight(
  instance: Instance,
  caller: Caller,
  policies: readonly ListedPolicy[],
): Promise<string | null> {
  const { approved, rejected, pin } = await review(caller);
  printLine(
    `\nA reviewer, here the demo, which rejects every third, decided ${count(approved + rejected)} of the held decisions`,
  );
  printLine(
    `  ${count(approved)} approved, ${count(rejected)} rejected, each bound to the action looked at`,
  );
  const tried = await tryStricter(caller, policies);
  if (tried) {
    const { done, allowToBlock, unchanged, cannotTell } = tried.replay;
    printLine(
      `\nWhat if the policy that held most, ${tried.policy}, had blocked? Tried on all of them:`,
    );
    printLine(
      `  of ${count(done)} decisions ${count(allowToBlock)} would have been blocked, ${count(unchanged)} judged alike; ${count(cannotTell)} cannot be decided`,
    );
  }
  // The index follows the verdicts within a second; the demo does not wait for that.
  await instance.runJobsOnce();
  printLine(`\n${await buildReport(caller)}`);
  return pin;
}

interface ChainVerdict {
  ok: boolean;
  totalChecked: number;
  brokenAtSequence: number | null;
  brokenReason: string | null;
  durationMs: number;
}

function describe({
  ok,
  totalChecked,
  brokenAtSequence,
  brokenReason,
  durationMs,
}: ChainVerdict): string {
  const verdict = ok ? 'whole' : `broken at ${brokenAtSequence} (${brokenReason})`;
  return `${verdict}; ${count(totalChecked)} entries checked by the server in ${formatMilliseconds(durationMs)} ms`;
}

/** Prints the outcomes of all posted decisions; returns those that were newly recorded. */
function report(posted: readonly Posted[]): Posted[] {
  const recorded = posted.filter(({ verdict, replayed }) => verdict && !replayed);
  const refused = posted.filter(({ verdict }) => !verdict);
  const [approved = 0, flagged = 0, blocked = 0] = tally(recorded);
  const replayed = posted.length - recorded.length - refused.length;
  printLine(
    `  recorded ${count(recorded.length)}: ${count(approved)} approved, ${count(flagged)} held for review, ${count(blocked)} blocked`,
  );
  printLine(
    `  replayed ${count(replayed)}: the same bytes had been posted before, and got the same answer`,
  );
  printLine(`  refused  ${count(refused.length)}${refused.length > 0 ? ', among them:' : ''}`);
  for (const { refusal } of refused.slice(0, 3)) printLine(`    ${refusal}`);
  return recorded;
}
