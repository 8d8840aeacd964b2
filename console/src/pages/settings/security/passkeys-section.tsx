// Passkeys: a person's keys that sign approvals, and those of others that wait for a signature.
import { Button, Group, PasswordInput, Stack, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { api, readData } from '../../../api/client.ts';
import type { components } from '../../../api/schema.gen.d.ts';
import { DialogButton } from '../../../parts/forms/dialog-button.tsx';
import { useChange } from '../../../parts/forms/use-change.ts';
import { Section } from '../../../parts/layout/section.tsx';
import { createPasskey, signRequest } from '../../../api/passkeys.ts';
import { QueryView } from '../../../parts/states.tsx';
import { markInvisible, ShortHash } from '../../../parts/text.tsx';
import { Ago, useNow } from '../../../parts/time.tsx';
import { Sign } from '../../../parts/verdict.tsx';
import { useRights } from '../../../session/session.ts';

type Passkey = components['schemas']['Passkey'];
type Waiting = components['schemas']['WaitingPasskey'];

const refresh = ['passkeys'];
const STATES = {
  enrolled: { tone: 'warning', label: 'Waits for its confirmation' },
  confirmed: { tone: 'good', label: 'Counts' },
  revoked: { tone: 'neutral', label: 'Revoked' },
} as const;

export function PasskeysSection(): ReactNode {
  const { mayDecide } = useRights();
  const passkeys = useQuery({
    queryKey: ['passkeys', 'own'],
    queryFn: () => readData(api.GET('/api/v1/auth/credentials')),
  });
  const waiting = useQuery({
    queryKey: ['passkeys', 'waiting'],
    queryFn: () => readData(api.GET('/api/v1/auth/credentials/waiting')),
    enabled: mayDecide,
  });
  return (
    <Section
      title="Passkeys"
      lead="Keys on your devices that sign what you approve, where a policy asks for it."
      actions={<Enrol />}
    >
      <QueryView query={passkeys}>
        {(own) => (
          <Stack gap="xs">
            {own.length === 0 && <Text size="sm">You have none in this organisation.</Text>}
            {own.map((passkey) => (
              <OwnPasskey key={passkey.id} passkey={passkey} />
            ))}
          </Stack>
        )}
      </QueryView>
      {(waiting.data ?? []).map((passkey) => (
        <WaitingPasskey key={passkey.id} passkey={passkey} />
      ))}
    </Section>
  );
}

function OwnPasskey({ passkey }: { passkey: Passkey }): ReactNode {
  const { name, status, fingerprint, enrolledAt, synced, confirmableAt, publicKey } = passkey;
  const { tone, label } = STATES[status];
  return (
    <Group gap="sm" role="group" aria-label={name}>
      <Text size="sm" fw={600}>
        {markInvisible(name)}
      </Text>
      <Sign tone={tone}>{label}</Sign>
      <Ago at={enrolledAt} />
      {synced && <Text size="sm">Synced by its provider</Text>}
      <ShortHash value={fingerprint} label="fingerprint" />
      <ShortHash value={JSON.stringify({ publicKey })} label="public key" />
      {confirmableAt !== null && <ConfirmOwn id={passkey.id} from={confirmableAt} />}
      {status !== 'revoked' && <Revoke id={passkey.id} />}
    </Group>
  );
}

function Enrol(): ReactNode {
  const form = useForm({ initialValues: { name: '', password: '', code: '' } });
  const enrol = useChange({
    async change({ name, password, code }: typeof form.values) {
      const proof = { ...(password && { password }), ...(code && { code }) };
      const made = await readData(api.POST('/api/v1/auth/credentials/options', { body: proof }));
      const credential = await createPasskey(made.options);
      const body = { token: made.token, name, credential };
      return readData(api.POST('/api/v1/auth/credentials', { body }));
    },
    refresh,
    note: 'The passkey is enrolled; it counts once it is confirmed',
    form,
  });
  return (
    <DialogButton
      label="Enrol a passkey"
      title="Enrol a passkey"
      submitLabel="Enrol"
      form={form}
      mutation={enrol}
    >
      <Text size="sm">
        It is written into the chain, and counts once another person confirms it.
      </Text>
      <TextInput label="Name" required data-autofocus {...form.getInputProps('name')} />
      <PasswordInput
        label="Your password"
        description="Leave it empty if you have just signed in"
        autoComplete="current-password"
        {...form.getInputProps('password')}
      />
      <TextInput
        label="Code"
        description="While the second factor is on"
        autoComplete="one-time-code"
        {...form.getInputProps('code')}
      />
    </DialogButton>
  );
}

function ConfirmOwn({ id, from }: { id: string; from: string }): ReactNode {
  const confirm = useConfirmation(id);
  const isEarly = Date.parse(from) > useNow();
  return isEarly ? (
    <Text size="sm">
      You may confirm it <Ago at={from} />
    </Text>
  ) : (
    <Button size="compact-xs" loading={confirm.isPending} onClick={() => confirm.mutate(undefined)}>
      Confirm
    </Button>
  );
}

function WaitingPasskey({ passkey }: { passkey: Waiting }): ReactNode {
  const { person, fingerprint, request, enrolledAt } = passkey;
  const confirm = useConfirmation(passkey.id);
  return (
    <Group gap="sm" role="group" aria-label={`Passkey of ${person.name}`}>
      <Text size="sm">
        {markInvisible(person.name)} ({markInvisible(person.email)}) enrolled a passkey
      </Text>
      <Ago at={enrolledAt} />
      <ShortHash value={fingerprint} label="fingerprint" />
      <Button size="compact-xs" loading={confirm.isPending} onClick={() => confirm.mutate(request)}>
        Confirm with your passkey
      </Button>
    </Group>
  );
}

/** Confirms a passkey: with a request another person's, without one the own. */
const useConfirmation = (id: string) =>
  useChange({
    async change(request: Waiting['request'] | undefined) {
      const body = request ? { signature: await signRequest(request) } : {};
      const path = '/api/v1/auth/credentials/{id}/confirm';
      return readData(api.POST(path, { params: { path: { id } }, body }));
    },
    refresh,
    note: 'The passkey is confirmed',
  });

function Revoke({ id }: { id: string }): ReactNode {
  const form = useForm({ initialValues: { reason: '' } });
  const revoke = useChange({
    change: ({ reason }: typeof form.values) =>
      readData(
        api.DELETE('/api/v1/auth/credentials/{id}', {
          params: { path: { id } },
          body: { ...(reason && { reason }) },
        }),
      ),
    refresh,
    note: 'The passkey is revoked',
    form,
  });
  return (
    <DialogButton
      label="Revoke"
      title="Revoke the passkey"
      submitLabel="Revoke"
      isDangerous
      form={form}
      mutation={revoke}
    >
      <Text size="sm">What it signed stays signed; it signs nothing more.</Text>
      <TextInput label="Reason" data-autofocus {...form.getInputProps('reason')} />
    </DialogButton>
  );
}
