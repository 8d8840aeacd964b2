// Time-based one-time passwords (RFC 6238) with six digits, 30 seconds and SHA-1, which every authenticator supports.
import { generateSecret, generateURI, verifySync } from 'otplib';
import { toDataURL } from 'qrcode';
import type { Clock } from '../clock.ts';

export interface Totp {
  /** 160 random bits in base32. */
  generateSecret(): string;
  /** The time step of a code: the current one, the one before or after; null when the code is incorrect. */
  findStep(secret: string, code: string): number | null;
  /** The `otpauth://` URI of an account. */
  createUri(secret: string, account: string): string;
  /** A QR code as a PNG in a `data:` URL. */
  renderQrCode(uri: string): Promise<string>;
}

const ISSUER = 'Assay';
const STEP_SECONDS = 30;
const CODE = /^\d{6}$/;

export function createTotp(clock: Clock): Totp {
  return {
    generateSecret: () => generateSecret(),
    findStep(secret, token) {
      if (!CODE.test(token)) return null;
      const epoch = Math.floor(clock.now().getTime() / 1000);
      const result = verifySync({ secret, token, epoch, epochTolerance: STEP_SECONDS });
      return result.valid && 'timeStep' in result ? result.timeStep : null;
    },
    createUri: (secret, account) => generateURI({ issuer: ISSUER, label: account, secret }),
    renderQrCode: (uri) => toDataURL(uri, { errorCorrectionLevel: 'M', margin: 2 }),
  };
}
