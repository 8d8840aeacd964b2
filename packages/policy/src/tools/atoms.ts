// What is compared of the texts of an action: their folded form, and the atoms in it, which are addresses, links and accounts.
// The Python SDK has the same rules (origins.py), with the same vectors (test/vectors/sdk/origins.json).

/** Atoms that have a source each. */
export const ATOMS_MAX = 64;
const ATOM_CHARACTERS = 500;

/** A text that has one width and single spaces already. */
const PLAIN = /^[!-~]+(?: [!-~]+)*$/;

/** The form in which texts are compared: one width, one case, single spaces. */
export function foldValue(text: string): string {
  if (PLAIN.test(text)) return text.toLowerCase();
  const folded = text.normalize('NFKC').toUpperCase().toLowerCase();
  // A sigma that ends a word alone is none within a text.
  const joined = folded.replaceAll('ς', 'σ').replace(/\p{White_Space}+/gu, ' ');
  return joined.replace(/^ | $/g, '');
}

/** Endings of bare domains. Those that are also ends of file names, or members of objects in programs, are not here. */
const ENDINGS =
  'com org net edu gov mil biz io ai app dev co xyz online site shop eu uk us ca au nz de ch at fr it es pt nl be lu dk se fi ie cz ru ua cn jp kr br mx za';

/** Letters in both cases: accounts have capitals alone. */
const expandCases = (pattern: string): string =>
  pattern.replace(/[a-z]/g, (letter) => `[${letter}${letter.toUpperCase()}]`);

const WORD = '\\p{L}\\p{N}_';
const LINK = '[^\\p{White_Space}<>"]';
/** Each begins where a run of its characters does, so that the search stays linear. */
const ATOM = new RegExp(
  [
    `${expandCases('https')}?://${LINK}+`,
    `${expandCases('www')}\\.[^\\p{White_Space}<>",;)']+`,
    `(?<![${WORD}.+-])[${WORD}.+-]+@[${WORD}-]+(?:\\.[${WORD}-]+)+`,
    `(?<![${WORD}])[A-Z]{2}[0-9]{10,30}(?![${WORD}])`,
    `(?<![${WORD}.-])[${WORD}.-]*[${WORD}]\\.(?:${expandCases(ENDINGS).replaceAll(' ', '|')})(?![${WORD}])(?:/${LINK}*)?`,
  ].join('|'),
  'gu',
);
const TAIL = '.,;:!?)\'"]}>*`’”»';

/** The distinct atoms of a text, folded, in their order: one more than have a source, where there are more. */
export function listAtoms(text: string): string[] {
  const atoms = new Set<string>();
  for (const [found] of text.normalize('NFKC').matchAll(ATOM)) {
    const atom = foldValue(stripTail(found));
    if (atom !== '') atoms.add(atom);
    if (atoms.size > ATOMS_MAX) break;
  }
  return [...atoms];
}

/** The atoms that a text holds, unless it is itself the only one. */
export function listInnerAtoms(text: string): string[] {
  const atoms = listAtoms(text);
  return atoms.length === 1 && atoms[0] === foldValue(text) ? [] : atoms;
}

/** An atom without the punctuation after it, cut where it is too long. */
function stripTail(found: string): string {
  const characters = [...found.slice(0, 2 * ATOM_CHARACTERS)].slice(0, ATOM_CHARACTERS);
  while (TAIL.includes(characters.at(-1) ?? ' ')) characters.pop();
  return characters.join('');
}
