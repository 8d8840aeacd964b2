// The search in all scripts: a word in one form is found in every other, with or without blanks between words.
import { beforeAll, describe, expect, test } from 'vitest';
import { useOwnHarness, useOwner } from '../../../setup/fixtures.ts';
import { toObjectId } from '../../../setup/harness.ts';
import { createWorkspaceKey, buildDecision, assertOk } from '../../../setup/personas.ts';
import { startApp, type TestApp } from '../../../setup/start-app.ts';

const harness = useOwnHarness();
const { app } = harness;
const ada = useOwner(harness);

const RATIONALES = {
  chinese: '退款请求已被客户取消了。',
  japanese: '東京都のお客様の返金リクエストは取り消されました',
  katakana: 'ﾃﾞｰﾀをｶﾞｲﾄﾞに保存',
  thai: 'ลูกค้าขอเงินคืนเพราะสินค้าเสียหายในห้องน้ำ',
  korean: '고객이 환불을 요청했습니다',
  german: 'Die Straße ist groß',
  fullwidth: 'ＲＥＦＵＮＤ　１２３４５',
  greek: 'Η ΟΔΟΣ είναι κλειστή',
  turkish: 'Iğdır ve İzmir siparişi',
  hindi: 'ग्राहक ने धनवापसी मांगी',
  emoji: 'invoice😀paid👩‍🌾twice',
  hyphenated: 're\u00adim\u00adburse\u00adment',
};

beforeAll(async () => {
  const { key } = await createWorkspaceKey(app, ada);
  for (const [n, rationale] of Object.entries(RATIONALES)) {
    const body = buildDecision('x', { metadata: { n }, rationale });
    assertOk(await app.call('POST', '/api/v1/traces', { key, body }));
  }
  await app.instance.runJobsOnce();
});

async function find(search: string, by: TestApp = app): Promise<string> {
  const { token } = ada;
  const query = encodeURIComponent(search);
  const { data } = assertOk(await by.call('GET', `/api/v1/traces?search=${query}`, { token })).body;
  const names = (data as { metadata: { n: string } }[]).map(({ metadata }) => metadata.n);
  return names.toSorted().join(' ');
}

describe('finds', () => {
  test.each<[keyof typeof RATIONALES, string[]]>([
    ['chinese', ['退款', '客户', '退款请求', '"请求已被"', '取消 海豚', RATIONALES.chinese]],
    ['japanese', ['返金', 'リクエスト', 'ﾘｸｴｽﾄ', '東京', 'お客様', '"取り消されました"']],
    ['katakana', ['データ', 'ガイド', 'ガイド'.normalize('NFD'), '保存']],
    ['thai', ['เงินคืน', 'ลูกค้า', 'สินค้า', 'เสียหาย', 'ห้องน้ำ', '"ขอเงินคืน"']],
    ['korean', ['환불', '환불을', '환불이', '고객', '요청', '고객'.normalize('NFD')]],
    ['german', ['STRASSE', 'strasse', 'STRAẞE', 'straße', 'GROSS']],
    ['fullwidth', ['refund', 'Refund', 'ｒｅｆｕｎｄ', '12345', '＂refund 12345＂']],
    ['greek', ['οδος', 'ΟΔΌΣ', 'οδοσ', 'ΚΛΕΙΣΤΗ']],
    ['turkish', ['IĞDIR', 'ığdır', 'iğdır', 'izmir', 'İZMİR', 'IZMIR', 'SİPARİŞİ']],
    ['hindi', ['धनवापसी', 'ग्राहक']],
    ['emoji', ['invoice', 'paid', 'twice', '"invoice paid"', 'paid🎉']],
    ['hyphenated', ['reimbursement', 'REIMBURSEMENT']],
  ])('%s by %j', async (name, searches) => {
    for (const search of searches) expect([search, await find(search)]).toEqual([search, name]);
  });

  test.each([
    '海豚',
    '京都',
    '請退',
    'คืนเงิน',
    '거절',
    '객이환',
    'stras',
    'धन',
    '"환불 요청"',
    '退款 -客户',
  ])('nothing by %s', async (search) => expect(await find(search)).toBe(''));
});

test('a text without blanks of the maximum length is found by words within it', async () => {
  const { key } = await createWorkspaceKey(app, ada);
  const rationale = `${'客户要求退款，'.repeat(1_000)}海豚${'ลูกค้าขอเงินคืน'.repeat(500)}고래를`;
  const body = buildDecision('x', { metadata: { n: 'long' }, rationale });
  assertOk(await app.call('POST', '/api/v1/traces', { key, body }));
  await app.instance.runJobsOnce();
  for (const search of ['海豚', '고래']) expect(await find(search)).toBe('long');
});

test(
  'decisions indexed by an earlier version are indexed again, and the old index is dropped',
  { tags: ['long'] },
  async () => {
    const { db } = harness;
    const organizationId = toObjectId(ada.organizationId);
    const segments = db.collection('word_segments');
    const before = await segments.find({ organizationId }).sort({ from: 1 }).toArray();
    const words = before.flatMap((segment) => segment['words'] as number[]);
    await segments.updateMany({ organizationId }, [
      { $set: { words: { $map: { input: '$words', in: { $add: ['$$this', 1] } } } } },
    ]);
    expect(await find('환불')).toBe('');
    await db
      .collection<{ _id: string }>('migrations')
      .deleteOne({ _id: 'decision-words-of-all-scripts' });
    const next = await startApp({}, { mongoUri: harness.mongoUri });
    await next.instance.runJobsOnce();
    expect(await find('환불', next)).toBe('korean');
    expect(await find('strasse', next)).toBe('german');
    const after = await segments.find({ organizationId }).sort({ from: 1 }).toArray();
    expect(after.flatMap((segment) => segment['words'] as number[])).toEqual(words);
    await next.stop();
  },
);
