// Verifies an evidence or audit bundle offline: intact (exit 0), tampered (1) or cannot tell (2), without server code.
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import type { ArchiveOptions, ArchiveReport } from './archive/verify-archive.ts';
import {
  checkGivenPromise,
  describeHeads,
  describeStamp,
  readGivenHeads,
  readGivenDestruction,
  readGivenStamp,
  describeLogPin,
  hasStampedPin,
  LOG_OPTIONS,
  LOG_USAGE,
  type LogArguments,
  readLogPins,
  REPEATED,
} from './log/log-options.ts';
import { describeDestruction } from './log/destruction-check.ts';
import type { LogPin } from './log/log-proof.ts';
import { describeStory } from './decisions/decision-story.ts';
import { readPin, readShortPin } from './pins/pins.ts';
import { joinDashedValues } from './system/dashed-values.ts';
import { verifyFile } from './verify-file.ts';
import type { Pin } from './pins/pins.ts';
import { readApproverKey } from './signatures/approver-key.ts';
import { type FieldRow, isLinked, type Report, type Verdict } from './report.ts';
import { toPlainLine, type Value } from './text.ts';

const USAGE = `Usage: verify-bundle FILE [options]

  FILE                  the bundle, plain or gzipped, or an audit bundle (tar.gz); - reads standard input
  --key NAME            of an audit bundle: the name (kid) of a key that you trust, 64 hexadecimal digits; repeatable
  --pin PIN             a place and its hash that you trust, written sequence:chainHash; or a file or JSON: a receipt, a
                        saved answer to an ingestion, a chain entry, a chain status, a verified audit log; repeatable
  --body FILE           the request body that was posted for the receipt (with salt) given as a pin; hand neither on:
                        with the salt, a reader who knows most of an erased body can guess the rest
  --organization ID     the expected organisation
  --chain-start HASH    the expected chainHash of sequence 1
${LOG_USAGE}
  --decision TRACEID    print what became of a decision: proposed, approved, claimed, ended
  --action FILE         with it: the action as it was sent, as JSON; says whether it is what was approved and claimed
  --salt SALT           of the action: binding.salt of the answer to ingestion
  --edited FILE         likewise, after an edited approval: the action with the edits applied
  --edited-salt SALT    editedAction.salt of the answer to the claim
  --approver-key FILE   the public key of a person's passkey, got from that person: PEM, or the JSON that the console
                        shows; says which approvals it signed; repeatable
  --fields              print a line of JSON for every committed value: shown, withheld, not stored or erased
  --json                print the report as JSON
  --help                print this

Exit status: 0 intact, 1 tampered, 2 cannot tell (also for an invalid command line).`;

const EXIT: Readonly<Record<Verdict, number>> = { intact: 0, tampered: 1, 'cannot tell': 2 };

/** The options of `parseArgs`. */
const OPTIONS = {
  ...LOG_OPTIONS,
  pin: REPEATED,
  key: REPEATED,
  'approver-key': REPEATED,
  body: { type: 'string' },
  organization: { type: 'string' },
  'chain-start': { type: 'string' },
  decision: { type: 'string' },
  action: { type: 'string' },
  salt: { type: 'string' },
  edited: { type: 'string' },
  'edited-salt': { type: 'string' },
  fields: { type: 'boolean', default: false },
  json: { type: 'boolean', default: false },
  help: { type: 'boolean', short: 'h', default: false },
} as const;

/** An invalid command line. */
class UsageError extends Error {}

interface Command {
  /** Null: only a promise is checked. */
  file: string | null;
  logPins: readonly LogPin[];
  logArguments: LogArguments;
  options: ArchiveOptions;
  json: boolean;
}

