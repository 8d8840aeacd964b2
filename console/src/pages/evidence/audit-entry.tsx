// All that one entry of the audit log holds.
import { Button, Modal, Stack } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import type { ReactNode } from 'react';
import type { components } from '../../api/schema.gen.d.ts';
import { Facts } from '../../parts/layout/facts.tsx';
import { markInvisible, ShortHash, Stored } from '../../parts/text.tsx';
import { formatExact } from '../../parts/time.tsx';
import { toTitle } from '../../parts/words.ts';

type Entry = components['schemas']['AuditEntry'];

const toShown = (text: string | null): string | null => text && markInvisible(text);

export function AuditEntryDetails({ entry }: { entry: Entry }): ReactNode {
  const [isOpen, { open, close }] = useDisclosure(false);
  const { sequence } = entry;
  return (
    <>
      <Button
        variant="default"
        size="xs"
        onClick={open}
        aria-label={`Details of entry ${sequence}`}
      >
        Details
      </Button>
      <Modal
        opened={isOpen}
        onClose={close}
        title={`Entry ${sequence}`}
        size="lg"
        closeButtonProps={{ 'aria-label': 'Close' }}
      >
        {isOpen && <Contents entry={entry} />}
      </Modal>
    </>
  );
}

function Contents({ entry }: { entry: Entry }): ReactNode {
  const { userEmail, userRole, action, resource, resourceId, detail, metadata } = entry;
  return (
    <Stack gap="sm">
      <Facts
        items={[
          ['Who', toShown(userEmail) ?? 'The service, or a key'],
          ['Role', entry.userId && toTitle(userRole)],
          ['Did', action],
          ['On', toShown(resource)],
          ['Id', toShown(resourceId)],
          ['Detail', toShown(detail)],
          ['When', formatExact(entry.createdAt)],
          ['Address', toShown(entry.ipAddress)],
          ['Browser', toShown(entry.userAgent)],
          ['Chain hash', <ShortHash key="hash" value={entry.chainHash} label="chain hash" />],
          [
            'Before it',
            <ShortHash key="before" value={entry.previousChainHash} label="hash before it" />,
          ],
        ]}
      />
      {metadata !== null && <Stored value={metadata} />}
    </Stack>
  );
}
