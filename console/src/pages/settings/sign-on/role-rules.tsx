// Rules that give roles by the groups of the provider; the first that fits decides.
import { Button, Group, Select, Text, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { api, readData } from '../../../api/client.ts';
import type { components } from '../../../api/schema.gen.d.ts';
import { PageForm } from '../../../parts/forms/form-dialog.tsx';
import { useChange } from '../../../parts/forms/use-change.ts';
import { useStoredForm } from '../../../parts/forms/use-stored-form.ts';
import { Section } from '../../../parts/layout/section.tsx';
import { QueryView } from '../../../parts/states.tsx';
import { useRights } from '../../../session/session.ts';

type Mapping = components['schemas']['RoleMapping'];

const ROLES = ['owner', 'admin', 'reviewer', 'member', 'viewer', 'auditor'];

export function RoleRules(): ReactNode {
  const mapping = useQuery({
    queryKey: ['role-mapping'],
    queryFn: () => readData(api.GET('/api/v1/organization/role-mapping')),
  });
  return (
    <Section
      title="Roles from groups"
      lead="The first rule whose pattern is found in the name of a group decides. Without one, a person is a viewer."
    >
      <QueryView query={mapping}>{(found) => <RulesForm mapping={found} />}</QueryView>
    </Section>
  );
}

function RulesForm({ mapping }: { mapping: Mapping }): ReactNode {
  const { isOwner } = useRights();
  const form = useStoredForm<Mapping>({ rules: [...mapping.rules] });
  const save = useChange({
    change: (body: Mapping) => readData(api.PUT('/api/v1/organization/role-mapping', { body })),
    refresh: ['role-mapping'],
    note: 'The rules are saved',
    form,
  });
  if (!isOwner && mapping.rules.length === 0)
    return (
      <Text size="sm" c="dimmed">
        There are no rules.
      </Text>
    );
  return (
    <PageForm
      mutation={save}
      isChanged={isOwner && form.isDirty()}
      onSubmit={form.onSubmit((values) => save.mutate(values))}
    >
      {form.values.rules.map((_, at) => (
        <Group key={at} gap="xs" align="flex-end">
          <TextInput
            label={`Group of rule ${at + 1}`}
            placeholder="^governance-admins$"
            flex="1 1 200px"
            disabled={!isOwner}
            {...form.getInputProps(`rules.${at}.pattern`)}
          />
          <Select
            label={`Role of rule ${at + 1}`}
            allowDeselect={false}
            w={130}
            data={ROLES}
            disabled={!isOwner}
            {...form.getInputProps(`rules.${at}.role`)}
          />
          {isOwner && (
            <Button variant="default" onClick={() => form.removeListItem('rules', at)}>
              Remove rule {at + 1}
            </Button>
          )}
        </Group>
      ))}
      {isOwner && (
        <Button
          variant="default"
          size="xs"
          w="fit-content"
          onClick={() => form.insertListItem('rules', { pattern: '', role: 'member' })}
        >
          Add a rule
        </Button>
      )}
    </PageForm>
  );
}
