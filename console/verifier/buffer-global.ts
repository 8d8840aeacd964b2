// The verifier speaks of bytes as Node.js does; this is the same class for browsers. It is imported before everything else.
import { Buffer } from 'buffer/';

globalThis.Buffer = Buffer as unknown as typeof globalThis.Buffer;
