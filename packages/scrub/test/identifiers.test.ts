// Harmless identifiers stay unchanged, and the same numbers by themselves are found.
// @module-tag varied
import { createHash, randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createScrubber } from '../src/scrubber.ts';
import { chooseRuns } from '../../../test/setup/runs.ts';

const scrubber = createScrubber({ nationalIds: true, extended: true });
/** A scrubber without the extended rules, since some identifiers are IP addresses or labelled secrets. */
const base = createScrubber({ nationalIds: true, extended: false });

const innocent = `SO-47110-4111-1111-1111-1111
SO-4111-1111-1111-1111
INV-4111111111111111
order-4111111111111111
ord-2024-4111-1111-1111-1111
order_4111111111111111
req_4111111111111111
EVT_4111111111111111
https://example.com/orders/order_4111111111111111
4711-4111-1111-1111-1111-0815-2
PO-123-45-6789
RMA-880320-0016
CASE-555-123-4567
TICKET-44051401359
ticket-020-7946-0958
JOB-0049171123456
12345678-4111-4111-8111-111111111111
41111111-1111-1111-1111-111111111111
1234567A-E29B-41D4-A716-446655440000
550e8400-e29b-0123-4567-446655440000
urn:uuid:00000000-4111-1111-1111-111100000000
BE710961-2345-6769-8888-446655440000
a1b2-DE89-3704-0044-0532-0130-00
00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01
00-41111111111111114111111111111111-4111111111111111-01
1-5759e988-bd862e3fe1be46a994272793
01ARZ3NDEKTSV4RRFFQ69G5FAV
0ujtsYcgvSTl8PAuAdqWYSMnLOv
V1StGXR8-Z5jdHi6B-myT
507f1f77bcf86cd799439011
9fceb02d0ae598e95dc970b74767f19372d61af8
1.2.0+20240115123456
2.4.1-rc.3+4917112345678
2024-05-24T10:11:12.123456789Z
20240524-101112-4111111111111111
build-4111111111111-7
1Z999AA10123456784
RR-123456785-DE
JJD-0146-0000-4123-4567-8901
978-3-16-148410-0
4006381333931
4000000000013
arn:aws:ec2:eu-west-1:123456789012:instance/i-0abcdef1234567890`.split('\n');

const personal: readonly (readonly [string, string])[] = [
  ['4111-1111-1111-1111', '[CARD]'],
  ['4111 1111 1111 1111', '[CARD]'],
  ['card-4111-1111-1111-1111', 'card-[CARD]'],
  ['v2-card-4111-1111-1111-1111', 'v2-card-[CARD]'],
  ['SO-4711-card-4111111111111111', 'SO-4711-card-[CARD]'],
  ['order_card_4111111111111111', 'order_card_[CARD]'],
  ['reorder_4111111111111111', 'reorder_[CARD]'],
  ['user_4111111111111111', 'user_[CARD]'],
  ['VISA-4111111111111111', 'VISA-[CARD]'],
  ['failed-4111111111111111', 'failed-[CARD]'],
  ['4111-1111-1111-1111-12-26', '[CARD]-12-26'],
  ['4111-1111-1111-1111-123', '[CARD]-123'],
  ['4111-1111-1111-1111 - 5555-5555-5555-4444', '[CARD] - [CARD]'],
  ['order 47110: 4111-1111-1111-1111', 'order 47110: [CARD]'],
  ['4222222222222', '[CARD]'],
  ['SSN-123-45-6789', 'SSN-[NATIONAL_ID]'],
  ['TEL-555-123-4567', 'TEL-[PHONE]'],
  ['555-123-4567-x12', '[PHONE]-x12'],
  ['fax+49 171 1234567', 'fax[PHONE]'],
  ['INV-2024-DE89370400440532013000', 'INV-2024-[IBAN]'],
  ['gb82-west-1234-5698-7654-32', '[IBAN]'],
];

describe('identifiers', () => {
  it.each(innocent)('%s stays', (text) => {
    for (const around of [text, `see ${text}, please`, `{"ref":"${text}"}`])
      expect(scrubber.scrubString(around).text).toBe(around);
  });

  it.each(personal)('%s becomes %s', (text, scrubbed) => {
    expect(scrubber.scrubString(text).text).toBe(scrubbed);
  });
});

const numRuns = chooseRuns(300, 5_000);
/** Mostly digits and few letters, which look most like numbers. */
const hex = (length: number): fc.Arbitrary<string> =>
  fc.string({
    unit: fc.constantFrom(...'00112233445566778899af'),
    minLength: length,
    maxLength: length,
  });
const uuids = fc.tuple(hex(8), hex(4), hex(4), hex(4), hex(12)).map((groups) => groups.join('-'));

describe('of any kind', () => {
  it('UUIDs stay, in either case, also behind a label', () => {
    const written = fc.tuple(
      fc.oneof(
        uuids,
        fc.constant(null).map(() => randomUUID()),
      ),
      fc.constantFrom('', 'id ', 'urn:uuid:', 'phone: ', 'ssn: ', 'card '),
      fc.boolean(),
    );
    fc.assert(
      fc.property(written, ([id, before, isUpper]) => {
        const text = before + (isUpper ? id.toUpperCase() : id);
        expect(base.scrubString(text).text).toBe(text);
      }),
      { numRuns },
    );
  });

  it('hashes, trace contexts and numbered orders stay', () => {
    const digest = fc.string().map((text) => createHash('sha1').update(text).digest('hex'));
    const context = fc
      .tuple(hex(32), hex(16))
      .map(([trace, span]) => `00-a${trace.slice(1)}-${span}-01`);
    const numbers = fc.array(
      hex(4).map((text) => text.replace(/\D/g, '0')),
      { minLength: 2, maxLength: 6 },
    );
    const order = fc.tuple(fc.constantFrom('SO', 'INV', 'order', 'ref'), numbers);
    const written = fc.oneof(
      digest,
      context,
      order.map(([word, groups]) => `${word}-47-${groups.join('-')}`),
    );
    fc.assert(
      fc.property(written, (text) => {
        expect(base.scrubString(text).text).toBe(text);
      }),
      { numRuns },
    );
  });
});
