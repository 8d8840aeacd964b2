// What goes by mail: a new password, and a link that signs in once.
import { Alert, PasswordInput, Text, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { ApiError } from '../../api/api-error.ts';
import { api, readData } from '../../api/client.ts';
import { BackToSignIn, SignInFrame } from './frame.tsx';
import { useMailedToken } from './mailed-token.ts';
import { SignInForm, submitTo } from './sign-in-form.tsx';
import { SignInSteps } from './sign-in-steps.tsx';
import { useSignIn } from './use-sign-in.ts';

const meta = { isSignIn: true };

export function ForgotPasswordPage(): ReactNode {
  const [email, setEmail] = useState('');
  const request = useMutation({
    meta,
    mutationFn: () => readData(api.POST('/api/v1/auth/forgot-password', { body: { email } })),
  });
  return (
    <SignInFrame
      title="Forgot the password"
      lead="A mail with a link lets you set a new one."
      foot={<BackToSignIn />}
    >
      {request.data ? (
        <Alert variant="light" role="status">
          {request.data.message}
        </Alert>
      ) : (
        <SignInForm label="Send the mail" mutation={request} onSubmit={submitTo(request)}>
          <TextInput
            label="E-mail"
            type="email"
            autoComplete="username"
            required
            autoFocus
            value={email}
            onChange={(event) => setEmail(event.currentTarget.value)}
          />
        </SignInForm>
      )}
    </SignInFrame>
  );
}

export function ResetPasswordPage(): ReactNode {
  const token = useMailedToken();
  const [password, setPassword] = useState('');
  const reset = useMutation({
    meta,
    mutationFn: () =>
      readData(api.POST('/api/v1/auth/reset-password', { body: { token, password } })),
  });
  return (
    <SignInFrame title="Set a new password" foot={<BackToSignIn />}>
      {reset.isSuccess ? (
        <Alert variant="light" role="status">
          The password is changed, and every session has ended. Sign in with the new one.
        </Alert>
      ) : (
        <SignInForm label="Set the password" mutation={reset} onSubmit={submitTo(reset)}>
          <PasswordInput
            label="New password"
            autoComplete="new-password"
            required
            autoFocus
            value={password}
            onChange={(event) => setPassword(event.currentTarget.value)}
          />
        </SignInForm>
      )}
    </SignInFrame>
  );
}

export function MagicLinkPage(): ReactNode {
  const token = useMailedToken();
  return (
    <SignInSteps title="Sign in by link">
      {(onSecondStep) => <MagicLinkForm token={token} onSecondStep={onSecondStep} />}
    </SignInSteps>
  );
}

interface LinkProps {
  token: string;
  onSecondStep: (tempToken: string) => void;
}

function MagicLinkForm({ token, onSecondStep }: LinkProps): ReactNode {
  const [password, setPassword] = useState('');
  const verify = useSignIn({
    send() {
      const body = { token, ...(password !== '' && { password }) };
      return readData(api.POST('/api/v1/auth/magic-link/verify', { body }));
    },
    onSecondStep,
  });
  const isWrong = verify.error instanceof ApiError && verify.error.code === 'INVALID_CREDENTIALS';
  return (
    <SignInForm label="Sign in" mutation={verify} onSubmit={submitTo(verify)}>
      <Text size="sm">
        The link works once. A button signs you in, so that mail scanners do not use it up.
      </Text>
      <PasswordInput
        label="Password, if you registered this address yourself"
        description="While the address is not confirmed, the password keeps what you began with it."
        autoComplete="current-password"
        error={isWrong ? 'This is not the password of the registration' : undefined}
        value={password}
        onChange={(event) => setPassword(event.currentTarget.value)}
      />
    </SignInForm>
  );
}
