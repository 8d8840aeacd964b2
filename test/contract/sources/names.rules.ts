// How the code reads: functions are verbs, comments are sentences, and no one needs a private vocabulary.
import { expect, test } from 'vitest';
import ts from 'typescript';
import { consoleSources, files, readSource, sources, UNUSUAL_WORDS, visitAll } from './sources.ts';

/** Ceilings, in per cent. They fall with the code and never rise. */
const MAY_LACK_VERB = 4;
const MAY_END_IN_PREPOSITION = 0.2;
const MAY_BE_SHORT = 1;
const MAY_BEGIN_WITH_PREPOSITION = 0.3;
/** Uses in code, tests and documents: an example text, a recipe that old bundles hold, and the list of the words itself. */
const MAY_BE_UNUSUAL = 20;
const SHORT = 4;

const VERBS = new Set(
  `accept acquire add allocate answer append apply approve archive ask assert assign attach attempt
  attest authenticate authorize await backfill begin bind block build bundle calculate call cancel
  capture change check choose claim clamp clean clear clone close collect commit compare compile
  complete compose compress compute confirm connect consume convert copy count create debounce
  decide decode decompress decrypt define delete deliver deny derive describe deserialize destroy
  detach detect disable disclose discard disconnect dispatch do draft draw drain drop emit enable
  encode encrypt end enqueue ensure enter enumerate erase escalate escape estimate evaluate evict
  execute exit expand expire explain export extend extract fail fetch fill filter find finish
  flatten flush fold follow forget fork format forward free from generate get give grant group
  guard handle has hash hide hold identify ignore import increment index init insert inspect
  intersect invalidate invite invoke is issue iterate join judge keep label limit link list listen load
  lock log login logout look lookup lower make map mark mask match may measure merge migrate mint
  mount move must mute narrow negotiate normalize note notify omit on open order pack page paginate
  park parse partition pass patch pause perform persist pick plan poll pop post prepare prepend
  print process produce project promote provide prune publish pull purge push put quarantine query
  queue raise rank read rebuild receive recompute reconcile record recover redact redeem redirect
  reduce refill refresh refuse register reject release reload remember remove rename render renew
  reopen replace replay reply report request require reserve reset resolve respond restart restore
  resume retain retry return reuse revert review revoke rewrite roll rotate round route run sample
  sanitize save scan schedule score scrub seal search seed select send serialize serve set settle
  shift should show shutdown sign skip sleep slice sort spawn split spool stamp start stop store
  stream stringify strip submit subscribe subtract sum suspend swap sweep switch sync take tally
  terminate test thin throttle throw to toggle tokenize touch track transfer transform translate
  trim truncate try unlock unmute unpack unregister unseal unsubscribe unwrap update upload upsert use
  validate verify visit wait wake walk warm warn watch withdraw with wrap write yield`.split(/\s+/),
);

const beginsWithVerb = (name: string): boolean => VERBS.has(/^[_#]*([a-z]+)/.exec(name)?.[1] ?? '');
const endsInPreposition = (name: string): boolean =>
  /Of$|^(of|in|at|by|to|on)$/.test(name) ||
  (/(In|For|By|At|With|On)$/.test(name) && !beginsWithVerb(name));

/** The name of a function, a method, or a constant that holds an arrow function. */
function findFunctionName(node: ts.Node): string | null {
  const isNamed = ts.isFunctionDeclaration(node) || ts.isMethodDeclaration(node);
  if (isNamed && node.name && ts.isIdentifier(node.name)) return node.name.text;
  if (!ts.isVariableDeclaration(node) || !ts.isIdentifier(node.name)) return null;
  return node.initializer && ts.isArrowFunction(node.initializer) ? node.name.text : null;
}

const listNames = (among: readonly string[]): string[] =>
  among.flatMap((file) => {
    const found: string[] = [];
    visitAll(file, (node) => {
      const name = findFunctionName(node);
      if (name !== null) found.push(name);
    });
    return found;
  });

const names = listNames(sources);
/** A component is a value: it is named by a noun, with a capital. Two names are those of the libraries. */
const isOwnName = (name: string): boolean =>
  !/^[A-Z]/.test(name) && !['beforeLoad', 'mutationFn'].includes(name);
const consoleNames = listNames(consoleSources).filter(isOwnName);
const comments = sources.flatMap((file) =>
  [...readSource(file).matchAll(/(?:\/\/|\/\*\*)\s*([A-Za-z][^\n]*)/g)].map(
    ([, text = '']) => text,
  ),
);

const measureShare = (some: readonly string[], all: readonly string[]): number =>
  (100 * some.length) / all.length;

test.each([
  ['begins with no verb', MAY_LACK_VERB, (name: string) => !beginsWithVerb(name)],
  ['ends in a preposition', MAY_END_IN_PREPOSITION, endsInPreposition],
  ['is short', MAY_BE_SHORT, (name: string) => name.length <= SHORT],
])('hardly any function name %s', (_, ceiling, isPoor) => {
  const poor = names.filter(isPoor);
  expect(measureShare(poor, names), poor.join(' ')).toBeLessThanOrEqual(ceiling);
});

test('functions of the console begin with a verb, unless they are components', () => {
  const poor = consoleNames.filter((name) => !beginsWithVerb(name) || endsInPreposition(name));
  expect(poor).toEqual([]);
});

test('hardly any comment begins with a bare preposition', () => {
  const poor = comments.filter((text) => /^(Of|By|At|In|To|For|With|From|On)\b/.test(text));
  expect(measureShare(poor, comments), poor.join('\n')).toBeLessThanOrEqual(
    MAY_BEGIN_WITH_PREPOSITION,
  );
});

test('code, tests and documents use plain words', () => {
  const every = new RegExp(UNUSUAL_WORDS, 'gi');
  const read = files.filter((file) =>
    /^(src|test|docs|console|packages\/(?!cli\/|sdk-)[^/]+)\/.*\.(tsx?|md)$|^[A-Z]+\.md$/.test(
      file,
    ),
  );
  const found = read.flatMap((file) =>
    [...readSource(file).matchAll(every)].map(([word]) => `${file}: ${word}`),
  );
  expect(found.length, found.join('\n')).toBeLessThanOrEqual(MAY_BE_UNUSUAL);
});
