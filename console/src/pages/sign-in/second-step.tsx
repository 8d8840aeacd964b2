// The second step of a sign-in: a code of the authenticator, or a backup code; the first code of a new authenticator, too.
import { Code, Image, Stack, Text, TextInput } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { api, readData } from '../../api/client.ts';
import { SignInForm, submitTo } from './sign-in-form.tsx';
import { useSignIn } from './use-sign-in.ts';

export interface Enrolment {
  secret: string;
  qrCode: string;
}

interface Props {
  tempToken: string;
  next: string | undefined;
  enrolment?: Enrolment;
}

export function SecondStep({ tempToken, next, enrolment }: Props): ReactNode {
  const [code, setCode] = useState('');
  const login = useSignIn({
    send() {
      const body = { tempToken, code: code.trim() };
      return readData(api.POST('/api/v1/auth/mfa/login', { body }));
    },
    next,
  });
  return (
    <SignInForm label="Sign in" mutation={login} onSubmit={submitTo(login)}>
      {enrolment && <NewAuthenticator {...enrolment} />}
      <TextInput
        label="Code"
        description="Six digits of your authenticator, or a backup code"
        autoComplete="one-time-code"
        inputMode="text"
        required
        autoFocus
        value={code}
        onChange={(event) => setCode(event.currentTarget.value)}
      />
    </SignInForm>
  );
}

function NewAuthenticator({ secret, qrCode }: Enrolment): ReactNode {
  return (
    <Stack gap="xs">
      <Text size="sm">
        Your organisation asks for a second factor. Scan this with an authenticator, then enter its
        first code.
      </Text>
      <Image src={qrCode} alt="QR code of the secret" w={180} h={180} mx="auto" />
      <Text size="xs" c="dimmed">
        Or enter the secret by hand: <Code className="stored-text">{secret}</Code>
      </Text>
    </Stack>
  );
}
