// What every command gets: its profile, clients for a person and for an agent, and its output.
import { Assay, type AssayOptions, type JsonObject } from '../../sdk-typescript/src/index.ts';
import type { Io } from './io.ts';
import { CommandFailure, Output } from './output.ts';
import { type Profile, readProfile, readServiceAddress } from './profile.ts';

/** Options that every command takes. */
export interface CommonOptions {
  json?: boolean;
  profile: string;
  url?: string;
}

export interface Session {
  io: Io;
  profile: Profile;
  profileName: string;
  output: Output;
}

export async function openSession(io: Io, { json, profile, url }: CommonOptions): Promise<Session> {
  const stored = await readProfile(io.env, profile, url);
  const address = readServiceAddress(io.env, stored.url, url === undefined ? 'ASSAY_URL' : '--url');
  return {
    io,
    profile: { ...stored, url: address },
    profileName: profile,
    output: new Output(json === true, io),
  };
}

/** A client for what people do. @throws CommandFailure without a session */
export function connectPerson({ io, profile: { url, token, expiresAt } }: Session): Assay {
  if (token === undefined) throw new CommandFailure('Sign in first: assay login');
  if (expiresAt !== undefined && !io.env.ASSAY_TOKEN && Date.parse(expiresAt) <= Date.now())
    throw new CommandFailure('Your session has ended. Sign in again: assay login');
  return new Assay({ url, token });
}

interface AgentOptions extends Omit<AssayOptions, 'url' | 'key' | 'agent'> {
  /** Default: that of the profile, or of the key. */
  agent?: string | undefined;
}

/** A client for what agents do. @throws CommandFailure without a key */
export function connectAgent({ profile }: Session, options: AgentOptions = {}): Assay {
  const { url, key } = profile;
  if (key === undefined)
    throw new CommandFailure('An API key is needed: set ASSAY_KEY, or run assay dev');
  const { agent = profile.agent, ...others } = options;
  return new Assay({ ...others, url, key, ...(agent === undefined ? {} : { agent }) });
}

/** Reads every page of a list. */
export async function readPages(client: Assay, path: string, limit = 1_000): Promise<JsonObject[]> {
  const found: JsonObject[] = [];
  for (let page = 1; found.length < limit; page++) {
    const mark = path.includes('?') ? '&' : '?';
    const { data } = await client.send('GET', `${path}${mark}page=${page}&limit=100`);
    const rows = (Object.values(data).find(Array.isArray) ?? []) as JsonObject[];
    found.push(...rows);
    if (rows.length < 100) break;
  }
  return found.slice(0, limit);
}
