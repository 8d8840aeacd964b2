// Registers an organisation and its owner; with the token of a mail, the address is proved already.
import { PasswordInput, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import type { ReactNode } from 'react';
import { TextLink } from '../../parts/links.tsx';
import { api, readData } from '../../api/client.ts';
import { BackToSignIn, SignInFrame } from './frame.tsx';
import { useMailedToken } from './mailed-token.ts';
import { SignInForm } from './sign-in-form.tsx';
import { useSignIn } from './use-sign-in.ts';

const EMPTY = { name: '', organizationName: '', email: '', password: '' };

/** @param token of the mail; null: the address is entered here */
function useRegistration(token: string | null) {
  const form = useForm({ initialValues: EMPTY });
  const register = useSignIn({
    send: ({ email, ...body }: typeof EMPTY) =>
      token === null
        ? readData(api.POST('/api/v1/auth/register', { body: { ...body, email } }))
        : readData(api.POST('/api/v1/auth/complete-signup', { body: { ...body, token } })),
    next: '/start',
    form,
  });
  return { form, register };
}

function RegistrationForm({ token }: { token: string | null }): ReactNode {
  const { form, register } = useRegistration(token);
  return (
    <SignInForm
      label="Register"
      mutation={register}
      onSubmit={form.onSubmit((values) => register.mutate(values))}
    >
      <TextInput
        label="Your name"
        autoComplete="name"
        required
        autoFocus
        {...form.getInputProps('name')}
      />
      <TextInput
        label="Organisation"
        autoComplete="organization"
        required
        {...form.getInputProps('organizationName')}
      />
      {token === null && (
        <TextInput
          label="E-mail"
          type="email"
          autoComplete="username"
          required
          {...form.getInputProps('email')}
        />
      )}
      <PasswordInput
        label="Password"
        description="At least 10 characters, with upper and lower case and a digit"
        autoComplete="new-password"
        required
        {...form.getInputProps('password')}
      />
    </SignInForm>
  );
}

export function RegisterPage(): ReactNode {
  const foot = (
    <>
      Registered already?{' '}
      <TextLink to="/sign-in" inherit underline="always">
        Sign in
      </TextLink>
    </>
  );
  return (
    <SignInFrame
      title="Register"
      lead="An organisation of your own, with you as its owner."
      foot={foot}
    >
      <RegistrationForm token={null} />
    </SignInFrame>
  );
}

export function CompleteSignupPage(): ReactNode {
  const token = useMailedToken();
  return (
    <SignInFrame title="Finish your registration" foot={<BackToSignIn />}>
      <RegistrationForm token={token} />
    </SignInFrame>
  );
}
