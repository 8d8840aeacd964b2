// The second factor: switched on with a QR code, switched off, and codes for the day the phone is lost.
import { Alert, Button, Group, PasswordInput, Stack, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { type ReactNode, useState } from 'react';
import { api, readData } from '../../../api/client.ts';
import type { components } from '../../../api/schema.gen.d.ts';
import { DialogButton } from '../../../parts/forms/dialog-button.tsx';
import { FormDialog } from '../../../parts/forms/form-dialog.tsx';
import { ShownOnce } from '../../../parts/forms/shown-once.tsx';
import { useChange } from '../../../parts/forms/use-change.ts';
import { Section } from '../../../parts/layout/section.tsx';
import { ShortHash } from '../../../parts/text.tsx';
import { Sign } from '../../../parts/verdict.tsx';

type State = components['schemas']['SecuritySettings']['mfa'];
type Setup = components['schemas']['MfaSetup'];

const refresh = ['security', 'session'];

export function SecondFactor({ state }: { state: State }): ReactNode {
  const { enabled, backupCodesLeft } = state;
  return (
    <Section
      title="Second factor"
      lead="A code of an authenticator app beside the password."
      actions={
        enabled ? (
          <>
            <BackupCodes />
            <SwitchOff />
          </>
        ) : (
          <SwitchOn />
        )
      }
    >
      <Group gap="sm">
        <Sign tone={enabled ? 'good' : 'warning'}>{enabled ? 'On' : 'Off'}</Sign>
        {enabled && <Text size="sm">{backupCodesLeft} backup codes are left.</Text>}
      </Group>
      {enabled && backupCodesLeft < 3 && (
        <Alert variant="light" p="xs">
          <Text size="sm">Make backup codes: without one, a lost phone locks you out.</Text>
        </Alert>
      )}
    </Section>
  );
}

function SwitchOn(): ReactNode {
  const [isOpen, setOpen] = useState(false);
  const [setup, setSetup] = useState<Setup | null>(null);
  const form = useForm({ initialValues: { password: '', code: '' } });
  const begin = useChange({
    change: ({ password }: typeof form.values) =>
      readData(api.POST('/api/v1/auth/mfa/setup', { body: password === '' ? {} : { password } })),
    form,
    onDone: setSetup,
  });
  const enable = useChange({
    change: ({ code }: typeof form.values) =>
      readData(api.POST('/api/v1/auth/mfa/enable', { body: { code } })),
    refresh,
    note: 'The second factor is on',
    form,
    onDone: close,
  });
  function close(): void {
    setOpen(false);
    setSetup(null);
    form.reset();
    begin.reset();
    enable.reset();
  }
  return (
    <>
      <Button size="xs" onClick={() => setOpen(true)}>
        Switch on
      </Button>
      <FormDialog
        isOpen={isOpen}
        title="Switch on the second factor"
        submitLabel={setup ? 'Switch on' : 'Continue'}
        mutation={setup ? enable : begin}
        onClose={close}
        onSubmit={form.onSubmit((values) => (setup ? enable : begin).mutate(values))}
      >
        {setup ? (
          <SetupFields setup={setup} codeProps={form.getInputProps('code')} />
        ) : (
          <PasswordInput
            label="Your password"
            description="Leave it empty if you sign on without one"
            autoComplete="current-password"
            data-autofocus
            {...form.getInputProps('password')}
          />
        )}
      </FormDialog>
    </>
  );
}

interface SetupProps {
  setup: Setup;
  codeProps: object;
}

function SetupFields({ setup, codeProps }: SetupProps): ReactNode {
  return (
    <Stack gap="sm">
      <Text size="sm">Scan it with an authenticator app, then enter the code that it shows.</Text>
      <img src={setup.qrCode} alt="QR code of the secret" width={200} height={200} />
      <Group gap="xs">
        <Text size="sm">Or enter the secret:</Text>
        <ShortHash value={setup.secret} label="secret" />
      </Group>
      <TextInput
        label="Code"
        inputMode="numeric"
        autoComplete="one-time-code"
        required
        data-autofocus
        {...codeProps}
      />
    </Stack>
  );
}

function SwitchOff(): ReactNode {
  const form = useForm({ initialValues: { code: '', password: '' } });
  const disable = useChange({
    change: ({ code, password }: typeof form.values) =>
      readData(
        api.POST('/api/v1/auth/mfa/disable', { body: { code, ...(password && { password }) } }),
      ),
    refresh,
    note: 'The second factor is off',
    form,
  });
  return (
    <DialogButton
      label="Switch off"
      title="Switch off the second factor"
      submitLabel="Switch off"
      isDangerous
      form={form}
      mutation={disable}
    >
      <TextInput label="Code" required data-autofocus {...form.getInputProps('code')} />
      <PasswordInput label="Your password" {...form.getInputProps('password')} />
    </DialogButton>
  );
}

function BackupCodes(): ReactNode {
  const [codes, setCodes] = useState<string | null>(null);
  const form = useForm({ initialValues: { code: '' } });
  const generate = useChange({
    change: (body: { code: string }) =>
      readData(api.POST('/api/v1/auth/backup-codes/generate', { body })),
    refresh,
    form,
    onDone: (made) => setCodes(made.codes.join('\n')),
  });
  return (
    <>
      <DialogButton
        label="Make backup codes"
        title="Make backup codes"
        submitLabel="Make them"
        form={form}
        mutation={generate}
      >
        <Text size="sm">Each signs you in once. Codes that you made before stop working.</Text>
        <TextInput label="Code" required data-autofocus {...form.getInputProps('code')} />
      </DialogButton>
      <ShownOnce
        title="Backup codes"
        label="backup codes"
        secret={codes}
        onClose={() => setCodes(null)}
      />
    </>
  );
}
