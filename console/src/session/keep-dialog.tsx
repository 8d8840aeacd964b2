// Asks the owner whether an organisation is theirs that was begun before their mailbox was proved.
import { Button, Group, Modal, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { api, readData } from '../api/client.ts';
import { organizationQuery } from '../api/shared-queries.ts';
import { useChange } from '../parts/forms/use-change.ts';
import { Problem } from '../parts/states.tsx';
import { markInvisible } from '../parts/text.tsx';

export function KeepDialog(): ReactNode {
  const { data: organization } = useQuery(organizationQuery);
  const [isLater, setLater] = useState(false);
  const navigate = useNavigate();
  const keep = useChange({
    change: () => readData(api.POST('/api/v1/organization/keep')),
    refresh: ['organization', 'session'],
    note: 'The organisation is yours as it is',
  });
  if (!organization) return null;
  function openDeletion(): void {
    setLater(true);
    void navigate({ to: '/settings/organization' });
  }
  return (
    <Modal
      opened={organization.reclaimedAt !== null && !isLater}
      onClose={() => setLater(true)}
      title="Is what is here yours?"
      closeButtonProps={{ 'aria-label': 'Decide later' }}
    >
      <Stack gap="sm">
        <Text size="sm">
          {markInvisible(organization.name)} was begun with your address before your mailbox was
          proved. Keep it if you began it yourself: then all of its settings, keys and members hold.
          Until then its sign-on is off.
        </Text>
        <Text size="sm">If another person began it, delete it, and register again.</Text>
        {keep.error && <Problem error={keep.error} />}
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={openDeletion}>
            It is not mine
          </Button>
          <Button loading={keep.isPending} onClick={() => keep.mutate()}>
            Keep it
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}
