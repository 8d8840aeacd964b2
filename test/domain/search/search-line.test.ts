// The search line of the console: what is written is read as it was, and what cannot be searched says what would be right.
// @module-tag varied
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { FIELD_NAMES, lookUpField } from '../../../console/src/parts/search/search-fields.ts';
import {
  parseLine,
  printLine,
  type SearchPart,
} from '../../../console/src/parts/search/search-line.ts';
import { addParts } from '../../../console/src/parts/search/search-slots.ts';
import {
  type KnownNames,
  resolveTimes,
  translateParts,
} from '../../../console/src/parts/search/trace-filters.ts';
import { chooseRuns } from '../../setup/runs.ts';

const ID = '6b0ada84f0a1b2c3d4e5f601';
const KNOWN: KnownNames = {
  policies: new Map([['Money out', ID]]),
  workspaces: new Map([['Production', ID]]),
};
const translate = (line: string) => translateParts(parseLine(line), KNOWN);

test.each([
  ['tool:cancel_*', { tool: 'cancel_*' }],
  ['status:held', { status: 'flagged' }],
  ['Status:Flagged', { status: 'flagged' }],
  ['verdict=blocked', { status: 'blocked' }],
  ['policy:"Money out"', { policyId: ID }],
  [`policy:${ID}`, { policyId: ID }],
  ['policy:“Money out”', { policyId: ID }],
  ['workspace:Production', { workspaceId: ID }],
  ['held>1h', { heldSeconds: 3600 }],
  ['amount>=500 amount:<=900.5', { minAmount: 500, maxAmount: 900.5 }],
  ['amount:12', { minAmount: 12, maxAmount: 12 }],
  ['confidence<0.7', { maxConfidence: 0.7 - 2 ** -53 }],
  ['confidence>0', { minConfidence: Number.MIN_VALUE }],
  ['agent:support-bot tag:PII_EMAIL', { agentId: 'support-bot', tag: 'PII_EMAIL' }],
  ['session:"chat 4711 <b>"', { sessionId: 'chat 4711 <b>' }],
  [
    'by:person corrected:yes observed:no',
    {
      decidedBy: 'person',
      humanOverride: 'true',
      observed: 'false',
    },
  ],
  ['refund "a phrase" -without -"two words"', { text: 'refund "a phrase" -without -"two words"' }],
  ['"order:47110" "-1"', { text: 'order:47110 "-1"' }],
  [String.raw`"said \"no\" twice"`, { text: '"said  no  twice"' }],
  [
    'since:2026-11-30 until:2026-12-01T10:00:00Z',
    {
      dateFrom: '2026-11-30',
      dateTo: '2026-12-01T10:00:00Z',
    },
  ],
  ['  ', {}],
])('%s', (line, filters) => {
  const { faults, ...found } = translate(line);
  expect([...faults.values()]).toEqual([]);
  expect(found).toEqual({ filters, isWaiting: false });
});

test('a span goes back from the time of the request', () => {
  const now = Date.parse('2026-11-30T12:00:00Z');
  const { filters } = translate('since:7d until:1h');
  expect(resolveTimes(filters, now)).toEqual({
    dateFrom: '2026-11-23T12:00:00.000Z',
    dateTo: '2026-11-30T11:00:00.000Z',
  });
});

