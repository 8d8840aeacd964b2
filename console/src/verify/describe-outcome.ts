// What an outcome proves and what it does not, in sentences.
import type { Outcome } from '../../verifier/protocol.ts';
import { formatExact } from '../parts/time.tsx';

type Report = NonNullable<Outcome['report']>;

const count = (number: number, one: string, many = `${one}s`): string =>
  `${number.toLocaleString('en')} ${number === 1 ? one : many}`;

/** The verdict in one sentence. */
export function describeVerdict(report: Report): string {
  const { verdict, entries, firstSequence, lastSequence, vouchedUpTo } = report;
  const range = `${count(entries, 'entry', 'entries')}, ${firstSequence ?? '—'} to ${lastSequence ?? '—'}`;
  if (verdict === 'intact') return `${range}: in order, none missing, none changed.`;
  if (verdict === 'tampered') return `${range}: something in it is not as it was sealed.`;
  if (!isReadWhole(report)) return 'The file cannot be read to its end.';
  if (vouchedUpTo === null)
    return `${range}: consistent, but nothing that you trust vouches for it. Its owner could have written all of it again.`;
  if (vouchedUpTo !== lastSequence)
    return `${range}: consistent, and vouched for up to entry ${vouchedUpTo} only.`;
  const isOfHeads = report.problems.some(({ code }) => code === 'heads-unseen');
  const unshown = isOfHeads
    ? 'That it agrees with every checkpoint'
    : 'That the keys of the erasure were destroyed';
  return `${range}: in order, none missing, none changed. ${unshown} is not shown.`;
}

/** Findings about what is missing beside a file that is read to its end. */
const MISSING: ReadonlySet<string> = new Set(['not-vouched', 'destruction-unseen', 'heads-unseen']);

/** Whether the file is read to its end and consistent: what else is said is about what is not in it. */
export const isReadWhole = ({ problems }: Report): boolean =>
  problems.every(({ code }) => MISSING.has(code));

function describeSigner(report: Report): string[] {
  if (!('signedBy' in report) || report.signedBy === null) return [];
  const name = `${report.signedBy.slice(0, 16)}…`;
  return report.isTrusted ? [`The key ${name} that you trust has signed the manifest.`] : [];
}

function describeLogged({ logged }: Outcome): string[] {
  return logged.map(({ sequence, origin, size, witnesses }) => {
    const seen = witnesses.map(([name, at]) => `${name} at ${formatExact(at)}`);
    const by = seen.length === 0 ? '' : `, as witnessed by ${seen.join(', ')}`;
    return `Entry ${sequence} is in the log ${origin} of ${count(size, 'entry', 'entries')}${by}.`;
  });
}

function describeHeads({ report }: Outcome): string[] {
  const { checked = 0 } = report?.heads ?? {};
  const signed = count(checked, 'checkpoint');
  return checked > 0 ? [`The chain agrees with ${signed} that its log has signed.`] : [];
}

const describeStamps = ({ stamps }: Outcome): string[] =>
  stamps.map(
    ({ name, issuer, at }) =>
      `${name}: ${issuer} stamped the log at ${formatExact(at)}. It was as it is now by then.`,
  );

/** What the custodian states, which the ledger has too. */
function describeDestroyed({ destruction }: Outcome): string[] {
  if (!destruction?.found) return [];
  const { erasureId, epoch, destroyedAt, signedBy, sequence } = destruction.found;
  const keys = `the keys of epoch ${epoch} and of all before it`;
  return [
    `${signedBy} states that ${keys} were destroyed at ${formatExact(destroyedAt)}: no older copy of the key store opens what the erasure ${erasureId} erased. Entry ${sequence} has this statement.`,
  ];
}

const describeUndestroyed = ({ destruction }: Outcome): string[] => {
  if (!destruction) return [];
  const { name, found, gap } = destruction;
  if (gap !== null) return [`That the keys of ${name} were destroyed: ${gap}.`];
  return found ? ['That no copy of the destroyed keys was made while they lived.'] : [];
};

