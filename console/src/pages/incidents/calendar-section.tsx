// The calendar of deadlines: a private address to which a calendar program subscribes.
import { Button, Group } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { api, readData } from '../../api/client.ts';
import { saveFile } from '../../api/download.ts';
import { ConfirmButton } from '../../parts/forms/confirm-button.tsx';
import { ShownOnce } from '../../parts/forms/shown-once.tsx';
import { useChange } from '../../parts/forms/use-change.ts';
import { Section } from '../../parts/layout/section.tsx';
import { Problem } from '../../parts/states.tsx';

export function CalendarSection(): ReactNode {
  const [url, setUrl] = useState<string | null>(null);
  const make = useChange({
    change: () => readData(api.POST('/api/v1/incidents/calendar/token')),
    onDone: (feed) => setUrl(feed.url),
  });
  const revoke = useChange({
    change: () => readData(api.DELETE('/api/v1/incidents/calendar/token')),
    note: 'The address no longer answers',
  });
  const save = useChange({ change: () => saveFile('/api/v1/incidents/calendar.ics') });
  return (
    <Section
      title="Calendar"
      lead="The deadlines in your own calendar, with reminders. The address is a secret of yours."
      actions={
        <Group gap="xs">
          <ConfirmButton
            label="Make an address"
            title="Make an address for your calendar?"
            mutation={make}
            onConfirm={() => make.mutateAsync()}
          >
            An address that you made before stops working.
          </ConfirmButton>
          <ConfirmButton
            label="Withdraw it"
            title="Withdraw the address?"
            mutation={revoke}
            onConfirm={() => revoke.mutateAsync()}
            isDangerous
          >
            Calendars that subscribe to it are no longer brought up to date.
          </ConfirmButton>
          <Button
            variant="default"
            size="xs"
            loading={save.isPending}
            onClick={() => save.mutate()}
          >
            Download it once
          </Button>
        </Group>
      }
    >
      {save.error && <Problem error={save.error} />}
      <ShownOnce
        title="Address for your calendar"
        label="calendar address"
        secret={url}
        onClose={() => setUrl(null)}
      />
    </Section>
  );
}
