// How documents read: short lines and sentences, plain words, and relative links that lead somewhere.
import { posix } from 'node:path';
import { expect, test } from 'vitest';
import { files, readSource, sources, UNUSUAL_WORDS } from './sources.ts';

const GENERATED = new Set(['docs/reference/routes.md']);
const LINE_COLUMNS = 100;
/** Mean number of words in a sentence, in each document and in all of them. */
const SENTENCE_WORDS = 17;
const SENTENCE_WORDS_OVERALL = 15;

const documents = files.filter((file) => file.endsWith('.md') && !GENERATED.has(file));
const known = new Set(files);

/** The text of a document without fenced code and folded details. */
const readProse = (file: string): string =>
  readSource(file)
    .replaceAll(/^ *```[^]*?^ *```$/gm, '')
    .replaceAll(/^<details>[^]*?^<\/details>$/gm, '');

const isTableRow = (line: string): boolean => /^\s*\|/.test(line);
const isCode = (line: string): boolean => /^ {4}/.test(line);
const isStructure = (line: string): boolean =>
  line.trim() === '' || /^(#|\s*<[!/a-z])/.test(line) || isTableRow(line);

/** Paragraphs and list items, each on one line. */
function listParagraphs(file: string): string[] {
  const paragraphs: string[][] = [];
  let open: string[] | null = null;
  for (const line of readProse(file).split('\n')) {
    const item = /^\s*(?:[-*]|\d+\.)\s+(.*)$/.exec(line);
    if (isStructure(line)) open = null;
    else if (item || (!open && !isCode(line))) paragraphs.push((open = [item?.[1] ?? line]));
    else open?.push(line.trim());
  }
  return paragraphs.map((lines) => lines.join(' '));
}

/** Word counts of the sentences of a document; code counts as one word, the address of a link as none. */
function countWords(file: string): number[] {
  const sentences = listParagraphs(file).flatMap((paragraph) =>
    paragraph
      .replaceAll(/`[^`]*`/g, 'code')
      .replaceAll(/\]\([^)]*\)/g, ']')
      .split(/(?<=[.!?:][*_)"”]*)\s+(?=[*_"“([]*(?:[A-Z0-9]|code\b))/),
  );
  return sentences
    .map((sentence) => sentence.split(/\s+/).filter((word) => /[\p{L}\p{N}]/u.test(word)).length)
    .filter((words) => words > 0);
}

const computeMean = (counts: readonly number[]): number =>
  counts.reduce((sum, count) => sum + count, 0) / Math.max(counts.length, 1);

/** The anchor of each heading, as GitHub makes it. */
function listAnchors(file: string): string[] {
  const headings = readProse(file).matchAll(/^#+ (.*)$/gm);
  return [...headings].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}_\- ]/gu, '')
      .replaceAll(' ', '-'),
  );
}

/** Relative links of a document that lead to no file or no heading. */
function findDeadLinks(file: string): string[] {
  const links = [...readProse(file).matchAll(/\]\(([^)\s]+)\)/g)].map(([, link = '']) => link);
  return links.filter((link) => {
    if (/^https?:/.test(link)) return false;
    const [path = '', anchor] = link.split('#');
    const target = path === '' ? file : posix.join(posix.dirname(file), path);
    if (!known.has(target)) return true;
    return anchor !== undefined && !listAnchors(target).includes(anchor);
  });
}

/** What is wrong in some document, each with the name of its file. */
const findFaults = (find: (file: string) => readonly string[]): string[] =>
  documents.flatMap((file) => find(file).map((fault) => `${file}: ${fault}`));

test('lines of at most 100 columns, outside tables and code', () => {
  const isLong = (line: string): boolean =>
    [...line].length > LINE_COLUMNS && !isTableRow(line) && !isCode(line);
  expect(findFaults((file) => readProse(file).split('\n').filter(isLong))).toEqual([]);
});

test('sentences of 17 words or fewer on average in each document', () => {
  const found = findFaults((file) => {
    const mean = computeMean(countWords(file));
    return mean > SENTENCE_WORDS ? [`${mean.toFixed(1)} words`] : [];
  });
  expect(found).toEqual([]);
});

test('sentences of 15 words or fewer on average over all documents', () => {
  expect(computeMean(documents.flatMap(countWords))).toBeLessThanOrEqual(SENTENCE_WORDS_OVERALL);
});

test('every relative link leads to a file and its heading', () => {
  expect(findFaults(findDeadLinks)).toEqual([]);
});

/** Source files in code spans; `x.` stands for any resource. */
function listNamedSources(file: string): string[] {
  const spans = readProse(file).matchAll(/`((?:[\w-]+\/)+[\w.-]+\.(?:ts|mjs))`/g);
  return [...spans].map(([, path = '']) => path).filter((path) => !/\/x\./.test(path));
}

test('every source file that a document names exists', () => {
  const isThere = (path: string): boolean =>
    path.startsWith('dist/') ||
    files.some((tracked) => tracked === path || tracked.endsWith(`/${path}`));
  const found = findFaults((file) => listNamedSources(file).filter((path) => !isThere(path)));
  expect(found).toEqual([]);
});

/** What the table of words names in code: a folder or file by the end of its path, or a name. */
function listTermPlaces(): string[] {
  const [, words = ''] = readSource('docs/concepts.md').split('\n## Words\n');
  const rows = words.split('\n').filter(isTableRow);
  return rows
    .flatMap((row) => [...(row.split('|').at(-2) ?? '').matchAll(/`([^`]+)`/g)])
    .map(([, place = '']) => place)
    .filter((place) => !place.startsWith('x.'));
}

test('each word that the table of words explains has a place in the code', () => {
  const places = listTermPlaces();
  expect(places.length).toBeGreaterThan(90);
  const paths = files.map((file) => `/${file}`);
  const code = sources.map(readSource).join('\n');
  const isPath = (place: string): boolean =>
    paths.some((path) => path.includes(`/${place}/`) || `${path}.`.includes(`/${place}.`));
  const isName = (place: string): boolean => new RegExp(`\\b${place}\\b`).test(code);
  expect(places.filter((place) => !isPath(place) && !isName(place))).toEqual([]);
});

test('the README is read to its end: at most 130 lines', () => {
  expect(readSource('README.md').trimEnd().split('\n').length).toBeLessThanOrEqual(130);
});

test('plain words', () => {
  const isUnusual = (line: string): boolean => UNUSUAL_WORDS.test(line);
  expect(findFaults((file) => readProse(file).split('\n').filter(isUnusual))).toEqual([]);
});
