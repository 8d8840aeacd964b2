// Mail: sent to a real server or written to private files, with equal HTML and text, and single addresses only.
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import PostalMime from 'postal-mime';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { renderMail, type MailContent } from '../../src/platform/mail/mail-layout.ts';
import { createMailer } from '../../src/platform/mail/mailer.ts';
import { startMailServer, type MailServer } from '../setup/providers/mail-server.ts';

let mailServer: MailServer;
let folder: string;
beforeAll(async () => {
  mailServer = await startMailServer();
  folder = await mkdtemp(join(inject('scratch'), 'assay-mail-'));
});
afterAll(async () => {
  await mailServer.close();
  await rm(folder, { recursive: true });
});

const content: MailContent = {
  to: 'ada@example.com',
  subject: 'Grüße & <b>mehr</b>',
  paragraphs: ['First <i>one</i> & more.', 'Zweiter Absatz: Ä.'],
  action: { label: 'Go on', link: 'https://assay.example/page#token=abc-_1', token: 'abc-_1' },
};
const said: object[] = [];
let aheadMs = 0;
const mailer = (smtpUrl?: string) =>
  createMailer({
    smtpUrl,
    from: 'assay@example.com',
    folder: join(folder, 'mail'),
    log: { info: (details) => said.push(details) },
    clock: { now: () => new Date(Date.now() + aheadMs) },
  });

test('a server receives HTML and text; text is escaped in HTML', async () => {
  await mailer(mailServer.url).sendMail(renderMail(content));
  const mail = mailServer.findNewest('ada@example.com');
  expect(mail.from).toMatchObject({ name: 'Assay', address: 'assay@example.com' });
  expect(mail.to).toEqual([expect.objectContaining({ address: 'ada@example.com' })]);
  expect(mail.subject).toBe(content.subject);
  expect(mail.text).toContain('First <i>one</i> & more.');
  expect(mail.text).toContain('https://assay.example/page#token=abc-_1');
  expect(mail.html).toContain('First &lt;i&gt;one&lt;/i&gt; &amp; more.');
  expect(mail.html).toContain('href="https://assay.example/page#token=abc-_1"');
  expect(mail.html).not.toContain('<i>');
  for (const form of [mail.text, mail.html]) expect(form).toContain('Zweiter Absatz: Ä.');
});

test('a mail without an action has no link', () => {
  const { text, html } = renderMail({ ...content, action: null });
  expect([text.includes('token'), html.includes('href')]).toEqual([false, false]);
});

test.each([
  'ada@example.com, eve@example.com',
  'Eve <eve@example.com>',
  'ada@example.com\r\nBcc: eve@example.com',
])('an address such as %j never reaches a second person', async (to) => {
  await mailer(mailServer.url)
    .sendMail(renderMail({ ...content, to }))
    .catch(() => undefined);
  expect(mailServer.received.flatMap(({ recipients }) => recipients)).not.toContain(
    'eve@example.com',
  );
  expect(mailServer.received.some(({ headers }) => headers.some(({ key }) => key === 'bcc'))).toBe(
    false,
  );
});

test('a subject cannot add a header', async () => {
  await mailer(mailServer.url).sendMail(
    renderMail({ ...content, subject: 'Hello\r\nX-Evil: yes' }),
  );
  expect(mailServer.findNewest('ada@example.com').headers.map(({ key }) => key)).not.toContain(
    'x-evil',
  );
});

test('an unresponsive server is a failure', async () => {
  await expect(mailer('smtp://127.0.0.1:1').sendMail(renderMail(content))).rejects.toThrow();
});

test('without a server mail is written to a private file, which the log names without its token', async () => {
  await mailer().sendMail(renderMail(content));
  const [name = ''] = await readdir(join(folder, 'mail'));
  const path = join(folder, 'mail', name);
  expect((await stat(path)).mode & 0o777).toBe(0o600);
  const mail = await PostalMime.parse(await readFile(path));
  expect([mail.subject, mail.to?.[0]?.address]).toEqual([content.subject, 'ada@example.com']);
  expect(said).toEqual([{ to: 'ada@example.com', path }]);
});

test('a file is removed after a day, and other files in the folder are kept', async () => {
  const own = mailer();
  await own.sendMail(renderMail(content));
  const other = join(folder, 'mail', 'notes.txt');
  await writeFile(other, 'kept');
  const before = await readdir(join(folder, 'mail'));
  await own.prune();
  expect(await readdir(join(folder, 'mail'))).toEqual(before);
  aheadMs = 24 * 3600_000 + 1000;
  await own.prune();
  expect(await readdir(join(folder, 'mail'))).toEqual(['notes.txt']);
});

test('a file is named by what its mail is about, and is counted by it', async () => {
  const files = mailer();
  const send = (about?: string) => files.sendMail({ ...renderMail(content), about });
  const [first, other] = ['trc_1', 'trc_2'];
  for (const about of [first, first, other, '../trc_1', 'trc_1-', undefined]) await send(about);
  expect(await files.countAbout([first])).toBe(2);
  expect(await files.countAbout([first, other, 'trc_3', ''])).toBe(3);
  const names = await readdir(join(folder, 'mail'));
  for (const name of names.filter((one) => one.endsWith('.eml')))
    expect(name).toMatch(/^(trc_\d-)?[0-9a-f]{24}\.eml$/);
});
