// The keys of token issuers that users configure: discovered, kept for minutes, and asked for again once a minute at most.
import { createLocalJWKSet, errors, type JWTVerifyGetKey } from 'jose';
import { LRUCache } from 'lru-cache';
import { isJsonObject, type Json, type JsonObject } from '@assay/json';
import type { PublicKeySet } from '../../domain/workload/foreign-token.ts';
import { AppError } from '../../errors.ts';
import type { Clock } from '../clock.ts';
import type { Fetch } from './identity-providers.ts';

interface Kept {
  keys: Promise<JWTVerifyGetKey>;
  askedAt: number;
}

const DISCOVERY = '/.well-known/openid-configuration';
const KEPT_MS = 10 * 60_000;
/** The pause after a request, also for an unknown key or a failure: tokens choose their `kid`. */
const REST_MS = 60_000;
const MAX_ISSUERS = 1000;
const MAX_KEYS = 100;
/** What the keys of a set may be for: SPIFFE names its own use. */
const USES: readonly unknown[] = [undefined, 'sig', 'jwt-svid'];

/** Opens a key set; what is no key for signatures is left out. @throws Error */
export function openKeySet({ keys }: PublicKeySet): JWTVerifyGetKey {
  const usable = keys.filter(({ use }) => USES.includes(use)).slice(0, MAX_KEYS);
  return createLocalJWKSet({
    keys: usable.map(({ use: _use, key_ops: _operations, ...key }) => key as never),
  });
}

/** `fetch` decides which addresses may be reached; it follows no redirect, and bounds bytes and time. */
export function createIssuerKeys({ fetch, clock }: { fetch: Fetch; clock: Clock }) {
  const known = new LRUCache<string, Kept>({ max: MAX_ISSUERS });
  const now = (): number => clock.now().getTime();

  async function readJson(url: string): Promise<JsonObject> {
    const response = await fetch(url, { headers: { accept: 'application/json' } });
    if (response.status !== 200) throw new Error(`status ${response.status}`);
    const read = (await response.json()) as Json;
    if (!isJsonObject(read)) throw new Error('not an object');
    return read;
  }

  async function fetchKeys(issuer: string): Promise<JWTVerifyGetKey> {
    const { issuer: name, jwks_uri: url } = await readJson(issuer.replace(/\/$/, '') + DISCOVERY);
    if (name !== issuer) throw new Error('its metadata names another issuer');
    if (typeof url !== 'string') throw new Error('its metadata names no key set');
    const { keys } = await readJson(url);
    if (!Array.isArray(keys)) throw new Error('its key set is none');
    return openKeySet({ keys: keys.filter(isJsonObject) });
  }

  /** @throws AppError `IDENTITY_PROVIDER_UNAVAILABLE`, `SSRF_BLOCKED` */
  function ask(issuer: string): Kept {
    const keys = fetchKeys(issuer).catch((cause: unknown) => {
      if (cause instanceof AppError) throw cause;
      throw new AppError('IDENTITY_PROVIDER_UNAVAILABLE', 'The keys of the issuer cannot be read', {
        cause,
      });
    });
    // Those who wait for it hear of a failure.
    keys.catch(() => undefined);
    const asked = { keys, askedAt: now() };
    known.set(issuer, asked);
    return asked;
  }

  function getKept(issuer: string, keptMs: number): Kept {
    const kept = known.get(issuer);
    return kept && now() - kept.askedAt < keptMs ? kept : ask(issuer);
  }

  async function find(
    issuer: string,
    keptMs: number,
    [header, token]: Parameters<JWTVerifyGetKey>,
  ): Promise<Awaited<ReturnType<JWTVerifyGetKey>>> {
    const keys = await getKept(issuer, keptMs).keys.catch((error: unknown) => {
      // A failure is asked about again after the rest, not after the time that keys are kept.
      const kept = known.get(issuer);
      if (kept && now() - kept.askedAt >= REST_MS) return ask(issuer).keys;
      throw error;
    });
    return keys(header, token);
  }

  return {
    /** Finds the key of a token: asks the issuer again where it is unknown. */
    getKeySet:
      (issuer: string): JWTVerifyGetKey =>
      async (...token) => {
        try {
          return await find(issuer, KEPT_MS, token);
        } catch (error) {
          if (!(error instanceof errors.JWKSNoMatchingKey)) throw error;
          return find(issuer, REST_MS, token);
        }
      },
  };
}
