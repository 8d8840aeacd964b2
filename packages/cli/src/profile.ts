// Where the service is and who asks: the environment first, then a profile of the configuration file.
import { randomUUID } from 'node:crypto';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Io } from './io.ts';
import { CommandFailure } from './output.ts';

export interface Profile {
  url: string;
  /** A session token, of a person. */
  token?: string;
  /** When the session ends; ISO 8601. */
  expiresAt?: string;
  /** An API key. */
  key?: string;
  /** The agent that decisions name. */
  agent?: string;
}

type Env = Io['env'];

interface ConfigurationFile {
  profiles: Record<string, Profile>;
}

const DEFAULT_URL = 'http://127.0.0.1:3000';

export function findConfigurationPath({ XDG_CONFIG_HOME }: Env): string {
  return join(XDG_CONFIG_HOME || join(homedir(), '.config'), 'assay', 'config.json');
}

/** Returns the folder of what one run keeps for the next. */
export function findStateFolder({ XDG_STATE_HOME }: Env): string {
  return join(XDG_STATE_HOME || join(homedir(), '.local', 'state'), 'assay');
}

/** Returns an address. @throws CommandFailure for what is none */
export function readAddress(text: string, name: string): string {
  if (!URL.canParse(text) || !/^https?:$/.test(new URL(text).protocol))
    throw new CommandFailure(`${name} is an address such as https://assay.example.com`);
  return text;
}

/** Addresses of this machine, where nobody listens in. */
const LOOPBACK = /^(localhost|.*\.localhost|127(\.\d+){3}|\[::1\])$/;

/**
 * Returns the address of the service, without a slash at its end.
 * @throws CommandFailure for what is none, and where a key would travel for all to read
 */
export function readServiceAddress(env: Env, text: string, name: string): string {
  const { protocol, hostname } = new URL(readAddress(text, name));
  const isOpen = protocol === 'http:' && !LOOPBACK.test(hostname);
  if (isOpen && env[OPEN_HTTP] !== '1')
    throw new CommandFailure(
      `${name} is ${text}: keys and sessions would travel unencrypted. Use https, or set ${OPEN_HTTP}=1 where the network is your own`,
    );
  return text.replace(/\/+$/, '');
}

/** Allows plain HTTP beyond this machine. */
const OPEN_HTTP = 'ASSAY_PLAIN_HTTP';

/** Whether two addresses are of one service. */
const isSame = (one: string, other: string): boolean =>
  URL.canParse(one) && URL.canParse(other) && toKey(one) === toKey(other);

const toKey = (address: string): string => new URL(address).href.replace(/\/+$/, '');

/** Reads a profile as it is kept, without the environment. */
export async function readStoredProfile(env: Env, name: string): Promise<Profile | undefined> {
  return (await readConfiguration(env)).profiles[name];
}

/**
 * Reads a profile; one that is not stored is empty. Its session and key go to its own address alone.
 * @param given an address that outweighs the profile's; default: ASSAY_URL
 */
export async function readProfile(env: Env, name: string, given?: string): Promise<Profile> {
  const kept = await readStoredProfile(env, name);
  const { ASSAY_URL, ASSAY_TOKEN, ASSAY_KEY, ASSAY_AGENT } = env;
  const home = kept?.url ?? DEFAULT_URL;
  const url = given || ASSAY_URL || home;
  const profile: Profile = isSame(url, home) ? { ...kept, url } : { url };
  if (ASSAY_TOKEN) profile.token = ASSAY_TOKEN;
  if (ASSAY_KEY) profile.key = ASSAY_KEY;
  if (ASSAY_AGENT) profile.agent = ASSAY_AGENT;
  return profile;
}

/** Writes a profile to the file, which its owner alone may read. */
export async function writeProfile(env: Env, name: string, profile: Profile): Promise<void> {
  const path = findConfigurationPath(env);
  const { profiles } = await readConfiguration(env);
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const text = `${JSON.stringify({ profiles: { ...profiles, [name]: profile } }, null, 2)}\n`;
  // A name of its own: two commands may write at the same moment.
  const made = `${path}.${randomUUID()}`;
  await writeFile(made, text, { mode: 0o600 });
  await rename(made, path);
}

async function readConfiguration(env: Env): Promise<ConfigurationFile> {
  const path = findConfigurationPath(env);
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null;
    throw error;
  });
  if (text === null) return { profiles: {} };
  try {
    const { profiles } = JSON.parse(text) as Partial<ConfigurationFile>;
    return { profiles: profiles ?? {} };
  } catch {
    throw new CommandFailure(`${path} is no JSON: mend or remove it`);
  }
}
