// Scrubbing of personal data: the findings of each rule, the texts it leaves alone, and known disguises.
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { toDetectionTag } from '../src/rule.ts';
import { createScrubber, SCRUB_VERSION } from '../src/scrubber.ts';

const scrubber = createScrubber({ nationalIds: true, extended: true });
const base = createScrubber({ nationalIds: true, extended: false });

const found: readonly (readonly [text: string, scrubbed: string])[] = [
  // e-mail
  ['mail jane.doe@example.com.', 'mail [EMAIL].'],
  ["'o'hara+news@mail.example.co.uk', x", "'[EMAIL]', x"],
  ['/reset?to=jane%40example.com&x=1', '/reset?to=[EMAIL]&x=1'],
  ['JANE@EXÄMPLE.DE', '[EMAIL]'],
  ['<jane@example.com>,<joe@example.org>', '<[EMAIL]>,<[EMAIL]>'],
  // IBAN
  ['to GB82 WEST 1234 5698 7654 32 today', 'to [IBAN] today'],
  ['DE89370400440532013000', '[IBAN]'],
  ['gb82-west-1234-5698-7654-32', '[IBAN]'],
  ['NO9386011117947;MT84MALT011000012345MTLCAST001S', '[IBAN];[IBAN]'],
  // cards
  ['4111 1111 1111 1111 12/26', '[CARD] 12/26'],
  ['5555-5555-5555-4444', '[CARD]'],
  ['amex 378282246310005, diners 30569309025904', 'amex [CARD], diners [CARD]'],
  ['5,4111111111111111', '5,[CARD]'],
  ['credit_card_4111111111111111', 'credit_card_[CARD]'],
  // national id numbers: written forms
  ['SSN 123-45-6789', 'SSN [NATIONAL_ID]'],
  ['12345678Z and X1234567L', '[NATIONAL_ID] and [NATIONAL_ID]'],
  ['44051401359', '[NATIONAL_ID]'],
  ['756.9217.0769.85', '[NATIONAL_ID]'],
  ['AB 12 34 56 C', '[NATIONAL_ID]'],
  ['111.444.777-35', '[NATIONAL_ID]'],
  ['131052-308T', '[NATIONAL_ID]'],
  ['RCCMNL83S18D969H', '[NATIONAL_ID]'],
  ['880320-0016', '[NATIONAL_ID]'],
  // national id numbers: after a label
  ['ssn is 123456789', 'ssn is [NATIONAL_ID]'],
  ['BSN: 123456782', 'BSN: [NATIONAL_ID]'],
  ['ssn: 2024-05-24K', 'ssn: [NATIONAL_ID]'],
  ['{"national_id": "123456782"}', '{"national_id": "[NATIONAL_ID]"}'],
  ['Tax file number 123 456 782 please', 'Tax file number [NATIONAL_ID] please'],
  ['SSN and BSN 123456782', 'SSN and BSN [NATIONAL_ID]'],
  // telephones
  ['+1-555-123-4567', '[PHONE]'],
  ['ring +49 (0) 171 1234567.', 'ring [PHONE].'],
  ['0049 171 1234567', '[PHONE]'],
  ['(555) 123-4567 or 555.123.4567', '[PHONE] or [PHONE]'],
  ['06 12 34 56 78', '[PHONE]'],
  ['020 7946 0958', '[PHONE]'],
  ['tel: 12345678', 'tel: [PHONE]'],
  ['"phoneNumber": "5551234567"', '"phoneNumber": "[PHONE]"'],
  // the additional pass
  ['from 10.0.0.1:80', 'from [IP_ADDRESS]:80'],
  ['fe80::1ff:fe23:4567:890a, 2001:db8:0:0:0:0:2:1', '[IP_ADDRESS], [IP_ADDRESS]'],
  ['::ffff:192.168.1.10', '[IP_ADDRESS]'],
  ['born on 5 May 1990', 'born on [DATE_OF_BIRTH]'],
  ['- **Date of Birth:** 1963-01-22', '- **Date of Birth:** [DATE_OF_BIRTH]'],
  ['DOB 25/10/90, birthday: Oct 25, 1990', 'DOB [DATE_OF_BIRTH], birthday: [DATE_OF_BIRTH]'],
  ['password: hunter22x', 'password: [SECRET]'],
  ['key sk-proj-abcdefghij1234567890.', 'key [SECRET].'],
  ['eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.abc-123', '[SECRET]'],
  ['Authorization: Bearer 0a1b2c3d4e5f', 'Authorization: Bearer [SECRET]'],
  ['-----BEGIN RSA PRIVATE KEY-----\nMIIEow\n-----END RSA PRIVATE KEY----- rest', '[SECRET] rest'],
  ['postgres://app:p4ss@db.example.com/x', 'postgres://app:[SECRET]/x'],
  // disguises
  ['５５５５ ５５５５ ５５５５ ４４４４', '[CARD]'],
  ['4111\u200b1111\u200b1111\u20601111', '[CARD]'],
  ['٤١١١١١١١١١١١١١١١', '[CARD]'],
  ['555\u2011123\u20114567', '[PHONE]'],
  ['jane＠example.com', '[EMAIL]'],
  ['ja\u00adne@exam\u200dple.com', '[EMAIL]'],
  // JSON held in strings
  ['{"to":"jane\\u0040example.com"}', '{"to":"[EMAIL]"}'],
  ['{"a":"x\\n4111111111111111"}', '{"a":"x\\n[CARD]"}'],
  ['{"card":4111111111111111,"x":1}', '{"card":"[CARD]","x":1}'],
  ['"{\\"card\\": 4111111111111111}"', '"{\\"card\\": \\"[CARD]\\"}"'],
  ['{\\"dob\\": \\"1990-10-25\\"}', '{\\"dob\\": \\"[DATE_OF_BIRTH]\\"}'],
];

