// Whether a JSON Web Key verifies signatures, and makes none.
import { createPublicKey } from 'node:crypto';
import { isJsonObject, type JsonObject } from '@assay/json';

export function isPublicKey(value: unknown): value is JsonObject {
  if (!isJsonObject(value) || 'd' in value || 'k' in value) return false;
  try {
    return createPublicKey({ key: value, format: 'jwk' }).type === 'public';
  } catch {
    return false;
  }
}
