// Where a provider's sign-on ends: fetches the session that it opened, or the second step that it lacks, or says why it failed.
import { Alert, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { api, readData } from '../../api/client.ts';
import { Loading, Problem } from '../../parts/states.tsx';
import { completeSignIn } from './complete-sign-in.ts';
import { BackToSignIn, SignInFrame } from './frame.tsx';
import { SecondStepFrame } from './sign-in-steps.tsx';

const route = getRouteApi('/signed-on');

/** Why a sign-on failed, by code; a code that is not known is not shown, since any link can hold one. */
const REASONS: Readonly<Record<string, string>> = {
  FORBIDDEN:
    'You are not admitted. An admin of your organisation finds the reason in the audit log.',
  CONFLICT: 'Your address is linked to another person at the provider. An owner can unlink them.',
  INVALID_TOKEN:
    'This sign-on was not begun in this browser, or has been completed before. Begin again.',
  EXPIRED: 'The sign-on took longer than ten minutes. Begin again.',
  TOKEN_VERIFICATION_FAILED: 'What the provider sent was not accepted. The audit log says why.',
  IDENTITY_PROVIDER_UNAVAILABLE: 'The provider cannot be reached. Try again in a few minutes.',
  ACCOUNT_DEACTIVATED: 'Your membership is suspended. Ask an admin of your organisation.',
};

/** Fetched once: the cookie of the sign-on is gone after it. */
const once = { staleTime: Infinity, retry: false, refetchOnWindowFocus: false } as const;

export function SignedOnPage(): ReactNode {
  const { error, ssoMfa, ssoTest, next } = route.useSearch();
  if (ssoTest !== undefined) return <Tested />;
  if (error !== undefined)
    return (
      <SignInFrame title="The sign-on did not succeed" foot={<BackToSignIn />}>
        <Alert role="alert" variant="outline" color="red">
          {REASONS[error] ?? 'The provider or the service refused it. Begin again.'}
        </Alert>
      </SignInFrame>
    );
  return ssoMfa === '1' ? <SecondStepAfterSignOn next={next} /> : <Exchange next={next} />;
}

/** The end of a test of the sign-on, in a tab of its own. */
function Tested(): ReactNode {
  return (
    <SignInFrame title="The test is complete">
      <Text size="sm">
        No one was signed in, and nothing was changed. What your provider sent is shown where you
        began the test: you may close this tab.
      </Text>
    </SignInFrame>
  );
}

function Exchange({ next }: { next: string | undefined }): ReactNode {
  const exchange = useQuery({
    ...once,
    queryKey: ['session', 'exchange'],
    async queryFn() {
      const { token } = await readData(api.GET('/api/v1/auth/oauth-token'));
      await completeSignIn(token, next);
      return true;
    },
  });
  return (
    <SignInFrame title="Signing you in" foot={<BackToSignIn />}>
      {exchange.error ? <Problem error={exchange.error} /> : <Loading label="Signing you in" />}
    </SignInFrame>
  );
}

function SecondStepAfterSignOn({ next }: { next: string | undefined }): ReactNode {
  const { data, error } = useQuery({
    ...once,
    queryKey: ['session', 'second-step'],
    queryFn: () => readData(api.GET('/api/v1/auth/sso/mfa-exchange')),
  });
  return <SecondStepFrame error={error} step={data} next={next} />;
}
