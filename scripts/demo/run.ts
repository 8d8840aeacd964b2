// Runs the steps of the demo against a running instance and prints each.
import { join, relative } from 'node:path';
import type { Instance } from '../../src/instance.ts';
import { createApi } from './api.ts';
import { checkAuditBundle } from './audit-bundle.ts';
import type { Decision } from './decisions.ts';
import { awaitEvents, subscribe } from './events.ts';
import { exportEvidence, verifyOffline } from './evidence.ts';
import { type Caller, reportOf, review, tryStricter } from './oversight.ts';
import { postAll, type Posted } from './post.ts';
import { prepare } from './prepare.ts';
import type { Receiver } from './receiver.ts';
import { count, milliseconds, progress, say } from './screen.ts';
import { byAction, byPolicy, tally, type ListedPolicy } from './tables.ts';

const CONCURRENCY = 16;

export interface Job {
  instance: Instance;
  receiver: Receiver;
  decisions: readonly Decision[];
  /** Source of the decisions, for display. */
  input: string;
  /** Folder in which the organisation gets a folder of its own. */
  dataDir: string;
}

/** True when the chain is whole and the bundle intact. */
export async function runDemo({
  instance,
  receiver,
  decisions,
  input,
  dataDir,
}: Job): Promise<boolean> {
  const api = createApi(instance.url);
  const { token, key, organizationId, email, password } = await prepare(api, decisions);
  const caller = { api, token };
  await subscribe(caller, receiver);

  say(
    `\nPosting ${count(decisions.length)} decisions of ${relative('', input)}, ${CONCURRENCY} at a time`,
  );
  const onAnswer = progress(decisions.length);
  const recorded = report(
    await postAll(decisions, { api, key, concurrency: CONCURRENCY, onAnswer }),
  );

  // The counts of matches follow the decisions within a second; the demo does not wait for that.
  await instance.runJobsOnce();
  const policies = await api.get<ListedPolicy[]>('/api/v1/policies?limit=200', token);
  say(
    `\nVerdicts by policy, in the order in which they are evaluated\n\n${byPolicy(recorded, policies.reverse())}`,
  );
  say(`\nVerdicts by what the agent did\n\n${byAction(recorded)}`);

  const newestReview = await oversee(instance, caller, policies);
  say(`\nThe webhook got ${await awaitEvents(receiver, recorded.length)}`);

  const chain = await api.post<ChainVerdict>('/api/v1/hash-chain/verify', {}, token);
  say(`\nThe chain: ${describe(chain)}`);
  const evidence = await exportEvidence({
    api,
    token,
    folder: join(dataDir, organizationId),
    recorded,
  });
  say(
    `The bundle: ${count(Math.ceil(evidence.bytes / 1024))} KiB, verified offline with the receipts of the newest decision and the newest review as pins\n`,
  );
  const { command, text, isIntact } = verifyOffline(evidence, newestReview);
  say(`  $ ${command}\n${text.replaceAll(/^/gm, '  ')}`);
  const audit = await checkAuditBundle({ api, token }, join(dataDir, organizationId));
  say(
    `\nThe audit bundle, as a stranger checks it\n\n  $ ${audit.command}\n${audit.text.replaceAll(/^/gm, '  ')}`,
  );
  say(
    `\nTo look around: ASSAY_DATA_DIR=${dataDir} npm start, and sign in as ${email} with ${password}`,
  );
  return chain.ok && isIntact && audit.isIntact;
}

/** Shows what people do about the decisions; returns the pin of the newest review. */
async function oversee(
  instance: Instance,
  caller: Caller,
  policies: readonly ListedPolicy[],
): Promise<string | null> {
  const { approved, rejected, pin } = await review(caller);
  say(
    `\nA reviewer, here the demo, which rejects every third, decided ${count(approved + rejected)} of the held decisions`,
  );
  say(
    `  ${count(approved)} approved, ${count(rejected)} rejected, each bound to the action looked at`,
  );
  const tried = await tryStricter(caller, policies);
  if (tried) {
    const { done, allowToBlock, unchanged, cannotTell } = tried.replay;
    say(`\nWhat if the policy that held most, ${tried.policy}, had blocked? Tried on all of them:`);
    say(
      `  of ${count(done)} decisions ${count(allowToBlock)} would have been blocked, ${count(unchanged)} judged alike; ${count(cannotTell)} cannot be decided`,
    );
  }
  // The index follows the verdicts within a second; the demo does not wait for that.
  await instance.runJobsOnce();
  say(`\n${await reportOf(caller)}`);
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
  return `${verdict}; ${count(totalChecked)} entries checked by the server in ${milliseconds(durationMs)} ms`;
}

/** Prints the outcomes of all posted decisions; returns those that were newly recorded. */
function report(posted: readonly Posted[]): Posted[] {
  const recorded = posted.filter(({ verdict, replayed }) => verdict && !replayed);
  const refused = posted.filter(({ verdict }) => !verdict);
  const [approved = 0, flagged = 0, blocked = 0] = tally(recorded);
  const replayed = posted.length - recorded.length - refused.length;
  say(
    `  recorded ${count(recorded.length)}: ${count(approved)} approved, ${count(flagged)} held for review, ${count(blocked)} blocked`,
  );
  say(
    `  replayed ${count(replayed)}: the same bytes had been posted before, and got the same answer`,
  );
  say(`  refused  ${count(refused.length)}${refused.length > 0 ? ', among them:' : ''}`);
  for (const { refusal } of refused.slice(0, 3)) say(`    ${refusal}`);
  return recorded;
}
