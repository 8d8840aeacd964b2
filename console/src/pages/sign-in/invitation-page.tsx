// Accepts an invitation: shows what it offers, and takes a name and the password of a new or an existing account.
import { Alert, PasswordInput, Stack, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useMutation, useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { ApiError } from '../../api/api-error.ts';
import { api, readData } from '../../api/client.ts';
import { QueryView } from '../../parts/states.tsx';
import { completeSignIn } from './complete-sign-in.ts';
import { BackToSignIn, SignInFrame } from './frame.tsx';
import { useMailedToken } from './mailed-token.ts';
import { SecondStep } from './second-step.tsx';
import { SignInForm } from './sign-in-form.tsx';

const ENDINGS = {
  accepted: 'The invitation has been accepted already. Sign in.',
  revoked: 'The invitation has been withdrawn. Ask for another one.',
  expired: 'The invitation has expired. Ask for another one.',
} as const;

export function InvitationPage(): ReactNode {
  const token = useMailedToken();
  const [tempToken, setTempToken] = useState<string | null>(null);
  const offer = useQuery({
    queryKey: ['invitation', token],
    queryFn: () =>
      readData(api.GET('/api/v1/team/invites/validate/{token}', { params: { path: { token } } })),
  });
  if (tempToken !== null)
    return (
      <SignInFrame title="One more step" foot={<BackToSignIn />}>
        <SecondStep tempToken={tempToken} next={undefined} />
      </SignInFrame>
    );
  return (
    <SignInFrame title="Join an organisation" foot={<BackToSignIn />}>
      <QueryView query={offer}>
        {(found) =>
          found.valid ? (
            <Stack gap="sm">
              <Alert variant="light">
                {found.inviterEmail} invites you to {found.organizationName} in the role{' '}
                {found.role}.
              </Alert>
              <AcceptanceForm token={token} onSecondStep={setTempToken} />
            </Stack>
          ) : (
            <Alert role="alert" variant="outline" color="red">
              {ENDINGS[found.reason]}
            </Alert>
          )
        }
      </QueryView>
    </SignInFrame>
  );
}

interface FormProps {
  token: string;
  onSecondStep: (tempToken: string) => void;
}

function AcceptanceForm({ token, onSecondStep }: FormProps): ReactNode {
  const form = useForm({ initialValues: { name: '', password: '' } });
  const accept = useMutation({
    meta: { isSignIn: true },
    async mutationFn(body: { name: string; password: string }) {
      const params = { path: { token } };
      const made = await readData(
        api.POST('/api/v1/team/invites/{token}/accept', { params, body }),
      );
      if ('tempToken' in made) onSecondStep(made.tempToken);
      else await completeSignIn(made.token, undefined);
    },
    onError: (error) => {
      if (error instanceof ApiError) form.setErrors(error.fieldErrors);
    },
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