export function listProved(outcome: Outcome): string[] {
  const { report } = outcome;
  const ofPromises = outcome.promises
    .filter(({ report: { verdict } }) => verdict !== 'cannot tell')
    .map(({ name, report: { message } }) => `${name}: ${message}.`);
  if (!report || report.verdict === 'tampered') return ofPromises;
  const { vouchedUpTo, firstSequence } = report;
  return [
    ...(vouchedUpTo === null
      ? []
      : [
          `Entries ${firstSequence} to ${vouchedUpTo} are those that were sealed, in that order; none was taken out or put in.`,
        ]),
    ...describeSigner(report),
    ...describeLogged(outcome),
    ...describeHeads(outcome),
    ...describeStamps(outcome),
    ...describeDestroyed(outcome),
    ...ofPromises,
  ];
}

export function listUnproved(outcome: Outcome): string[] {
  const { report, promises, faults } = outcome;
  const unknown = promises.filter(({ report: { verdict } }) => verdict === 'cannot tell');
  const ofPromises = unknown.map(({ name, report: { message } }) => `${name}: ${message}.`);
  const unread = faults.map((fault) => `Not taken as evidence: ${fault}.`);
  const undestroyed = describeUndestroyed(outcome);
  if (!report) return [...unread, ...ofPromises, ...undestroyed];
  const { withheld, partlyShown, notStored, erased } = report.fields;
  const hidden = withheld + partlyShown;
  const isUntrusted = 'signedBy' in report && report.signedBy !== null && !report.isTrusted;
  return [
    ...unread,
    ...ofPromises,
    ...undestroyed,
    ...(isUntrusted
      ? [`Whose the key ${report.signedBy} is, that signed the manifest. Ask the organisation.`]
      : []),
    ...(report.vouchedUpTo === null ? ['That the chain was not written again as a whole.'] : []),
    ...(hidden > 0
      ? [`What ${count(hidden, 'withheld value')} say: only their commitments are here.`]
      : []),
    ...(erased > 0
      ? [`What ${count(erased, 'erased value')} said: they are destroyed, and their entries stay.`]
      : []),
    ...(notStored > 0 ? [`What ${count(notStored, 'value')} said that never were stored.`] : []),
    'That what agents reported is true, or that every decision was posted.',
    'The exact times: they are those of the server’s clock.',
  ];
}

/** What a finding means, by its code. */
const MEANINGS: Readonly<Record<string, string>> = {
  'sequence-gap': 'An entry was taken out, put in, or moved: the numbers do not run on.',
  'prev-hash-mismatch': 'The link to the entry before does not fit.',
  'chain-hash-mismatch': 'Number, time, link or digest of the entry were changed after sealing.',
  'payload-digest-mismatch': 'The contents of the entry were changed after sealing.',
  'disclosure-mismatch': 'A shown value is not the one that was committed to.',
  'document-mismatch': 'The file is not the range that its header announces.',
  'pin-mismatch': 'The chain is another one than what you noted or received.',
  'reference-mismatch': 'An entry refers to another entry than the one in its place.',
  'erasure-mismatch': 'An erasure names values that were not there.',
  'execution-mismatch': 'An action or an effect was claimed twice, or an outcome has no claim.',
  'created-at-decreasing': 'Time runs backwards between two entries.',
  'signature-mismatch': 'The signature does not fit what was signed.',
  'manifest-mismatch': 'The archive does not hold what its manifest says.',
  'destruction-mismatch': 'The ledger has something else about this erasure than what was given.',
  'heads-mismatch': 'The log has signed a checkpoint of another chain.',
  'heads-unseen': 'Not every checkpoint of the log could be held against the chain.',
  'destruction-unseen': 'Nothing here shows that the keys of the erasure were destroyed.',
  'not-vouched': 'Give a noted place, a proof or a key to go on from.',
  truncated: 'The end of the file is missing.',
  unreadable: 'The file is damaged, or was formatted again.',
};

export const describeCode = (code: string): string => MEANINGS[code] ?? '';
