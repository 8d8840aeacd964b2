// `assay login` and `assay logout`: a person's session, kept in the configuration file, which its owner alone may read.
import type { Command } from 'commander';
import { Assay, type JsonObject } from '../../../sdk-typescript/src/index.ts';
import type { Io } from '../io.ts';
import { type DeviceCode, signIn } from '../login/device-flow.ts';
import { toLine } from '../output.ts';
import {
  findConfigurationPath,
  type Profile,
  readStoredProfile,
  writeProfile,
} from '../profile.ts';
import { openSession, type Session } from '../session.ts';

export function addLoginCommands(program: Command, io: Io): void {
  program
    .command('login')
    .description('sign in; a browser on any machine approves, so it works over ssh')
    .action(async (_, command: Command) => {
      const session = await openSession(io, command.optsWithGlobals());
      const { url } = session.profile;
      const { token, expiresAt } = await signIn({ url, show: (code) => showCode(code, io) });
      await writeProfile(
        io.env,
        session.profileName,
        await joinStored(session, { token, expiresAt }),
      );
      const who = await describePerson(url, token);
      const kept = { url, user: who, profile: session.profileName, expiresAt };
      session.output.print(kept, () => renderSignIn(session, who, expiresAt));
      if (io.env.ASSAY_TOKEN)
        session.output.note('ASSAY_TOKEN is set and outweighs this session: unset it');
    });
  program
    .command('logout')
    .description('end the session and forget it; keys of agents stay')
    .action(async (_, command: Command) => {
      const session = await openSession(io, command.optsWithGlobals());
      const stored = await readStoredProfile(io.env, session.profileName);
      if (stored?.token === undefined) {
        session.output.print({ ended: false }, () => 'No one is signed in here.');
        return;
      }
      const ended = await endSession(stored.url, stored.token);
      const { url, key, agent } = stored;
      const kept = { ...(key !== undefined && { key }), ...(agent !== undefined && { agent }) };
      await writeProfile(io.env, session.profileName, { url, ...kept });
      session.output.print({ ended }, () =>
        ended
          ? 'Signed out.'
          : 'Forgotten here. The service did not answer: the session ends there by itself.',
      );
    });
}

/** What stays of a profile: the key and agent of the same service. */
async function joinStored(
  { io, profile, profileName }: Session,
  session: Pick<Profile, 'token' | 'expiresAt'>,
): Promise<Profile> {
  const stored = await readStoredProfile(io.env, profileName);
  const kept = stored?.url === profile.url ? stored : {};
  return { ...kept, url: profile.url, ...session };
}

/** Written to standard error, so that it is seen where the output goes to a program. */
function showCode({ userCode, page, pageWithCode, minutes }: DeviceCode, { stderr }: Io): void {
  stderr.write(
    `Open ${page}\nand type in  ${userCode}\n\nor open ${pageWithCode}\n` +
      `Approve only if you see this code there. Waiting, at most ${minutes} minutes ...\n`,
  );
}

async function describePerson(url: string, token: string): Promise<string> {
  const { data } = await new Assay({ url, token }).send('GET', '/api/v1/auth/me');
  const user = (data.user ?? data) as JsonObject;
  return toLine(user.email ?? user.name ?? '');
}

function renderSignIn(
  { io, profile, profileName }: Session,
  who: string,
  expiresAt: string,
): string {
  const name = profileName === 'default' ? '' : ` as profile ${toLine(profileName)}`;
  return `Signed in as ${who} at ${profile.url} until ${expiresAt}.\nKept in ${findConfigurationPath(io.env)}${name}.`;
}

/** Returns whether the service ended the session. */
async function endSession(url: string, token: string): Promise<boolean> {
  try {
    await new Assay({ url, token, timeout: 5_000 }).send('POST', '/api/v1/auth/logout');
    return true;
  } catch {
    return false;
  }
}