const FAULTS: readonly [line: string, said: RegExp][] = [
  ['polcy:x', /no field polcy\. Did you mean policy, as in policy:"Money out"\?.*"polcy:x"/],
  ['tol:x', /Did you mean tool, as in tool:/],
  ['https://a.example', /no field https\. To search for the text, put it in quotes: "https:/],
  ['order:"a b', /no field order/],
  ['tool:', /tool has no value: write it as tool:cancel_\*/],
  ['policy:""', /policy has no value: write it as policy:"Money out"/],
  ['policy:"Money out', /quotes are not closed: add "/],
  ['"a phrase', /quotes are not closed/],
  ['""', /nothing between the quotes/],
  ['-"  "', /nothing between the quotes/],
  ['status:open', /status is one of held, approved, blocked/],
  ['by:robot', /by is one of person, policy, undecided/],
  ['status>held', /status is not compared by >: write it as status:held/],
  ['held:1h', /held is not compared by :: write it as held>1h/],
  ['held<1h', /held is not compared by </],
  ['held>soon', /held takes a span, such as held>30m/],
  ['held>0h', /held takes a span/],
  ['since:yesterday', /since takes a span such as since:7d or since:12h, or a day/],
  ['since:2026-02-31', /or a day such as since:2026-11-30/],
  ['since:99999w', /since takes a span/],
  ['until:2026-11-30T10:00', /until takes a span/],
  ['amount>lots', /amount is compared with a number, such as amount>=500/],
  ['amount>1,000', /amount is compared with a number/],
  ['amount>-1', /amount is compared with a number/],
  ['amount<0', /No amount is below 0/],
  ['amount>NaN', /amount is compared with a number/],
  ['confidence<70', /between 0 and 1, such as confidence<0\.7/],
  ['confidence>1', /No confidence is beyond that/],
  ['-status:held', /Only words can be left out, as in -refund/],
  ['-foo:bar', /in quotes to leave it out as a text: -"foo:bar"/],
  ['status:held status:blocked', /status stands in the line already: keep one/],
  ['amount>1 amount>=2', /amount stands in the line already/],
  ['amount:1 amount<2', /amount stands in the line already/],
  ['policy:"Money in"', /no policy called Money in: choose one that is suggested/],
  ['workspace:Nowhere', /no workspace called Nowhere/],
  ['-refund', /Only what is left out stands here: add a word/],
  ['x'.repeat(501), /500 characters at most/],
  [`tool:${'x'.repeat(201)}`, /200 characters at most/],
];
test.each(FAULTS)('at fault: %s', (line, said) => {
  const { faults } = translate(line);
  expect([...faults.values()]).toEqual([expect.stringMatching(said)]);
});

test('what is not known yet is waited for', () => {
  const parts = parseLine('policy:"Money out" status:held');
  const { filters, faults, isWaiting } = translateParts(parts, { ...KNOWN, policies: null });
  expect({ filters, faults: faults.size, isWaiting }).toEqual({
    filters: { status: 'flagged' },
    faults: 0,
    isWaiting: true,
  });
});

test('an added part takes the place of what it contradicts', () => {
  const add = (line: string, more: string) => printLine(addParts(parseLine(line), parseLine(more)));
  expect(add('status:held a b', 'status:blocked a')).toBe('b status:blocked a');
  expect(add('amount>=5 amount<9', 'amount>6')).toBe('amount<9 amount>6');
  expect(add('amount>=5 amount<9', 'amount:7')).toBe('amount:7');
  expect(add('a -a', 'a')).toBe('-a a');
});

const text = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 20 }),
  fc.string({
    unit: fc.constantFrom(' ', '"', '”', '\\', '-', ':', '<', '=', 'a', '\n', '\u202e', '*'),
    maxLength: 12,
  }),
);
const part: fc.Arbitrary<SearchPart> = fc.oneof(
  fc.record({
    kind: fc.constant('text' as const),
    text: text.filter((one) => one.trim() !== ''),
    isWithout: fc.boolean(),
  }),
  fc
    .constantFrom(...FIELD_NAMES.filter((name) => !lookUpField(name).choices))
    .chain((field) =>
      fc.record({
        kind: fc.constant('field' as const),
        field: fc.constant(field),
        operator: fc.constantFrom(...lookUpField(field).operators),
        value: text
          .filter((one) => one.trim() !== '')
          .map((one) => (lookUpField(field).findFault?.(one, ':') ? '1' : one)),
      }),
    )
    .filter(
      ({ field, operator }) => (field !== 'confidence' && field !== 'amount') || operator === '>=',
    ),
);

test('a line is read as the parts that it was written from', () => {
  fc.assert(
    fc.property(fc.array(part, { maxLength: 8 }), (parts) => {
      expect(parseLine(printLine(parts))).toEqual(parts);
    }),
    { numRuns: chooseRuns(300, 20_000) },
  );
});

test('whatever is typed is read without a failure, and written so that it is read the same', () => {
  const typed = fc.oneof(
    text,
    fc.array(fc.oneof(text, fc.constantFrom('tool:', 'status:held', '-', 'amount>', 'since:7d'))),
  );
  fc.assert(
    fc.property(typed, (given) => {
      const line = printLine(parseLine([given].flat().join(' ')));
      expect(printLine(parseLine(line))).toBe(line);
      translate(line);
    }),
    { numRuns: chooseRuns(300, 20_000) },
  );
});
