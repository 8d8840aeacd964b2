// A mail server that receives what the app sends, and reads it.
import type { AddressInfo } from 'node:net';
import PostalMime, { type Email } from 'postal-mime';
import { SMTPServer } from 'smtp-server';
import { INTERNAL, MAIL, RECEIVERS } from '../../../src/platform/outbox/pools.ts';
import type { Harness } from '../harness.ts';

export interface ReceivedMail extends Email {
  /** Whom the envelope names, which decides where it goes. */
  recipients: string[];
  raw: string;
}

export interface MailServer {
  url: string;
  received: ReceivedMail[];
  /** The newest mail to an address. */
  findNewest(address: string): ReceivedMail;
  close(): Promise<void>;
}

/** Without encryption and without a password, on the loopback. */
export async function startMailServer(): Promise<MailServer> {
  const received: ReceivedMail[] = [];
  const server = new SMTPServer({
    disabledCommands: ['AUTH', 'STARTTLS'],
    onData(stream, session, done) {
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('end', () => {
        const raw = Buffer.concat(chunks).toString();
        const recipients = session.envelope.rcptTo.map(({ address }) => address);
        PostalMime.parse(raw).then((mail) => {
          received.push({ ...mail, recipients, raw });
          done();
        }, done);
      });
    },
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.server.address() as AddressInfo;
  return {
    url: `smtp://127.0.0.1:${port}`,
    received,
    findNewest(address) {
      const mail = received.findLast(({ recipients }) => recipients.includes(address));
      if (!mail) throw new Error(`no mail to ${address}`);
      return mail;
    },
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}

/** Nothing leaves by itself any more: `deliver` sends what waits. */
export async function holdMail({ app, db }: Harness): Promise<{ deliver(): Promise<number> }> {
  for (const pool of [INTERNAL, MAIL, RECEIVERS])
    await db
      .collection<{ _id: string }>('leases')
      .updateOne(
        { _id: `job:${pool.job}` },
        { $set: { holder: 'test', until: new Date('2100') } },
        { upsert: true },
      );
  const { internal, receivers, mail } = app.instance.outboxWorkers;
  return {
    async deliver() {
      const [first, second] = [await internal.deliverDue(), await receivers.deliverDue()];
      return first + second + (await mail.deliverDue());
    },
  };
}

/** The token that a mail's link carries. */
export function extractToken({ text = '' }: Email): string {
  const token = /#token=([\w-]+)/.exec(text)?.[1];
  if (token === undefined) throw new Error('no link in the mail');
  return token;
}
