// Tests the sign-on with what the form says: in a tab of its own, without saving it and without signing anyone in.
import { Alert, Button, Group, List, Loader, Modal, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { api, readData } from '../../../../api/client.ts';
import { waitLonger } from '../../../../api/wait-longer.ts';
import type { components } from '../../../../api/schema.gen.d.ts';
import { useChange } from '../../../../parts/forms/use-change.ts';
import { Loading, Problem } from '../../../../parts/states.tsx';
import { TrialResult } from './trial-result.tsx';

type Settings = components['schemas']['SignOnTestInput']['settings'];
type Started = components['schemas']['StartedSignOnTest'];

const ASK_MS = 1500;

const toReturnAddress = (): string => new URL('/console/signed-on', location.origin).href;

export function TrialButton({ toSettings }: { toSettings: () => Settings }): ReactNode {
  const [isOpen, setOpen] = useState(false);
  const start = useChange({
    change() {
      const body = { settings: toSettings(), returnTo: toReturnAddress() };
      return readData(api.POST('/api/v1/organization/sso/test', { body }));
    },
  });
  function begin(): void {
    setOpen(true);
    start.mutate();
  }
  return (
    <>
      <Button variant="default" size="xs" w="fit-content" onClick={begin}>
        Test it
      </Button>
      <Modal
        opened={isOpen}
        onClose={() => setOpen(false)}
        title="Test the sign-on"
        size="lg"
        closeButtonProps={{ 'aria-label': 'Close' }}
      >
        <Stack gap="sm">
          <Text size="sm">
            Sign in at your provider as any person. Nothing is saved, no one is signed in here, and
            no member is made or changed.
          </Text>
          {start.isPending && <Loading label="Asking the provider" />}
          {start.error && <Problem error={start.error} />}
          {start.data && <Trial started={start.data} onRepeat={() => start.mutate()} />}
        </Stack>
      </Modal>
    </>
  );
}

/** The way to the provider, and what came back of it. */
function Trial({ started, onRepeat }: { started: Started; onRepeat: () => void }): ReactNode {
  const { id, redirectUrl, warnings } = started;
  const { data: trial, error } = useQuery({
    queryKey: ['sign-on-test', id],
    queryFn: () =>
      readData(api.GET('/api/v1/organization/sso/test/{id}', { params: { path: { id } } })),
    refetchInterval: (query) =>
      query.state.data?.state === 'ended' ? false : waitLonger(ASK_MS, query),
    refetchIntervalInBackground: true,
  });
  if (trial?.result)
    return (
      <>
        <TrialResult result={trial.result} />
        <Button variant="default" size="xs" w="fit-content" onClick={onRepeat}>
          Test it again
        </Button>
      </>
    );
  return (
    <>
      {warnings.length > 0 && (
        <Alert variant="outline" color="yellow">
          <List size="sm">
            {warnings.map((warning) => (
              <List.Item key={warning}>{warning}</List.Item>
            ))}
          </List>
        </Alert>
      )}
      <Button component="a" href={redirectUrl} target="_blank" rel="noreferrer" w="fit-content">
        Go to the provider
      </Button>
      {error ? (
        <Problem error={error} />
      ) : (
        <Group gap="xs" role="status">
          <Loader size="xs" />
          <Text size="sm">Waiting for what the provider sends</Text>
        </Group>
      )}
    </>
  );
}
