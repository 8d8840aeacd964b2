// Sends mail by SMTP; without a mail server, writes it to files that are kept for a day.
import { mkdir, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createTransport } from 'nodemailer';
import type { Clock } from '../clock.ts';
import { generateHex } from '../ids.ts';

export interface Mail {
  /** A single address, never parsed as a list. */
  to: string;
  subject: string;
  text: string;
  html: string;
  attachment?: { filename: string; contentType: string; content: Buffer } | undefined;
  /** The id of the record that it is about. */
  about?: string | undefined;
}

export interface Mailer {
  /** Resolves when the server has accepted the mail. @throws Error otherwise; the outbox retries */
  sendMail(mail: Mail): Promise<void>;
  /** Counts the files here that are about some records. */
  countAbout(ids: readonly string[]): Promise<number>;
  /** Removes files older than a day; the tokens in them have expired. */
  prune(): Promise<void>;
  close(): void;
}

/** The sum is shorter than the lease of an outbox row. */
const TIMEOUTS = {
  connectionTimeout: 10_000,
  greetingTimeout: 10_000,
  socketTimeout: 20_000,
  dnsTimeout: 10_000,
};
/** How long a mail is kept as a file. */
const KEPT_MS = 24 * 3600_000;
/** The name of a file begins with the id of what it is about. */
const ABOUT = /^([A-Za-z0-9_]{1,64})-[0-9a-f]+\.eml$/;
const SAFE = { disableFileAccess: true, disableUrlAccess: true };

export function createMailer({
  smtpUrl,
  from,
  folder,
  log,
  clock,
}: {
  /** `smtp:` or `smtps:` URL, with user and password where needed; undefined: files. */
  smtpUrl: string | undefined;
  from: string;
  /** Where files are written. */
  folder: string;
  log: { info(details: object, text: string): void };
  clock: Clock;
}): Mailer {
  const toMessage = ({ to, subject, text, html, attachment }: Mail) => ({
    from: { name: 'Assay', address: from },
    // An object, because a string would be parsed as a list of addresses.
    to: { name: '', address: to },
    subject,
    text,
    html,
    ...(attachment && { attachments: [attachment] }),
  });
  if (smtpUrl !== undefined) {
    const transport = createTransport({ url: smtpUrl, ...TIMEOUTS, ...SAFE });
    return {
      sendMail: async (mail) => void (await transport.sendMail(toMessage(mail))),
      countAbout: () => Promise.resolve(0),
      prune: () => Promise.resolve(),
      close: () => transport.close(),
    };
  }
  const transport = createTransport({ streamTransport: true, buffer: true, ...SAFE });
  return {
    async sendMail(mail) {
      const { message } = await transport.sendMail(toMessage(mail));
      await mkdir(folder, { recursive: true, mode: 0o700 });
      const name = `${generateHex(12)}.eml`;
      const named = `${mail.about ?? ''}-${name}`;
      const path = join(folder, ABOUT.test(named) ? named : name);
      await writeFile(path, message as Buffer, { mode: 0o600, flag: 'wx' });
      log.info({ to: mail.to, path }, 'mail written to a file');
    },
    async countAbout(ids) {
      const names = await readdir(folder).catch(() => []);
      const wanted = new Set<string | undefined>(ids);
      return names.filter((name) => wanted.has(ABOUT.exec(name)?.[1])).length;
    },
    async prune() {
      const before = clock.now().getTime() - KEPT_MS;
      const names = await readdir(folder).catch(() => []);
      for (const name of names.filter((one) => one.endsWith('.eml'))) {
        const path = join(folder, name);
        const { mtimeMs } = await stat(path);
        if (mtimeMs < before) await rm(path);
      }
    },
    close: () => transport.close(),
  };
}
