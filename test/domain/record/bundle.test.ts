// The bundle's layout, its recipe followed step by step, and the verdicts of the vectors.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import {
  type DecisionQuestion,
  type Step,
  type Destruction,
  readPin,
  type Report,
  type Options,
  verifyBundle,
} from '@assay/verifier';
import type { Json } from '@assay/json';
import { RECIPE } from '../../../src/domain/record/bundle.ts';
import { has } from '../tools.ts';
import { createBundleLines, disclosed, sampleHistory } from './samples/sample-chain.ts';
import { readVectors, readVectorText } from './vectors.ts';

interface Vector {
  file: string;
  what: string;
  pins: Json[];
  verdict: string;
  sequence: number | null;
  code: string | null;
  /** What the document says of decisions: the steps, by whom, and whether they are about the given action. */
  decisions?: (DecisionQuestion & { steps: [Step['what'], string, boolean | null][] })[];
  /** A saved erasure, and what of the destruction of its keys the document shows. */
  destruction?: { erasure: string; custodianKeys: string[]; shown: Destruction | null };
}

async function verifyVector(
  { file, pins, destruction }: Vector,
  options: Pick<Options, 'decision'> = {},
): Promise<Report> {
  const lines = (async function* () {
    yield* readVectorText(file).trimEnd().split('\n');
  })();
  const question = destruction && {
    answer: readVectorText(destruction.erasure),
    custodianKeys: destruction.custodianKeys,
  };
  return verifyBundle(lines, {
    ...options,
    ...(question && { destruction: question }),
    pins: pins.map((pin) => readPin(pin)!),
  });
}

describe('bundle', () => {
  it('is one JSON document, a line each for the header, every entry and the end', () => {
    const history = disclosed(sampleHistory(2, 12));
    for (const entries of [history, history.slice(3, 4), []]) {
      const lines = createBundleLines(entries);
      expect(lines).toHaveLength(entries.length + 2);
      const document = JSON.parse(lines.join('\n')) as Record<string, Json[]>;
      expect(Object.keys(document)).toEqual([
        'format',
        'version',
        'chain',
        'algorithm',
        'organizationId',
        'exportedAt',
        'range',
        'prevHash',
        'head',
        'count',
        'recipe',
        'entries',
        'checkpoints',
        'end',
      ]);
      expect(document.entries).toEqual(
        entries.map(({ sealed: _, ...entry }) => ({
          ...entry,
          view: JSON.parse(entry.view) as Json,
        })),
      );
      expect(document.end).toEqual({
        count: entries.length,
        chainHash: entries.at(-1)?.chainHash ?? null,
      });
    }
  });

  it.each(readVectors<Vector[]>('bundles.json'))(
    '$file with $pins: $verdict, for $what',
    async (vector) => {
      const report = await verifyVector(vector);
      const { sequence, code } = report.problems[0] ?? { sequence: null, code: null };
      expect([report.verdict, sequence, code]).toEqual([
        vector.verdict,
        vector.sequence,
        vector.code,
      ]);
      expect(report.destruction).toEqual(vector.destruction?.shown ?? null);
      for (const { steps, ...decision } of vector.decisions ?? []) {
        const shown = (await verifyVector(vector, { decision })).decision;
        expect(shown?.map(({ what, by, isAction }) => [what, by, isAction])).toEqual(steps);
      }
    },
  );
});

describe('the recipe', () => {
  const folder = mkdtempSync(join(tmpdir(), 'assay-recipe-'));
  const history = disclosed(sampleHistory(4, 6));
  const last = history.at(-1)!;
  writeFileSync(join(folder, 'bundle.json'), createBundleLines(history).join('\n'));
  afterAll(() => rmSync(folder, { recursive: true }));

  /** Runs the command of the step that begins with `title`, for one entry. */
  function follow(title: string, entry: number): string {
    const step = RECIPE.find((text) => text.startsWith(`${title}:`))!;
    const command = step.slice(step.indexOf(': jq ') + 2).replaceAll('N', String(entry));
    return execFileSync('sh', ['-c', command], { cwd: folder }).toString().slice(0, 64).trim();
  }

  it.skipIf(!has('jq', 'sha256sum'))(
    'gives with jq and sha256sum what the document says',
    { tags: ['long'] },
    () => {
      history.forEach((entry, i) => {
        expect(follow('Digest', i)).toBe(entry.payloadDigest);
        expect(follow('Seal', i)).toBe(entry.chainHash);
      });
      expect(follow('Links', 0)).toBe('true');
      expect(follow('Copies', 0)).toBe('true');
      const { commitments } = JSON.parse(history[0]!.view) as {
        commitments: Record<string, string>;
      };
      expect(Object.values(commitments)).toContain(follow('Disclosures', 0));
    },
  );

  it.skipIf(!has('jq', 'sha256sum'))('shows a broken link', () => {
    const broken = [...history.slice(0, -1), { ...last, prevHash: '0'.repeat(64) }];
    writeFileSync(join(folder, 'bundle.json'), createBundleLines(broken).join('\n'));
    expect(follow('Links', 0)).toBe('false');
  });
});
