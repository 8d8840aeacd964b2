// What a document says of one decision: proposed, approved for which action, claimed once, and how it ended.
import { hashSha256, toCanonicalJson, type Value } from '../text.ts';
import type { Entry } from '../layout.ts';
import type { Signer } from '../signatures/signed-approvals.ts';
import type { ExecutionState, View } from '../view.ts';

/** The question about a decision. */
export interface DecisionQuestion {
  traceId: string;
  /** The action, and the salt of the answer to ingestion: whether it is what was proposed and approved. */
  raw?: { action: Value; salt: string };
  /** The action with the edits of its approval, and the salt of the answer to the claim. */
  edited?: { action: Value; salt: string };
}

/** A step in the life of a decision. */
export interface Step {
  sequence: number;
  /** The kind of its actor. */
  by: string;
  what:
    | 'proposed'
    | 'approved'
    | 'approved by one of several'
    | 'rejected'
    | 'claimed'
    | 'succeeded'
    | 'failed'
    | 'unknown'
    | 'erased'
    | 'changed';
  /** Whether it is about the given action; null: none is given, or the step names none. */
  isAction: boolean | null;
  /** Whose key signed it; absent: it is not signed, or that is not shown. */
  signer?: Signer;
}

const VERDICTS = { approve: 'approved', reject: 'rejected' } as const;

/** Collects the steps of one decision, in the order of the document. */
export class DecisionStory {
  readonly steps: Step[] = [];
  private readonly question: DecisionQuestion;

  constructor(question: DecisionQuestion) {
    this.question = question;
  }

  addEntry({ sequence, traceId }: Entry, view: View, signer: Signer | null = null): void {
    if (traceId !== this.question.traceId) return;
    const by = view.actor?.kind ?? 'unknown';
    const step = { sequence, by, what: readStep(view), isAction: this.compare(view) };
    this.steps.push(signer === null ? step : { ...step, signer });
  }

  /** An edited approval lets the edited action be executed, so a claim is compared with both. */
  private compare({ commitments }: View): boolean | null {
    const { raw, edited } = this.question;
    const compared = [
      isSame(commitments['rawAction'], raw && commit('rawAction', raw)),
      isSame(commitments['editedAction'], edited && commit('editedAction', edited)),
    ].filter((isSame) => isSame !== null);
    return compared.length === 0 ? null : compared.every(Boolean);
  }
}

function readStep({ kind, decision, state }: View): Step['what'] {
  if (kind === 'trace') return 'proposed';
  if (kind === 'review' && decision) return VERDICTS[decision];
  if (kind === 'vote') return 'approved by one of several';
  if (kind === 'execution' && state) return state as ExecutionState;
  return kind === 'erasure' ? 'erased' : 'changed';
}

/** The commitment to the digest of an action. */
function commit(name: string, { action, salt }: { action: Value; salt: string }): string {
  const digest = hashSha256(toCanonicalJson(action));
  return hashSha256(toCanonicalJson([salt, name, digest]));
}

function isSame(commitment: string | undefined, computed: string | undefined): boolean | null {
  return commitment === undefined || computed === undefined ? null : commitment === computed;
}

function describeAction(isAction: Step['isAction']): string {
  if (isAction === null) return '';
  return isAction ? ', this action' : ', ANOTHER action';
}

const SIGNERS: Readonly<Record<Signer, string>> = {
  pinned: ", signed with a person's key that you pinned",
  enrolled: ', signed with a key that this organisation enrolled',
  unknown: ', signed with a key that nothing here vouches for',
};

/** Describes the steps, a line each. */
export function describeStory(traceId: string, steps: readonly Step[]): string[] {
  if (steps.length === 0) return [`  nothing about the decision ${traceId}`];
  return [
    `  the decision ${traceId}:`,
    ...steps.map(
      ({ sequence, by, what, isAction, signer }) =>
        `    ${sequence}: ${what} by ${by}${describeAction(isAction)}${signer ? SIGNERS[signer] : ''}`,
    ),
  ];
}
