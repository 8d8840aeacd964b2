// Tries an alert rule: each of its receivers gets a test, and what they answered is shown.
import { Button, List, Modal, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { api, readData } from '../../api/client.ts';
import { useChange } from '../../parts/forms/use-change.ts';
import { Problem } from '../../parts/states.tsx';
import { Sign } from '../../parts/verdict.tsx';
import type { Alert } from './alert-texts.ts';

export function TestButton({ alert }: { alert: Alert }): ReactNode {
  const test = useChange({
    change: () =>
      readData(api.POST('/api/v1/alerts/{id}/test', { params: { path: { id: alert._id } } })),
  });
  return (
    <>
      <Button
        variant="default"
        size="xs"
        loading={test.isPending}
        onClick={() => test.mutate()}
        aria-label={`Test ${alert.name}`}
      >
        Test
      </Button>
      <Modal
        opened={test.isSuccess || test.isError}
        onClose={test.reset}
        title={`Test of ${alert.name}`}
        closeButtonProps={{ 'aria-label': 'Close' }}
      >
        {test.error && <Problem error={test.error} />}
        <List listStyleType="none" spacing="xs">
          {test.data?.actions.map(({ type, target, ok, statusCode, error }) => (
            <List.Item key={type + target}>
              <Sign tone={ok ? 'good' : 'bad'}>{ok ? 'Reached' : 'Not reached'}</Sign>
              <Text size="sm">{target}</Text>
              <Text size="sm" c="dimmed">
                {[statusCode === null ? null : `Answered ${statusCode}`, error]
                  .filter((part) => part !== null)
                  .join('. ')}
              </Text>
            </List.Item>
          ))}
        </List>
      </Modal>
    </>
  );
}