/** Parses the command line; null: only the usage is requested. */
function readCommand(args: string[]): Command | null {
  const { values, positionals } = parseArgs({
    args: joinDashedValues(args, OPTIONS),
    allowPositionals: true,
    options: OPTIONS,
  });
  if (values.help) return null;
  const [file = null] = positionals;
  const isMissing = file === null && values.promise === undefined;
  if (isMissing || positionals.length > 1) throw new UsageError(USAGE);
  const logArguments = {
    policy: undefined,
    promise: undefined,
    stamp: undefined,
    'stamp-ca': undefined,
    destruction: undefined,
    ...values,
  };
  const logPins = values.promise === undefined ? readLogPins(logArguments) : [];
  const pins = [...values.pin.map(parsePinArgument), ...logPins.map(({ pin }) => pin)];
  if (values.body !== undefined && pins.filter(({ salt }) => salt !== null).length !== 1) {
    throw new UsageError('--body requires exactly one --pin that is a receipt with a salt');
  }
  const options: ArchiveOptions = {
    pins,
    keys: values.key,
    approverKeys: values['approver-key'].map((file) => readApproverKey(readFileSync(file, 'utf8'))),
    ...(values.organization === undefined ? {} : { organizationId: values.organization }),
    ...(values['chain-start'] === undefined ? {} : { chainStart: values['chain-start'] }),
    ...(values.body === undefined ? {} : { body: readFileSync(values.body) }),
    ...readDecisionQuestion(values),
    ...readGivenDestruction(logArguments),
    ...readGivenHeads(logArguments),
    ...(values.fields ? { onField: printField } : {}),
  };
  return { file, options, logPins, logArguments, json: values.json };
}

interface DecisionArguments {
  decision?: string | undefined;
  action?: string | undefined;
  salt?: string | undefined;
  edited?: string | undefined;
  'edited-salt'?: string | undefined;
}

function readDecisionQuestion(given: DecisionArguments): Pick<ArchiveOptions, 'decision'> {
  const { decision: traceId, action, salt, edited, 'edited-salt': editedSalt } = given;
  const raw = readAction('--action', action, salt);
  const changed = readAction('--edited', edited, editedSalt);
  if (traceId === undefined) {
    if (raw || changed) throw new UsageError('--action and --edited require --decision');
    return {};
  }
  return { decision: { traceId, ...(raw && { raw }), ...(changed && { edited: changed }) } };
}

/** An action comes with its salt. */
function readAction(
  option: string,
  file: string | undefined,
  salt: string | undefined,
): { action: Value; salt: string } | null {
  if (file === undefined && salt === undefined) return null;
  if (file === undefined || salt === undefined)
    throw new UsageError(`${option} requires its salt, and the salt its action`);
  return { action: JSON.parse(readFileSync(file, 'utf8')) as Value, salt };
}