const left: readonly string[] = [
  'x @ y, react@18.2.0, @mention, user@localhost',
  'DE00370400440532013000',
  '4111111111111112, 1234567812345678, 0.4111111111111111',
  '$1,234,567.89 and 12 345 678 and 1.234.567,89 EUR',
  'Total $1541, fee $30, balance 0.5, (158 + 161) * 3 + 3 * 30',
  'HAT072 on 2024-05-24 at 09:00:00, flight 1998, gate B12',
  '2024-05-13T19:18:07.123Z 2024-05-13 19:18:07',
  '1715627887 and 1715627887123',
  '550e8400-e29b-41d4-a716-446655440000',
  '665f1c2ab7d84e0012ab34cd and 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
  'order 112-1234567-1234567, invoice 2024-000123, ticket 00012345678, tracking 1Z999AA10123456784',
  'gift_card_6829926, certificate_4156052, credit_card_1402274, mia_li_3668',
  '{"zip": "76143", "prices": {"basic_economy": 68, "economy": 130}, "seats": [18, 9, 9]}',
  'phone: 2024-05-24, the phone rang 12 times in 2024',
  'version 1.2.3, 1.2.3.4.5, v2.10.0-rc.1; std::vector<int>, a::b, 12:30:45',
  'The password is required; token limit 4096; api_key missing',
  'Date 1990-10-25 without a label, born in 1990',
  'ISBN 978-3-16-148410-0, EAN 4006381333931',
  'SSN is required for all, order 000-00-0000',
];

describe('detectors', () => {
  test.each(found)('%s', (text, scrubbed) => {
    expect(scrubber.scrubString(text).text).toBe(scrubbed);
  });

  test.each(left)('leaves %s', (text) => {
    expect(scrubber.scrubString(text)).toEqual({ text, detections: [] });
  });

  test('report the types, sorted and distinct, and their tags', () => {
    const { detections } = scrubber.scrubString(
      'a@b.co 555-123-4567 c@d.co DE89370400440532013000',
    );
    expect(detections).toEqual(['EMAIL', 'IBAN', 'PHONE']);
    expect(detections.map(toDetectionTag)).toEqual(['PII_EMAIL', 'PII_IBAN', 'PII_PHONE']);
  });
});

