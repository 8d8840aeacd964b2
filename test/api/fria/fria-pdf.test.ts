// A printed impact assessment holds what was approved, and only what was.
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { expect, test } from 'vitest';
import { useHarness, useOwner } from '../../setup/fixtures.ts';
import { assertOk } from '../../setup/personas.ts';
import { extractPdfText } from '../../setup/pdf-text.ts';
import { toOutcome, type Answer } from '../../setup/start-app.ts';

const path = '/api/v1/fria';
const harness = useHarness();
const { app } = harness;
const ada = useOwner(harness);

const call = (method: string, below: string, body?: object): Promise<Answer> =>
  app.call(method, path + below, { token: ada.token, ...(body && { body }) });
const draft = async (body: object = {}): Promise<string> =>
  assertOk(await call('POST', '', { systemName: 'Kreditprüfung', ...body })).body.data.id;
const approve = async (id: string): Promise<Answer['body']> => {
  assertOk(await call('POST', `/${id}/submit`));
  return assertOk(await call('POST', `/${id}/approve`)).body.data;
};
/** Returns the raw bytes and the headers of the answer. */
async function print(id: string): Promise<{ headers: Headers; pdf: Buffer }> {
  const answer = await fetch(`${app.url}${path}/${id}/pdf`, {
    headers: { authorization: `Bearer ${ada.token}` },
  });
  expect(answer.status).toBe(200);
  return { headers: answer.headers, pdf: Buffer.from(await answer.arrayBuffer()) };
}

test('every section and every risk is printed, with the approval and the anchor', async () => {
  const id = await draft({
    deployerProfileId: 'profile-7',
    purpose: 'Bewertet Anträge',
    affectedPersons: 'Αιτούντες',
    usageContext: 'Branches',
    durationOfUse: 'Two years',
    humanOversightSummary: 'A clerk decides',
    complaintsMechanism: 'By letter',
    identifiedRisks: [
      {
        title: 'Bias',
        description: 'Old data',
        severity: 'high',
        affectedRights: ['Equality', 'Dignity'],
        mitigation: 'Quarterly audits',
        residualRisk: 'low',
      },
    ],
  });
  const { chainHash, approvedAt } = await approve(id);
  const { headers, pdf } = await print(id);
  expect(headers.get('content-type')).toBe('application/pdf');
  expect(headers.get('content-disposition')).toBe(`attachment; filename="fria-${id}.pdf"`);
  expect(pdf.subarray(0, 5).toString()).toBe('%PDF-');
  const shown = extractPdfText(pdf).replaceAll('\u200b', '');
  for (const text of [
    'Kreditprüfung',
    'Ada Ltd',
    'profile-7',
    'Bewertet Anträge',
    'Αιτούντες',
    'Branches',
    'Two years',
    'A clerk decides',
    'By letter',
    'Bias',
    'Old data',
    'high',
    'Equality',
    'Dignity',
    'Quarterly audits',
    approvedAt,
  ])
    expect(shown).toContain(text);
  // Longer words are broken where they have to be.
  const joined = shown.replaceAll(/\s/g, '');
  expect(joined).toContain(chainHash);
  expect(joined).toContain(ada.email);
});

test('only an approved assessment is printed', async () => {
  const id = await draft();
  expect(toOutcome(await call('GET', `/${id}/pdf`))).toEqual([400, 'INVALID_OPERATION']);
  assertOk(await call('POST', `/${id}/submit`));
  expect(toOutcome(await call('GET', `/${id}/pdf`))).toEqual([400, 'INVALID_OPERATION']);
  assertOk(await call('POST', `/${id}/approve`));
  await print(id);
  assertOk(await call('POST', `/${id}/transition`, { status: 'draft' }));
  expect(toOutcome(await call('GET', `/${id}/pdf`))).toEqual([400, 'INVALID_OPERATION']);
  expect(toOutcome(await call('GET', `/${'0'.repeat(24)}/pdf`))).toEqual([404, 'NOT_FOUND']);
});

test(
  'the largest assessment is printed without holding up the event loop',
  { tags: ['long'], timeout: 60_000 },
  async () => {
    const section = 'Lorem ipsum dolor sit amet. '.repeat(350);
    const row = {
      title: 'Risk',
      description: 'x'.repeat(400),
      affectedRights: Array(5).fill('A right'),
    };
    const id = await draft({ purpose: section, affectedPersons: section, usageContext: section });
    assertOk(
      await call('PATCH', `/${id}`, { durationOfUse: section, humanOversightSummary: section }),
    );
    assertOk(await call('PATCH', `/${id}`, { complaintsMechanism: section }));
    assertOk(await call('PATCH', `/${id}`, { identifiedRisks: Array(100).fill(row) }));
    await approve(id);
    const delay = monitorEventLoopDelay({ resolution: 5 });
    delay.enable();
    const { pdf } = await print(id);
    delay.disable();
    expect(pdf.length).toBeGreaterThan(20_000);
    // The main thread spends none of the rendering time; the mean is robust against a busy machine.
    expect(delay.mean / 1e6).toBeLessThan(50);
  },
);
