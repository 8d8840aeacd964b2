// The directory (SCIM): where it posts to, and its token.
import { type ReactNode, useState } from 'react';
import { api, readData } from '../../../api/client.ts';
import { ConfirmButton } from '../../../parts/forms/confirm-button.tsx';
import { ShownOnce } from '../../../parts/forms/shown-once.tsx';
import { useChange } from '../../../parts/forms/use-change.ts';
import { Facts } from '../../../parts/layout/facts.tsx';
import { Section } from '../../../parts/layout/section.tsx';
import { useRights } from '../../../session/session.ts';
import { ShortAddress } from './short-address.tsx';

export function Directory(): ReactNode {
  const { isOwner } = useRights();
  const [token, setToken] = useState<string | null>(null);
  const make = useChange({
    change: () => readData(api.POST('/api/v1/organization/scim-token')),
    onDone: (made) => setToken(made.token),
  });
  return (
    <Section
      title="Directory (SCIM)"
      lead="The directory brings people and groups, and takes them away."
      actions={
        isOwner && (
          <ConfirmButton
            label="Make a token"
            title="Make a token for the directory?"
            mutation={make}
            onConfirm={() => make.mutateAsync()}
          >
            A token that was made before stops working at once.
          </ConfirmButton>
        )
      }
    >
      <Facts
        items={[
          [
            'Address',
            <ShortAddress key="address" url={`${location.origin}/scim/v2`} name="SCIM address" />,
          ],
          ['Authentication', 'Bearer token'],
        ]}
      />
      <ShownOnce
        title="Token of the directory"
        label="SCIM token"
        secret={token}
        onClose={() => setToken(null)}
      />
    </Section>
  );
}
