// Approves or denies the sign-in of a device, such as the command line, by the code that it shows (RFC 8628).
import { Alert, Button, Group, Paper, Stack, Text, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { ApiError } from '../../api/api-error.ts';
import { api, readData } from '../../api/client.ts';
import type { components } from '../../api/schema.gen.d.ts';
import { useChange } from '../../parts/forms/use-change.ts';
import { Facts } from '../../parts/layout/facts.tsx';
import { Page } from '../../parts/page.tsx';
import { Problem, QueryView } from '../../parts/states.tsx';
import { markInvisible } from '../../parts/text.tsx';
import { Ago, Countdown } from '../../parts/time.tsx';
import { Sign } from '../../parts/verdict.tsx';
import { useSession } from '../../session/session.ts';

const route = getRouteApi('/session/device');

type DeviceRequest = components['schemas']['DeviceRequest'];

export function DevicePage(): ReactNode {
  const { user_code: userCode } = route.useSearch();
  return (
    <Page
      title="Connect a device"
      lead="A command line or another device without a browser signs in as you."
    >
      <Paper p={{ base: 'md', sm: 'lg' }} maw={560}>
        {userCode === undefined ? <CodeForm /> : <Request key={userCode} userCode={userCode} />}
      </Paper>
    </Page>
  );
}

function CodeForm({ wrong }: { wrong?: string }): ReactNode {
  const [code, setCode] = useState(wrong ?? '');
  const navigate = route.useNavigate();
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        void navigate({ search: { user_code: code.trim() } });
      }}
    >
      <Stack gap="sm">
        <TextInput
          label="Code"
          description="The device shows it"
          required
          autoComplete="off"
          spellCheck={false}
          maxLength={40}
          classNames={{ input: 'code-input' }}
          value={code}
          error={
            wrong === undefined
              ? undefined
              : 'No device waits with this code. It lasts ten minutes.'
          }
          onChange={({ currentTarget: { value } }) => setCode(value.toUpperCase())}
        />
        <Button type="submit" w="fit-content" disabled={code.trim() === ''}>
          Continue
        </Button>
      </Stack>
    </form>
  );
}

function Request({ userCode }: { userCode: string }): ReactNode {
  const request = useQuery({
    queryKey: ['device', userCode],
    queryFn: () =>
      readData(api.GET('/api/v1/auth/device/approve', { params: { query: { userCode } } })),
    staleTime: Infinity,
    retry: false,
  });
  const isUnknown = request.error instanceof ApiError && request.error.status < 429;
  if (isUnknown && !request.data) return <CodeForm wrong={userCode} />;
  return (
    <QueryView query={request}>
      {(found) => <Decision userCode={userCode} request={found} />}
    </QueryView>
  );
}

interface DecisionProps {
  userCode: string;
  request: DeviceRequest;
}

function Decision({ userCode, request }: DecisionProps): ReactNode {
  const { user, organization, role } = useSession();
  const settle = useChange({
    change: (decision: 'approve' | 'deny') =>
      readData(api.POST('/api/v1/auth/device/approve', { body: { userCode, decision } })),
  });
  if (settle.isSuccess) return <Outcome isApproved={settle.variables === 'approve'} />;
  return (
    <Stack gap="md">
      <Facts
        items={[
          [
            'Code',
            <Text key="code" span ff="monospace" fw={650}>
              {userCode}
            </Text>,
          ],
          ['Calls itself', markInvisible(request.clientName)],
          ['From', request.ip],
          ['Program', request.userAgent && markInvisible(request.userAgent)],
          ['Asked', <Ago key="asked" at={request.createdAt} />],
          ['Time', <Countdown key="left" to={request.expiresAt} />],
        ]}
      />
      <Alert variant="light" p="sm">
        <Text size="sm">
          It will act as {user.name} ({role}) in {organization.name}, for as long as your session
          lasts. Approve only what you started yourself, with the same code on both screens.
        </Text>
      </Alert>
      {settle.error && <Problem error={settle.error} />}
      <Group gap="xs">
        <Button loading={settle.isPending} onClick={() => settle.mutate('approve')}>
          Approve
        </Button>
        <Button variant="default" disabled={settle.isPending} onClick={() => settle.mutate('deny')}>
          Deny
        </Button>
      </Group>
    </Stack>
  );
}

function Outcome({ isApproved }: { isApproved: boolean }): ReactNode {
  return (
    <Stack gap="xs" role="status">
      <Sign tone={isApproved ? 'good' : 'bad'}>{isApproved ? 'Approved' : 'Denied'}</Sign>
      <Text size="sm">
        {isApproved
          ? 'The device is signed in within a few seconds. You may close this page.'
          : 'The device is not signed in.'}
      </Text>
    </Stack>
  );
}
