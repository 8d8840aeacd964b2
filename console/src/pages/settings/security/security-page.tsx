// The security of the own account: second factor, password, sessions, sign-ins.
import { Select } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { api, readData } from '../../../api/client.ts';
import type { components } from '../../../api/schema.gen.d.ts';
import { useChange } from '../../../parts/forms/use-change.ts';
import { Section } from '../../../parts/layout/section.tsx';
import { QueryView } from '../../../parts/states.tsx';
import { SettingsFrame } from '../settings-frame.tsx';
import { PasskeysSection } from './passkeys-section.tsx';
import { PasswordSection } from './password-section.tsx';
import { SecondFactor } from './second-factor.tsx';
import { SessionsSection } from './sessions-section.tsx';
import { SignIns } from './sign-ins.tsx';

type Timeout = components['schemas']['SessionTimeout']['sessionTimeout'];

export function SecurityPage(): ReactNode {
  const settings = useQuery({
    queryKey: ['security'],
    queryFn: () => readData(api.GET('/api/v1/auth/security-settings')),
  });
  return (
    <SettingsFrame title="Security" lead="How you sign in, and where you are signed in.">
      <QueryView query={settings}>
        {({ mfa, password, sessionTimeout }) => (
          <>
            <SecondFactor state={mfa} />
            <PasswordSection password={password} />
            <TimeoutSection present={sessionTimeout} />
          </>
        )}
      </QueryView>
      <PasskeysSection />
      <SessionsSection />
      <SignIns />
    </SettingsFrame>
  );
}

const TIMEOUTS = [
  { value: '1h', label: '1 hour' },
  { value: '8h', label: '8 hours' },
  { value: '24h', label: '24 hours' },
  { value: '7d', label: '7 days' },
];

function TimeoutSection({ present }: { present: Timeout }): ReactNode {
  const change = useChange({
    change: (sessionTimeout: Timeout) =>
      readData(api.PATCH('/api/v1/auth/me/session-timeout', { body: { sessionTimeout } })),
    refresh: ['security'],
    note: 'It applies from the next sign-in',
  });
  return (
    <Section title="Length of a session">
      <Select
        aria-label="Length of a session"
        allowDeselect={false}
        w={200}
        data={TIMEOUTS}
        value={change.isPending ? change.variables : present}
        onChange={(next) => next && next !== present && change.mutate(next as Timeout)}
      />
    </Section>
  );
}