function parsePinArgument(argument: string): Pin {
  const short = readShortPin(argument);
  if (short !== null) return short;
  const text = argument.trimStart().startsWith('{') ? argument : readFileSync(argument, 'utf8');
  let pin: Pin | null = null;
  try {
    pin = readPin(JSON.parse(text) as Value);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
  if (pin === null)
    throw new UsageError(
      `--pin ${argument}: not sequence:chainHash, a receipt, an answer with one, an entry or a status`,
    );
  return pin;
}

function printField(row: FieldRow): void {
  process.stdout.write(`${JSON.stringify(row)}\n`);
}

/** Describes the signer of an audit bundle; a key that only the file itself names is not trusted. */
function describeSigner(report: Report | ArchiveReport, keys: readonly string[]): string[] {
  if (!('signedBy' in report) || report.signedBy === null) return [];
  const { signedBy: kid, isTrusted } = report;
  if (isTrusted) return [`  manifest signed by the trusted key ${kid}`];
  return keys.length > 0
    ? [`  manifest signed by ${kid}, which is none of the keys given`]
    : [
        `  manifest signed by ${kid}; if the organisation names you the same key, give --key ${kid}`,
      ];
}

function describeSignatures({ pinned, enrolled, unknown }: Report['signatures']): string[] {
  if (pinned + enrolled + unknown === 0) return [];
  return [
    `  signed approvals: ${pinned} by a person's key that you pinned, ${enrolled} by keys that this organisation enrolled, ${unknown} by keys unknown here`,
  ];
}

function describe(
  report: Report | ArchiveReport,
  { keys, decision }: { keys: readonly string[]; decision: string | undefined },
): string[] {
  const { shown, partlyShown, withheld, notStored, erased } = report.fields;
  const problems = report.problems.map(
    ({ verdict, sequence, line, message }) =>
      `  ${verdict}, ${sequence === null ? `line ${line}` : `sequence ${sequence}`}: ${message}`,
  );
  const more = report.problemCount - report.problems.length;
  return [
    report.verdict.toUpperCase(),
    ...problems,
    ...(more > 0 ? [`  and ${more} more`] : []),
    `  ${report.chain ?? 'unknown chain'} of organisation ${report.organizationId ?? 'unknown'}, exported ${report.exportedAt ?? 'unknown'}`,
    `  ${report.entries} entries, ${report.firstSequence ?? '-'} to ${report.lastSequence ?? '-'}; head as claimed: ${report.head?.sequence ?? '-'}`,
    ...describeSigner(report, keys),
    `  vouched for by a pin up to: ${report.vouchedUpTo ?? '-'}`,
    ...(report.submitted === null
      ? []
      : [`  the body is what was submitted: ${report.submitted ? 'yes' : 'no'}`]),
    `  values: ${shown} shown, ${partlyShown} partly shown, ${withheld} withheld, ${notStored} not stored, ${erased} erased`,
    ...describeSignatures(report.signatures),
    ...(report.decision && decision ? describeStory(decision, report.decision) : []),
    ...(report.heads ? [describeHeads(report.heads)] : []),
    ...(report.destruction ? [describeDestruction(report.destruction)] : []),
    ...(report.verdict === 'intact'
      ? [
          '  unaltered since the pin; not therefore true, complete beyond it, or correctly timed',
          `  no hash covers: ${report.notCovered.join(', ')}`,
        ]
      : []),
  ];
}

/** Checks a promise; a bundle, if there is one, shows what stands in the place of its entry. */
async function verifyPromise({ file, logArguments, json }: Command): Promise<number> {
  const shown = new Map<number, string>();
  const onEntry = (sequence: number, chainHash: string) => shown.set(sequence, chainHash);
  const bundle = file === null ? null : await verifyFile(file, { keys: [], onEntry });
  const report = checkGivenPromise(logArguments, shown, bundle !== null && isLinked(bundle));
  const text = `${report.verdict.toUpperCase()}\n  ${toPlainLine(report.message)}`;
  process.stdout.write(`${json ? JSON.stringify(report) : text}\n`);
  return EXIT[report.verdict];
}

async function runVerifier(args: string[]): Promise<number> {
  const command = readCommand(args);
  if (command === null) {
    process.stdout.write(`${USAGE}\n`);
    return 0;
  }
  if (command.logArguments.promise !== undefined) return verifyPromise(command);
  const { file, options, logPins, json } = command;
  const stamp = await readGivenStamp(command.logArguments, logPins);
  const report = await verifyFile(file ?? '-', options);
  const vouched = logPins.filter(({ pin }) => pin.sequence <= (report.vouchedUpTo ?? 0));
  const text = [
    ...describe(report, { keys: options.keys, decision: options.decision?.traceId }),
    ...vouched.map(describeLogPin),
    ...(stamp && hasStampedPin(stamp, vouched) ? [describeStamp(stamp)] : []),
  ]
    .map(toPlainLine)
    .join('\n');
  process.stdout.write(`${json ? JSON.stringify(report) : text}\n`);
  return EXIT[report.verdict];
}

try {
  process.exitCode = await runVerifier(process.argv.slice(2));
} catch (error) {
  const why = error instanceof Error ? error.message : String(error);
  process.stderr.write(`${error instanceof UsageError ? why : toPlainLine(why)}\n`);
  process.exitCode = EXIT['cannot tell'];
}
