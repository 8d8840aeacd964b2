// Who the identity provider is: OpenID Connect, or SAML with its metadata read for you.
import {
  Button,
  Group,
  PasswordInput,
  SegmentedControl,
  Switch,
  Textarea,
  TextInput,
} from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import { type ReactNode, useState } from 'react';
import { api, readData } from '../../../api/client.ts';
import type { components } from '../../../api/schema.gen.d.ts';
import { ConfirmButton } from '../../../parts/forms/confirm-button.tsx';
import { PageForm } from '../../../parts/forms/form-dialog.tsx';
import { useChange } from '../../../parts/forms/use-change.ts';
import { useStoredForm } from '../../../parts/forms/use-stored-form.ts';
import { Facts } from '../../../parts/layout/facts.tsx';
import { Section } from '../../../parts/layout/section.tsx';
import { Problem } from '../../../parts/states.tsx';
import { formatToMinute } from '../../../parts/time.tsx';
import { useRights } from '../../../session/session.ts';
import { TrialButton } from './trial/trial-button.tsx';
import { toInput, toValues, type ProviderValues } from './provider-values.ts';

export type SignOnSettings = components['schemas']['SignOnSettings'];
type Form = UseFormReturnType<ProviderValues>;

export function ProviderSection({ known }: { known: SignOnSettings }): ReactNode {
  const { isOwner } = useRights();
  return (
    <Section
      title="Identity provider"
      lead="An owner sets it up. Members keep their passwords until sign-on is required."
      actions={known.settings && isOwner && <RemoveButton />}
    >
      {isOwner ? <ProviderForm known={known} /> : <Summary known={known} />}
    </Section>
  );
}

function Summary({ known: { settings } }: { known: SignOnSettings }): ReactNode {
  return (
    <Facts
      items={[
        ['Protocol', settings === null ? 'None' : settings.provider.toUpperCase()],
        ['Provider', settings?.oidc?.issuer ?? settings?.saml?.entityId],
        ['Required', settings?.requireSso ? 'Yes' : 'No'],
      ]}
    />
  );
}

function RemoveButton(): ReactNode {
  const remove = useChange({
    change: () => readData(api.DELETE('/api/v1/organization/sso')),
    refresh: ['sign-on'],
    note: 'The sign-on is removed',
  });
  return (
    <ConfirmButton
      label="Remove"
      title="Remove the sign-on?"
      mutation={remove}
      onConfirm={() => remove.mutateAsync()}
      isDangerous
    >
      Members without a password set one by mail, and come in by that.
    </ConfirmButton>
  );
}

const SWITCHES = [
  ['requireSso', 'Required', 'Members come in by it only; owners keep their own way in'],
  ['justInTime', 'The first sign-on makes a membership', 'Else people are invited before'],
  ['requireMfaEvenWithSso', 'Assay’s second factor too', 'After that of the provider'],
] as const;

function ProviderForm({ known }: { known: SignOnSettings }): ReactNode {
  const form = useStoredForm<ProviderValues>(toValues(known.settings));
  const save = useChange({
    change: (values: ProviderValues) =>
      readData(api.PUT('/api/v1/organization/sso', { body: toInput(values, known.settings) })),
    refresh: ['sign-on'],
    note: 'The sign-on is saved',
    form,
  });
  const isSaml = form.values.provider === 'saml';
  return (
    <PageForm
      mutation={save}
      isChanged={form.isDirty()}
      onSubmit={form.onSubmit((values) => save.mutate(values))}
    >
      <SegmentedControl
        aria-label="Protocol"
        w="fit-content"
        data={[
          { value: 'oidc', label: 'OpenID Connect' },
          { value: 'saml', label: 'SAML 2.0' },
        ]}
        {...form.getInputProps('provider')}
      />
      {isSaml ? (
        <SamlFields form={form} />
      ) : (
        <OidcFields form={form} hasSecret={known.settings?.oidc?.hasClientSecret ?? false} />
      )}
      {SWITCHES.map(([name, label, description]) => (
        <Switch
          key={name}
          label={label}
          description={description}
          {...form.getInputProps(name, { type: 'checkbox' })}
        />
      ))}
      <TrialButton toSettings={() => toInput(form.getValues(), known.settings)} />
    </PageForm>
  );
}

function OidcFields({ form, hasSecret }: { form: Form; hasSecret: boolean }): ReactNode {
  return (
    <>
      <TextInput
        label="Issuer"
        description="As the provider spells it"
        placeholder="https://"
        required
        {...form.getInputProps('issuer')}
      />
      <TextInput label="Client id" required {...form.getInputProps('clientId')} />
      <PasswordInput
        label="Client secret"
        description={hasSecret ? 'Empty: the present one stays' : undefined}
        autoComplete="off"
        {...form.getInputProps('clientSecret')}
      />
      <TextInput
        label="Claim with the groups"
        placeholder="groups"
        {...form.getInputProps('groupsClaim')}
      />
    </>
  );
}

function SamlFields({ form }: { form: Form }): ReactNode {
  return (
    <>
      <MetadataReader form={form} />
      <TextInput label="Entity id" required {...form.getInputProps('entityId')} />
      <TextInput label="Sign-on address" required {...form.getInputProps('ssoUrl')} />
      <TextInput label="Logout address" {...form.getInputProps('sloUrl')} />
      {form.values.certificates.map(({ pem, subject, validTo }, at) => (
        <Facts
          key={pem}
          items={[
            [`Certificate ${at + 1}`, subject],
            ['Valid until', validTo && formatToMinute(validTo)],
          ]}
        />
      ))}
      <Textarea
        label="Certificate"
        description="PEM; with the metadata it need not be entered"
        autosize
        minRows={2}
        maxRows={6}
        {...form.getInputProps('pem')}
      />
    </>
  );
}

/** Fills the fields from the provider's own document or address. */
function MetadataReader({ form }: { form: Form }): ReactNode {
  const [source, setSource] = useState('');
  const read = useChange({
    change: () => {
      const body = source.trim().startsWith('<') ? { xml: source } : { url: source.trim() };
      return readData(api.POST('/api/v1/organization/sso/metadata', { body }));
    },
    onDone: ({ entityId, ssoUrl, sloUrl, certificates }) =>
      form.setValues({ entityId, ssoUrl, sloUrl: sloUrl ?? '', certificates, pem: '' }),
  });
  return (
    <>
      <Textarea
        label="Metadata of the provider"
        description="Its address, or the document itself"
        placeholder="https:// or <EntityDescriptor …>"
        autosize
        minRows={1}
        maxRows={6}
        value={source}
        onChange={({ currentTarget: { value } }) => setSource(value)}
      />
      <Group>
        <Button
          variant="default"
          size="xs"
          disabled={source.trim() === ''}
          loading={read.isPending}
          onClick={() => read.mutate()}
        >
          Read it
        </Button>
      </Group>
      {read.error && <Problem error={read.error} />}
    </>
  );
}
