// Signs in: with a password and its second step, a link by mail, the organisation's provider, or a social login.
import {
  Alert,
  Button,
  Divider,
  Group,
  PasswordInput,
  Stack,
  Text,
  TextInput,
} from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { TextLink } from '../../parts/links.tsx';
import { api, readData } from '../../api/client.ts';
import { Problem } from '../../parts/states.tsx';
import { SignInForm, submitTo } from './sign-in-form.tsx';
import { SignInSteps } from './sign-in-steps.tsx';
import { useSignIn } from './use-sign-in.ts';
import { signInOptionsQuery, toReturnAddress } from './sign-in-options.ts';

const route = getRouteApi('/sign-in');

export function SignInPage(): ReactNode {
  const { next, ended } = route.useSearch();
  return (
    <SignInSteps title="Sign in" foot={<RegisterHint />} next={next}>
      {(onSecondStep) => (
        <>
          {ended !== undefined && (
            <Alert variant="light">Your session has ended. Sign in to go on where you were.</Alert>
          )}
          <Credentials next={next} onSecondStep={onSecondStep} />
          <SocialLogins next={next} />
        </>
      )}
    </SignInSteps>
  );
}

function RegisterHint(): ReactNode {
  const { data } = useQuery(signInOptionsQuery);
  if (data?.registration === 'invite')
    return 'Registration is by invitation: ask an owner or admin of your organisation.';
  return (
    <>
      New here?{' '}
      <TextLink to="/register" inherit underline="always">
        Register an organisation
      </TextLink>
    </>
  );
}

interface CredentialsProps {
  next: string | undefined;
  onSecondStep: (tempToken: string) => void;
}

function Credentials({ next, onSecondStep }: CredentialsProps): ReactNode {
  const [email, setEmail] = useState('');
  const [password, setPassword] = useState('');
  const login = useSignIn({
    send: () => readData(api.POST('/api/v1/auth/login', { body: { email, password } })),
    next,
    onSecondStep,
  });
  return (
    <SignInForm
      label="Sign in"
      mutation={login}
      onSubmit={submitTo(login)}
      below={<OtherWays email={email} next={next} />}
    >
      <TextInput
        label="E-mail"
        type="email"
        autoComplete="username"
        required
        autoFocus
        value={email}
        onChange={(event) => setEmail(event.currentTarget.value)}
      />
      <PasswordInput
        label="Password"
        autoComplete="current-password"
        required
        value={password}
        onChange={(event) => setPassword(event.currentTarget.value)}
      />
    </SignInForm>
  );
}

/** Ways that need no password, for the address that is entered above. */
function OtherWays({ email, next }: { email: string; next: string | undefined }): ReactNode {
  const link = useMutation({
    meta: { isSignIn: true },
    mutationFn: () => readData(api.POST('/api/v1/auth/magic-link', { body: { email } })),
  });
  const signOn = useMutation({
    meta: { isSignIn: true },
    async mutationFn() {
      const body = { email, returnTo: toReturnAddress(next) };
      const { redirectUrl } = await readData(api.POST('/api/v1/auth/sso/initiate', { body }));
      location.assign(redirectUrl);
    },
  });
  const isBlank = !email.includes('@');
  return (
    <Stack gap="xs">
      <Group grow gap="xs">
        <Button
          variant="default"
          disabled={isBlank}
          loading={signOn.isPending}
          onClick={() => signOn.mutate()}
        >
          Single sign-on
        </Button>
        <Button
          variant="default"
          disabled={isBlank}
          loading={link.isPending}
          onClick={() => link.mutate()}
        >
          Link by mail
        </Button>
      </Group>
      {isBlank && (
        <Text size="xs" c="dimmed">
          Both need your e-mail address alone.
        </Text>
      )}
      {(link.error ?? signOn.error) && <Problem error={link.error ?? signOn.error} />}
      {link.data && <Alert variant="light">{link.data.message}</Alert>}
      <TextLink to="/forgot-password" size="sm">
        Forgot the password?
      </TextLink>
    </Stack>
  );
}

function SocialLogins({ next }: { next: string | undefined }): ReactNode {
  const { data } = useQuery(signInOptionsQuery);
  if (!data || data.social.length === 0) return null;
  const returnTo = encodeURIComponent(toReturnAddress(next));
  return (
    <Stack gap="xs">
      <Divider label="or" />
      {data.social.map(({ id, name }) => (
        <Button
          key={id}
          variant="default"
          component="a"
          href={`/api/v1/auth/${id}?returnTo=${returnTo}`}
        >
          Continue with {name}
        </Button>
      ))}
    </Stack>
  );
}
