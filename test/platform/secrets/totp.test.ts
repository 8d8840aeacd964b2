// Time-based codes: those of RFC 6238, one step of tolerance to each side, and invalid codes.
import { generateSync } from 'otplib';
import { expect, test } from 'vitest';
import { createTotp } from '../../../src/platform/secrets/totp.ts';

// RFC 6238, appendix B: the ASCII key 12345678901234567890, in base32.
const RFC_SECRET = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ';
const at = (seconds: number) => createTotp({ now: () => new Date(seconds * 1000) });

test.each([
  [59, '287082'],
  [1_111_111_109, '081804'],
  [1_111_111_111, '050471'],
  [1_234_567_890, '005924'],
  [2_000_000_000, '279037'],
  [20_000_000_000, '353130'],
])('at %d seconds the code is %s', (seconds, code) => {
  expect(at(seconds).findStep(RFC_SECRET, code)).toBe(Math.floor(seconds / 30));
});

test('codes of neighbouring steps are accepted with their step; others are not', () => {
  const epoch = 1_700_000_010;
  const step = Math.floor(epoch / 30);
  const found = [-2, -1, 0, 1, 2].map((distance) =>
    at(epoch).findStep(
      RFC_SECRET,
      generateSync({ secret: RFC_SECRET, epoch: epoch + 30 * distance }),
    ),
  );
  expect(found).toEqual([null, step - 1, step, step + 1, null]);
});

test.each(['', '12345', '1234567', 'abcdef', '１２３４５６', '12 456'])('%j is no code', (code) => {
  expect(at(59).findStep(RFC_SECRET, code)).toBeNull();
});

test('a new secret has 160 bits, and its URI and QR code contain it', async () => {
  const totp = at(59);
  const secret = totp.generateSecret();
  expect(secret).toMatch(/^[A-Z2-7]{32}$/);
  expect(totp.generateSecret()).not.toBe(secret);
  const uri = totp.createUri(secret, 'ada+test@example.com');
  expect(uri).toContain('otpauth://totp/Assay:ada%2Btest%40example.com?');
  expect(new URL(uri).searchParams.get('secret')).toBe(secret);
  expect(await totp.renderQrCode(uri)).toMatch(/^data:image\/png;base64,iVBOR/);
});
