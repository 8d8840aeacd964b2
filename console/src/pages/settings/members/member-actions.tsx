// What managers do with a member: suspend, reactivate, make an auditor, remove.
import type { ReactNode } from 'react';
import { api, readData } from '../../../api/client.ts';
import { ConfirmButton } from '../../../parts/forms/confirm-button.tsx';
import { useChange } from '../../../parts/forms/use-change.ts';
import { RowActions } from '../../../parts/lists/data-table.tsx';
import { useRights, useSession } from '../../../session/session.ts';
import type { Member } from './members-page.tsx';

const refresh = ['members'];

export function MemberActions({ member }: { member: Member }): ReactNode {
  const { isOwner } = useRights();
  const { user } = useSession();
  const { userId, role, isActive } = member;
  if (userId === user._id || (role === 'owner' && !isOwner)) return null;
  return (
    <RowActions>
      {isOwner && role !== 'auditor' && <AuditorButton member={member} />}
      {isActive ? <SuspendButton member={member} /> : <ReactivateButton member={member} />}
      <RemoveButton member={member} />
    </RowActions>
  );
}

const toPath = ({ userId }: Member) => ({ params: { path: { userId } } });
const toLabel = (what: string, { name }: Member) => ({ 'aria-label': `${what} ${name}` });

function AuditorButton({ member }: { member: Member }): ReactNode {
  const change = useChange({
    change: () => readData(api.PATCH('/api/v1/team/members/{userId}/auditor', toPath(member))),
    refresh,
  });
  return (
    <ConfirmButton
      label="Make auditor"
      title={`Make ${member.name} an auditor?`}
      mutation={change}
      onConfirm={() => change.mutateAsync()}
      buttonProps={toLabel('Make auditor:', member)}
    >
      An auditor reads all evidence and changes nothing.
    </ConfirmButton>
  );
}

function SuspendButton({ member }: { member: Member }): ReactNode {
  const change = useChange({
    change: () => readData(api.PATCH('/api/v1/team/members/{userId}/status', toPath(member))),
    refresh,
  });
  return (
    <ConfirmButton
      label="Suspend"
      title={`Suspend ${member.name}?`}
      mutation={change}
      onConfirm={() => change.mutateAsync()}
      buttonProps={toLabel('Suspend', member)}
    >
      The sessions in this organisation end at once. The membership stays, and can be reactivated.
    </ConfirmButton>
  );
}

function ReactivateButton({ member }: { member: Member }): ReactNode {
  const change = useChange({
    change: () => readData(api.PATCH('/api/v1/team/members/{userId}/reactivate', toPath(member))),
    refresh,
  });
  return (
    <ConfirmButton
      label="Reactivate"
      title={`Reactivate ${member.name}?`}
      mutation={change}
      onConfirm={() => change.mutateAsync()}
      buttonProps={toLabel('Reactivate', member)}
    >
      They can sign in to this organisation again.
    </ConfirmButton>
  );
}

function RemoveButton({ member }: { member: Member }): ReactNode {
  const change = useChange({
    change: () => readData(api.DELETE('/api/v1/team/members/{userId}', toPath(member))),
    refresh,
    note: `${member.name} is removed`,
  });
  return (
    <ConfirmButton
      label="Remove"
      title={`Remove ${member.name}?`}
      mutation={change}
      onConfirm={() => change.mutateAsync()}
      isDangerous
      buttonProps={toLabel('Remove', member)}
    >
      What they decided stays on the record, under their name. Keys that they made stay valid: look
      at the API keys afterwards.
    </ConfirmButton>
  );
}
