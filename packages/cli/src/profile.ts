// Where the service is and who asks: the environment first, then a profile of the configuration file.
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { CommandFailure } from './output.ts';

export interface Profile {
  url: string;
  /** A session token, of a person. */
  token?: string;
  /** An API key. */
  key?: string;
  /** The agent that decisions name. */
  agent?: string;
}

interface ConfigurationFile {
  profiles: Record<string, Profile>;
}

const DEFAULT_URL = 'http://127.0.0.1:3000';

export function findConfigurationPath(): string {
  const { XDG_CONFIG_HOME } = process.env;
  return join(XDG_CONFIG_HOME || join(homedir(), '.config'), 'assay', 'config.json');
}

/** Reads a profile; one that is not stored is empty. */
export async function readProfile(name: string): Promise<Profile> {
  const stored = (await readConfiguration()).profiles[name];
  const { ASSAY_URL, ASSAY_TOKEN, ASSAY_KEY, ASSAY_AGENT } = process.env;
  const profile: Profile = { ...stored, url: ASSAY_URL ?? stored?.url ?? DEFAULT_URL };
  if (ASSAY_TOKEN) profile.token = ASSAY_TOKEN;
  if (ASSAY_KEY) profile.key = ASSAY_KEY;
  if (ASSAY_AGENT) profile.agent = ASSAY_AGENT;
  return profile;
}

/** Writes a profile to the file, which its owner alone may read. */
export async function writeProfile(name: string, profile: Profile): Promise<void> {
  const path = findConfigurationPath();
  const { profiles } = await readConfiguration();
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const text = `${JSON.stringify({ profiles: { ...profiles, [name]: profile } }, null, 2)}\n`;
  await writeFile(`${path}.new`, text, { mode: 0o600 });
  await rename(`${path}.new`, path);
}

async function readConfiguration(): Promise<ConfigurationFile> {
  const path = findConfigurationPath();
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