describe('options', () => {
  test('without the additional pass, secrets, addresses and dates of birth stay', () => {
    const text = 'born 1990-10-25, 10.0.0.1, password: hunter22x';
    expect(base.scrubString(text).text).toBe(text);
    expect(base.scrubString('a@b.co, SSN 123-45-6789').text).toBe('[EMAIL], SSN [NATIONAL_ID]');
  });

  test('national id numbers can be switched off, or on for some countries', () => {
    const text = 'BSN: 123456782, PESEL 44051401359';
    expect(createScrubber({ nationalIds: false, extended: true }).scrubString(text).text).toBe(
      text,
    );
    expect(createScrubber({ nationalIds: ['PL'], extended: true }).scrubString(text).text).toBe(
      'BSN: 123456782, PESEL [NATIONAL_ID]',
    );
  });

  test('the version names rules and options in characters that a chain view allows', () => {
    expect(scrubber.version).toBe(`${SCRUB_VERSION}.national-all.extended-on`);
    expect(createScrubber({ nationalIds: ['PL', 'DE', 'PL'], extended: false }).version).toBe(
      `${SCRUB_VERSION}.national-DE-PL.extended-off`,
    );
    expect(createScrubber({ nationalIds: [], extended: false }).version).toBe(
      `${SCRUB_VERSION}.national-none.extended-off`,
    );
    expect(scrubber.version).toMatch(/^[ !#-[\]-~]*$/);
  });

  test('the libraries whose data are part of the rules are pinned as the rules name them', () => {
    const read = (name: string): string =>
      readFileSync(new URL(`../../../${name}`, import.meta.url), 'utf8');
    const { dependencies } = JSON.parse(read('package.json')) as {
      dependencies: Record<string, string>;
    };
    for (const name of ['ibantools', 'libphonenumber-js', 'stdnum'])
      expect(read('docs/reference/scrubbing.md')).toContain(`${name} ${dependencies[name]}`);
    expect(read('docs/reference/scrubbing.md')).toContain(SCRUB_VERSION);
  });
});

describe('values', () => {
  test('a clean value is returned itself', () => {
    const value = { a: ['b', { c: 1, d: null, e: true }], price: 1541, at: 1715627887123 };
    expect(scrubber.scrubValue(value)).toEqual({ value, changed: [], detections: [] });
    expect(scrubber.scrubValue(value).value).toBe(value);
  });

  test('nested texts and numbers are scrubbed, with pointers; the rest keeps its identity', () => {
    const value = {
      'a/b': [{ mail: 'jane@example.com' }, 'x'],
      kept: { deep: [1] },
      card: 4111111111111111,
    };
    const scrubbed = scrubber.scrubValue(value);
    expect(scrubbed).toEqual({
      value: { 'a/b': [{ mail: '[EMAIL]' }, 'x'], kept: { deep: [1] }, card: '[CARD]' },
      changed: ['/a~1b/0/mail', '/card'],
      detections: ['CARD', 'EMAIL'],
    });
    expect((scrubbed.value as typeof value).kept).toBe(value.kept);
    expect(value.card).toBe(4111111111111111);
  });

  test('keys are scrubbed too and stay distinct; their object is listed as changed', () => {
    const value = { by: { 'jane@example.com': 1, 'joe@example.com': 2, '[EMAIL]': 3, other: 4 } };
    expect(scrubber.scrubValue(value)).toEqual({
      value: { by: { '[EMAIL] (2)': 1, '[EMAIL] (3)': 2, '[EMAIL]': 3, other: 4 } },
      changed: ['/by'],
      detections: ['EMAIL'],
    });
  });

  test('a key labels its value, also through an array', () => {
    const value = {
      ssn: '123456789',
      homePhones: ['5551234567', 5551234567],
      date_of_birth: '1990-10-25',
      userPassword: 'hunter22x',
      count: '5551234567',
    };
    expect(scrubber.scrubValue(value).value).toEqual({
      ssn: '[NATIONAL_ID]',
      homePhones: ['[PHONE]', '[PHONE]'],
      date_of_birth: '[DATE_OF_BIRTH]',
      userPassword: '[SECRET]',
      count: '5551234567',
    });
  });

  test('a key __proto__ stays a key', () => {
    const value = JSON.parse('{"__proto__": "jane@example.com"}') as { [key: string]: string };
    expect(JSON.stringify(scrubber.scrubValue(value).value)).toBe('{"__proto__":"[EMAIL]"}');
  });
});
