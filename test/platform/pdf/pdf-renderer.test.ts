// PDFs: complete contents on as many pages as necessary, and bounded slots per organisation.
import { afterAll, expect, inject, test } from 'vitest';
import type { PdfBlock, PdfDocument } from '../../../src/platform/pdf/pdf-document.ts';
import { createPdfRenderer } from '../../../src/platform/pdf/pdf-renderer.ts';
import { createCallerContext } from '../../../src/platform/waiting-caller.ts';
import { createThreads } from '../../../src/platform/threads/threads.ts';
import { KeySlots } from '../../../src/platform/shared/slots.ts';
import { extractPdfText } from '../../setup/pdf-text.ts';

const slots = new KeySlots();
const threads = createThreads(inject('built'));
const renderer = createPdfRenderer({
  callerContext: createCallerContext(),
  shared: { acquireSlot: (request) => slots.acquire(request) },
  threads,
});
afterAll(() => threads.close());

const of = (...blocks: PdfBlock[]): PdfDocument => ({
  title: 'Assessment of Łódź',
  subtitle: 'Ada Ltd',
  createdAt: new Date('2026-04-11T12:00:00Z'),
  orientation: 'portrait',
  blocks,
});
const render = async (document: PdfDocument, organization = 'ada'): Promise<Buffer> =>
  Buffer.from(await renderer.render(organization, document));

test('headings, texts, values and tables are shown', async () => {
  const pdf = await render(
    of(
      { kind: 'heading', text: 'Purpose' },
      { kind: 'text', text: 'Sorts applications.\nBy hand too: Ωμέγα, Привет.' },
      { kind: 'values', values: [['Status', 'approved']] },
      {
        kind: 'table',
        columns: [{ title: 'Risk', width: 80 }, { title: 'Means' }],
        rows: [['bias', 'audits']],
      },
    ),
  );
  expect(pdf.subarray(0, 5).toString()).toBe('%PDF-');
  expect(pdf.toString('latin1')).toContain('(D:20260411120000Z)');
  const shown = extractPdfText(pdf);
  for (const text of [
    'Assessment of Łódź',
    'Ada Ltd',
    'Purpose',
    'Sorts applications.',
    'Ωμέγα, Привет.',
    'Status',
    'approved',
    'Risk',
    'Means',
    'bias',
    'audits',
  ])
    expect(shown).toContain(text);
});

test.each([
  ['nothing', ''],
  ['control characters', 'a\u0000b\u001bc\u2028d'],
  ['lone surrogates', '\ud800x\udc00'],
  ['letters that the font has not', '漢字 😀 مرحبا'],
  ['one word that is wider than the page', 'W'.repeat(3000)],
  ['what looks like markup', '{"text":"x","link":"file:///etc/passwd"} <b>%PDF'],
])('%s is drawn without failing', async (_, text) => {
  const pdf = await render(
    of(
      { kind: 'heading', text },
      { kind: 'text', text },
      { kind: 'values', values: [[text, text]] },
      { kind: 'table', columns: [{ title: text }], rows: [[text]] },
    ),
  );
  expect(pdf.subarray(-6).toString()).toContain('%%EOF');
});

test.each([
  ['Chinese', 'An 東京支店 office', 'An [U+6771 U+4EAC U+652F U+5E97] office'],
  ['Korean', '한국', '[U+D55C U+AD6D]'],
  ['Arabic', 'مر', '[U+0645 U+0631]'],
  ['Thai', 'ไท', '[U+0E44 U+0E17]'],
  ['beyond the basic plane', '😀', '[U+1F600]'],
  ['an arrow', 'a → b', 'a [U+2192] b'],
  ['what the fonts have', 'Łódź – “Ωμέγα”, Привет… €', 'Łódź – “Ωμέγα”, Привет… €'],
])('characters without a glyph are code points: %s', async (_, text, drawn) => {
  const table: PdfBlock = { kind: 'table', columns: [{ title: text }], rows: [[text]] };
  const shown = extractPdfText(
    await render({ ...of({ kind: 'text', text }, table), subtitle: text }),
  );
  expect(shown.replaceAll('\u200b', '').split(drawn)).toHaveLength(5);
  expect(shown.includes('such as [U+6F22]')).toBe(text !== drawn);
});

test('a long word is broken to the column width in linear time', async () => {
  const word = Array.from({ length: 20_000 }, (_, i) => String.fromCharCode(97 + (i % 26))).join(
    '',
  );
  const columns = [{ title: 'A', width: 60 }, { title: 'B' }];
  const pdf = await render(of({ kind: 'table', columns, rows: [[word, word]] }));
  expect(extractPdfText(pdf).replaceAll('\u200b', '')).toContain('xyzabc');
}, 20_000);

test('a long table repeats its headings on every page, without blocking the event loop', async () => {
  const rows = Array.from({ length: 400 }, (_, i) => [`row ${i}`, 'x'.repeat(40)]);
  const columns = [{ title: 'Heading', width: 100 }, { title: 'Text' }];
  let [turns, isRendering] = [0, true];
  const countTurn = (): void => {
    turns += 1;
    if (isRendering) setTimeout(countTurn, 1);
  };
  countTurn();
  const pdf = await render(of({ kind: 'table', columns, rows }));
  isRendering = false;
  expect(turns).toBeGreaterThan(20);
  const shown = extractPdfText(pdf);
  expect(shown).toContain('row 399');
  const pages = Number(/\/Count (\d+)/.exec(pdf.toString('latin1'))?.[1]);
  expect(pages).toBeGreaterThan(3);
  expect(shown.split('Heading').length - 1).toBe(pages);
});

test('an organisation has at most two PDFs under way, others proceed, and slots are released', async () => {
  const small = of({ kind: 'text', text: 'x' });
  const both = [render(small), render(small)];
  await expect(render(small)).rejects.toMatchObject({ code: 'RATE_LIMIT_EXCEEDED' });
  await render(small, 'eve');
  await Promise.all(both);
  await render(small);
});

test('a PDF waits while another worker draws one of its organisation, and delays no other', async () => {
  const small = of({ kind: 'text', text: 'x' });
  const releaseElsewhere = await slots.acquire({ namespace: 'pdf', key: 'ada', limit: 1 });
  const ended: string[] = [];
  const waiting = render(small).then(() => ended.push('ada'));
  await render(small, 'eve').then(() => ended.push('eve'));
  expect(ended).toEqual(['eve']);
  releaseElsewhere?.();
  await waiting;
  expect(ended).toEqual(['eve', 'ada']);
});

test(
  'the number of PDFs under way is bounded for all organisations',
  { tags: ['long'] },
  async () => {
    const small = of({ kind: 'text', text: 'x' });
    // Two are drawn and 24 wait.
    const begun = Array.from({ length: 26 }, (_, i) => render(small, `org ${i}`));
    await expect(render(small, 'late')).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
    await Promise.all(begun);
  },
);
