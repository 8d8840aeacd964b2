// The state of a trace: the last writer of a field wins, and an amendment out of sequence is refused.
import { describe, expect, it } from 'vitest';
import { BrokenFold, TraceFold } from '../../../src/domain/record/trace-state.ts';
import type { AmendmentPayload, PayloadEntry } from '../../../src/domain/record/trace-state.ts';
import type { ExecutionState, TracePayload } from '../../../src/domain/record/payload.ts';
import { SampleChain } from './samples/sample-chain.ts';
import type { Sample } from './samples/sample-chain.ts';

const OTHER = 'f'.repeat(24);

function parsed<P extends TracePayload | AmendmentPayload>({
  sequence,
  chainHash,
  view,
}: Sample): PayloadEntry<P> {
  return { sequence, chainHash, payload: JSON.parse(view) as P };
}

function stateAfter(entries: Sample[]) {
  const [ingestion, ...amendments] = entries;
  const fold = new TraceFold(parsed<TracePayload>(ingestion!));
  for (const entry of amendments) fold.addEntry(parsed<AmendmentPayload>(entry));
  return fold.state;
}

describe('the state of a trace', () => {
  it('begins with the ingestion', () => {
    const chain = new SampleChain();
    for (let i = 0; i < 5; i++) chain.trace();
    const last = chain.entries[4]!;
    const { commitments } = JSON.parse(last.view) as TracePayload;
    expect(stateAfter([last])).toMatchObject({
      traceId: last.traceId,
      subject: { sequence: 5, chainHash: last.chainHash },
      newest: { sequence: 5, chainHash: last.chainHash },
      status: 'flagged',
      humanOverride: null,
      review: null,
      erased: [],
      fields: {
        inputContext: { sequence: 5, commitment: commitments.inputContext, state: 'unstored' },
        outputDecision: { sequence: 5, commitment: commitments.outputDecision, state: 'stored' },
      },
    });
  });

  it('applies the values of each amendment and keeps the rest', () => {
    const chain = new SampleChain();
    chain.trace();
    chain.amend('correction', 0);
    expect(stateAfter(chain.entries)).toMatchObject({
      status: 'success',
      humanOverride: true,
      review: null,
    });
    chain.amend('status', 0);
    expect(stateAfter(chain.entries)).toMatchObject({ status: 'pending', humanOverride: true });
    chain.amend('review', 0);
    const folded = stateAfter(chain.entries);
    expect(folded).toMatchObject({
      status: 'approved',
      humanOverride: true,
      review: { sequence: 4, decision: 'approve' },
    });
    expect(folded.newest.sequence).toBe(4);
    expect(folded.fields).toMatchObject({
      outputDecision: { sequence: 2 },
      rationale: { sequence: 2 },
      inputContext: { sequence: 1 },
    });
    expect(folded.fields).not.toHaveProperty('feedback');
  });

  it('distinguishes an erased value from one that replaced it', () => {
    const chain = new SampleChain();
    chain.trace();
    chain.amend('erasure', 0);
    chain.amend('correction', 0);
    expect(stateAfter(chain.entries)).toMatchObject({
      fields: {
        inputContext: { state: 'erased' },
        outputDecision: { sequence: 3, state: 'stored' },
      },
      erased: expect.arrayContaining([{ sequence: 1, name: 'outputDecision', at: 2 }]) as unknown,
    });
    chain.amend('erasure', 0);
    const folded = stateAfter(chain.entries);
    expect(folded.fields).toMatchObject({ outputDecision: { sequence: 3, state: 'erased' } });
    expect(folded.erased).toContainEqual({ sequence: 3, name: 'feedback', at: 4 });
  });

  it('can be folded step by step', () => {
    const chain = new SampleChain();
    chain.trace();
    for (const kind of ['correction', 'review', 'erasure', 'status'] as const) chain.amend(kind, 0);
    const [ingestion, ...amendments] = chain.entries;
    const fold = new TraceFold(parsed<TracePayload>(ingestion!));
    for (const entry of amendments) fold.addEntry(parsed<AmendmentPayload>(entry));
    expect(fold.state).toEqual(stateAfter(chain.entries));
  });

  it('refuses an amendment out of sequence', () => {
    const chain = new SampleChain();
    chain.trace();
    chain.trace();
    chain.amend('review', 0);
    chain.amend('status', 0);
    const [first, second, review, status] = chain.entries as [Sample, Sample, Sample, Sample];
    const fold =
      (...entries: Sample[]) =>
      () =>
        stateAfter(entries);
    expect(fold(first, review, status)).not.toThrow();
    expect(fold(first, status)).toThrow(new BrokenFold(4, 'after is not the newest earlier entry'));
    expect(fold(first, review, review)).toThrow(BrokenFold);
    expect(fold(second, review)).toThrow(new BrokenFold(3, 'traceId names another decision'));
    expect(fold({ ...first, chainHash: second.chainHash }, review)).toThrow(
      new BrokenFold(3, 'subject is not the ingested decision'),
    );
  });

  it('refuses a second ingestion, and entries that amend nothing', () => {
    const chain = new SampleChain();
    const first = chain.trace();
    const clause = { ...chain.compliance('6.1'), traceId: first.traceId };
    expect(() => stateAfter([first, { ...first, sequence: 2 }])).toThrow(
      new BrokenFold(2, 'the decision is ingested a second time'),
    );
    expect(() => stateAfter([first, clause])).toThrow(BrokenFold);
  });

  it.each<[string, [state: ExecutionState, executionId?: string][], string]>([
    ['claimed', [['claimed']], 'claimed'],
    ['done', [['claimed'], ['succeeded']], 'succeeded'],
    ['of unknown end at first', [['claimed'], ['unknown'], ['failed']], 'failed'],
    ['claimed twice', [['claimed'], ['claimed', OTHER]], 'the action is claimed a second time'],
    ['ended before it is claimed', [['failed']], 'it ends an execution that was not claimed'],
    [
      'ended as another',
      [['claimed'], ['failed', OTHER]],
      'it ends an execution that was not claimed',
    ],
    ['ended twice', [['claimed'], ['succeeded'], ['failed']], 'the execution has ended'],
    ['unknown twice', [['claimed'], ['unknown'], ['unknown']], 'the execution has ended'],
  ])('follows an execution that is %s', (_, steps, expected) => {
    const chain = new SampleChain();
    chain.trace();
    for (const [state, executionId] of steps) chain.execute(0, state, { executionId });
    const fold = (): string | undefined => stateAfter(chain.entries).execution?.state;
    if (expected.includes(' ')) expect(fold).toThrow(new BrokenFold(steps.length + 1, expected));
    else expect(fold()).toBe(expected);
  });

  it.each<[string, { sequence: number; names: string[] }[]]>([
    ['a value that never was', [{ sequence: 1, names: ['conversation'] }]],
    ['a value that was never stored', [{ sequence: 5, names: ['inputContext'] }]],
    ["another decision's value", [{ sequence: 2, names: ['metadata'] }]],
    ['a value of an entry that is not there', [{ sequence: 5000, names: ['metadata'] }]],
    ['a value of the future', [{ sequence: 9, names: ['feedback'] }]],
    ['a value that is erased already', [{ sequence: 5, names: ['origin'] }]],
  ])('refuses the erasure of %s', (_what, erased) => {
    const chain = new SampleChain();
    for (let i = 0; i < 5; i++) chain.trace();
    const first = chain.amend('erasure', 4);
    const second = chain.amend('erasure', 4);
    const payload = JSON.parse(second.view) as AmendmentPayload;
    const forged = { ...second, view: JSON.stringify({ ...payload, erased }) };
    expect(() => stateAfter([chain.entries[4]!, first, second])).not.toThrow();
    expect(() => stateAfter([chain.entries[4]!, first, forged])).toThrow(
      expect.objectContaining({ name: 'BrokenFold', sequence: 7 }) as Error,
    );
  });
});
