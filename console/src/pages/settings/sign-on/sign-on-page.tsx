// The organisation's own identity provider: settings, domains, roles from groups, and the directory.
import { Alert, List } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { api, readData } from '../../../api/client.ts';
import { Facts } from '../../../parts/layout/facts.tsx';
import { Section } from '../../../parts/layout/section.tsx';
import { QueryView } from '../../../parts/states.tsx';
import { ShortAddress } from './short-address.tsx';
import { useRights } from '../../../session/session.ts';
import { SettingsFrame } from '../settings-frame.tsx';
import { Directory } from './directory.tsx';
import { Domains } from './domains.tsx';
import { ProviderSection, type SignOnSettings } from './provider-section.tsx';
import { RoleRules } from './role-rules.tsx';

export function SignOnPage(): ReactNode {
  const settings = useQuery({
    queryKey: ['sign-on'],
    queryFn: () => readData(api.GET('/api/v1/organization/sso')),
  });
  const { mayManage } = useRights();
  return (
    <SettingsFrame
      title="Sign-on"
      lead="Members come in by your identity provider, with the roles that its groups give."
    >
      {mayManage && (
        <QueryView query={settings}>
          {(found) => (
            <>
              <Warnings warnings={found.warnings} />
              <ProviderSection known={found} />
              <ServiceProvider known={found} />
              <Domains />
              <RoleRules />
              <Directory />
            </>
          )}
        </QueryView>
      )}
    </SettingsFrame>
  );
}

function Warnings({ warnings }: { warnings: readonly string[] }): ReactNode {
  if (warnings.length === 0) return null;
  return (
    <Alert variant="outline" color="yellow" title="What stands in the way">
      <List size="sm">
        {warnings.map((warning) => (
          <List.Item key={warning}>{warning}</List.Item>
        ))}
      </List>
    </Alert>
  );
}

function ServiceProvider({ known }: { known: SignOnSettings }): ReactNode {
  const { serviceProvider: at } = known;
  const rows = [
    ['OIDC redirect address', at.oidcRedirectUri],
    ['OIDC after logout', at.oidcPostLogoutRedirectUri],
    ['OIDC back-channel logout', at.oidcBackChannelLogoutUri],
    ['SAML entity id and metadata', at.samlEntityId],
    ['SAML assertion consumer', at.samlAcsUrl],
    ['SAML logout', at.samlSloUrl],
  ] as const;
  return (
    <Section title="Configure your identity provider">
      <Facts
        items={rows.map(([name, url]) => [name, <ShortAddress key={name} url={url} name={name} />])}
      />
    </Section>
  );
}
