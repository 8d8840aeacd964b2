// The time until which values of a deleted organisation were erased: from its deletion record, once it is deleted.
import { expect, test } from 'vitest';
import { readErasedUntil } from '../../../src/ledger/verify/erased-until.ts';
import { useHarness } from '../../setup/fixtures.ts';
import { toObjectId } from '../../setup/harness.ts';
import { createOwner } from '../../setup/personas.ts';

const harness = useHarness();
const { app } = harness;
const NOW = new Date('2026-05-01T12:00:00.000Z');
const ERASED_AT = new Date('2026-04-01T12:00:00.000Z');

test.each([
  ['lives', true, null, null],
  ['lives, whatever a record says', true, { erasedAt: ERASED_AT }, null],
  ['is gone without a record', false, null, null],
  ['is being deleted', false, {}, NOW],
  ['was deleted', false, { erasedAt: ERASED_AT }, ERASED_AT],
])('an organisation that %s', async (_what, isLiving, record, expected) => {
  const { organizationId } = await createOwner(app);
  const { models } = app.instance.platform;
  const _id = toObjectId(organizationId);
  if (!isLiving) await harness.db.collection('organizations').deleteOne({ _id });
  if (record)
    await harness.db
      .collection('organization_deletions')
      .insertOne(Object.assign({ organizationId: _id }, record));
  expect(await readErasedUntil(organizationId, { models, clock: { now: () => NOW } })).toEqual(
    expected,
  );
});
