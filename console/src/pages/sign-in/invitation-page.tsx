// Accepts an invitation: shows what it offers, and takes a name and the password of a new or an existing account.
import { Alert, PasswordInput, Stack, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { api, readData } from '../../api/client.ts';
import { QueryView } from '../../parts/states.tsx';
import { useMailedToken } from './mailed-token.ts';
import { SignInForm } from './sign-in-form.tsx';
import { SignInSteps } from './sign-in-steps.tsx';
import { useSignIn } from './use-sign-in.ts';

const ENDINGS = {
  accepted: 'The invitation has been accepted already. Sign in.',
  revoked: 'The invitation has been withdrawn. Ask for another one.',
  expired: 'The invitation has expired. Ask for another one.',
} as const;

export function InvitationPage(): ReactNode {
  const token = useMailedToken();
  const offer = useQuery({
    queryKey: ['invitation', token],
    queryFn: () =>
      readData(api.GET('/api/v1/team/invites/validate/{token}', { params: { path: { token } } })),
  });
  return (
    <SignInSteps title="Join an organisation">
      {(onSecondStep) => (
        <QueryView query={offer}>
          {(found) =>
            found.valid ? (
              <Stack gap="sm">
                <Alert variant="light">
                  {found.inviterEmail} invites you to {found.organizationName} in the role{' '}
                  {found.role}.
                </Alert>
                <AcceptanceForm token={token} onSecondStep={onSecondStep} />
              </Stack>
            ) : (
              <Alert role="alert" variant="outline" color="red">
                {ENDINGS[found.reason]}
              </Alert>
            )
          }
        </QueryView>
      )}
    </SignInSteps>
  );
}

interface FormProps {
  token: string;
  onSecondStep: (tempToken: string) => void;
}

function AcceptanceForm({ token, onSecondStep }: FormProps): ReactNode {
  const form = useForm({ initialValues: { name: '', password: '' } });
  const accept = useSignIn({
    send: (body: { name: string; password: string }) =>
      readData(
        api.POST('/api/v1/team/invites/{token}/accept', { params: { path: { token } }, body }),
      ),
    onSecondStep,
    form,
  });
  return (
    <SignInForm
      label="Join"
      mutation={accept}
      onSubmit={form.onSubmit((values) => accept.mutate(values))}
    >
      <TextInput label="Your name" autoComplete="name" required {...form.getInputProps('name')} />
      <PasswordInput
        label="Password"
        description="Of your account, or a new one"
        autoComplete="current-password"
        required
        {...form.getInputProps('password')}
      />
    </SignInForm>
  );
}
