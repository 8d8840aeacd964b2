// An authenticator in software: makes passkeys and signs with them, as one of hardware does (WebAuthn).
import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';
import { encode } from 'cborg';

export interface PasskeyOptions {
  rpId?: string;
  origin?: string;
  alg?: -7 | -8 | -257;
  /** A passkey that its provider copies to other devices. */
  isSynced?: boolean;
}

interface Given {
  /** Base64url. */
  challenge: string;
  isVerified?: boolean;
  origin?: string;
  rpId?: string;
  type?: string;
}

export interface Assertion {
  [name: string]: string;
  credentialId: string;
  clientDataJSON: string;
  authenticatorData: string;
  signature: string;
}

const UP = 1;
const UV = 4;
const [BACKUP_ELIGIBLE, BACKED_UP, ATTESTED] = [8, 16, 64];

const sha256 = (data: string | Uint8Array): Buffer => createHash('sha256').update(data).digest();

function generatePair(alg: -7 | -8 | -257): { publicKey: KeyObject; privateKey: KeyObject } {
  if (alg === -8) return generateKeyPairSync('ed25519');
  if (alg === -257) return generateKeyPairSync('rsa', { modulusLength: 2048 });
  return generateKeyPairSync('ec', { namedCurve: 'P-256' });
}

/** One passkey of a person. */
export class Passkey {
  readonly id = randomBytes(32);
  readonly publicKey: KeyObject;
  readonly #privateKey: KeyObject;
  readonly #options: Required<PasskeyOptions>;

  constructor({
    rpId = 'localhost',
    origin = 'http://localhost',
    alg = -7,
    isSynced = false,
  }: PasskeyOptions = {}) {
    this.#options = { rpId, origin, alg, isSynced };
    const pair = generatePair(alg);
    this.publicKey = pair.publicKey;
    this.#privateKey = pair.privateKey;
  }

  get credentialId(): string {
    return this.id.toString('base64url');
  }

  /** What an entry names it by. */
  get hash(): string {
    return sha256(this.id).toString('hex');
  }

  /** What an entry says of its key. */
  get document() {
    const { alg, rpId, isSynced } = this.#options;
    return {
      spki: this.publicKey.export({ type: 'spki', format: 'der' }).toString('base64url'),
      alg,
      rpId,
      aaguid: '00000000-0000-0000-0000-000000000000',
      deviceType: isSynced ? 'multiDevice' : 'singleDevice',
      backedUp: isSynced,
    };
  }

  /** Answers `navigator.credentials.create`. */
  register(given: Given) {
    const length = Buffer.alloc(2);
    length.writeUInt16BE(this.id.length);
    const authData = Buffer.concat([
      this.#createData(given, ATTESTED),
      Buffer.alloc(16),
      length,
      this.id,
      encode(this.#toCose()),
    ]);
    const attestationObject = encode(
      new Map<string, unknown>([
        ['fmt', 'none'],
        ['attStmt', new Map()],
        ['authData', authData],
      ]),
    );
    return {
      id: this.credentialId,
      rawId: this.credentialId,
      type: 'public-key',
      clientExtensionResults: {},
      response: {
        clientDataJSON: this.#createClientData({ type: 'webauthn.create', ...given }),
        attestationObject: Buffer.from(attestationObject).toString('base64url'),
        transports: ['internal'],
      },
    };
  }

  /** Answers `navigator.credentials.get`. */
  sign(given: Given): Assertion {
    const authenticatorData = this.#createData(given);
    const clientDataJSON = this.#createClientData({ type: 'webauthn.get', ...given });
    const hash = sha256(Buffer.from(clientDataJSON, 'base64url'));
    const signed = Buffer.concat([authenticatorData, hash]);
    const algorithm = this.#options.alg === -8 ? null : 'sha256';
    return {
      credentialId: this.credentialId,
      clientDataJSON,
      authenticatorData: authenticatorData.toString('base64url'),
      signature: sign(algorithm, signed, this.#privateKey).toString('base64url'),
    };
  }

  /** Signs a statement: its challenge is the hash of the canonical text. */
  signText(text: string, given: Partial<Given> = {}): Assertion {
    return this.sign({ challenge: sha256(text).toString('base64url'), ...given });
  }

  #createData({ isVerified = true, rpId = this.#options.rpId }: Given, more = 0): Buffer {
    const synced = this.#options.isSynced ? BACKUP_ELIGIBLE | BACKED_UP : 0;
    const flags = UP | (isVerified ? UV : 0) | synced | more;
    return Buffer.concat([sha256(rpId), Buffer.of(flags), Buffer.alloc(4)]);
  }

  #createClientData({ type, challenge, origin = this.#options.origin }: Given): string {
    const data = JSON.stringify({ type, challenge, origin, crossOrigin: false });
    return Buffer.from(data).toString('base64url');
  }

  #toCose(): Map<number, number | Buffer> {
    const { x = '', y = '', n = '', e = '' } = this.publicKey.export({ format: 'jwk' });
    const toBytes = (part: unknown): Buffer => Buffer.from(String(part), 'base64url');
    const { alg } = this.#options;
    if (alg === -7)
      return new Map<number, number | Buffer>([
        [1, 2],
        [3, alg],
        [-1, 1],
        [-2, toBytes(x)],
        [-3, toBytes(y)],
      ]);
    if (alg === -8)
      return new Map<number, number | Buffer>([
        [1, 1],
        [3, alg],
        [-1, 6],
        [-2, toBytes(x)],
      ]);
    return new Map<number, number | Buffer>([
      [1, 3],
      [3, alg],
      [-1, toBytes(n)],
      [-2, toBytes(e)],
    ]);
  }
}
