// Lists a tool, or changes an entry of one: where it is, what a call does, what its result may hold.
import { COMMON_LABELS, EFFECTS } from '@assay/policy/tool-words';
import { Alert, type ButtonProps, MultiSelect, Switch, TagsInput, TextInput } from '@mantine/core';
import { useForm, type UseFormReturnType } from '@mantine/form';
import { type ReactNode, useState } from 'react';
import { DialogButton } from '../../parts/forms/dialog-button.tsx';
import { useChange } from '../../parts/forms/use-change.ts';
import { type CatalogueEntry, saveEntry, STRICTEST } from './tool-queries.ts';
import { WorkspaceSelect } from './workspace-select.tsx';

interface Props {
  label: string;
  /** What it begins with. */
  tool: { name: string; workspaceId: string; description: string };
  entry: CatalogueEntry;
  /** Whether the entry is listed already. */
  isListed: boolean;
  buttonProps?: ButtonProps & { 'aria-label'?: string };
}

type Values = Pick<CatalogueEntry, 'does' | 'gives' | 'after' | 'directory'> &
  Props['tool'] & { server: string };

const toValues = ({ tool, entry }: Pick<Props, 'tool' | 'entry'>): Values => ({
  name: tool.name,
  workspaceId: tool.workspaceId,
  description: tool.description,
  server: entry.server ?? '',
  does: entry.does,
  gives: entry.gives,
  after: entry.after,
  directory: entry.directory,
});

/** The name of a tool that is not listed yet. */
export const NEW_TOOL: Props['tool'] = { name: '', workspaceId: '', description: '' };

export function ToolDialog({ label, isListed, buttonProps, ...begun }: Props): ReactNode {
  /** As it was when the form opened: what changed since then is not overwritten. */
  const [entry, setEntry] = useState(begun.entry);
  const form = useForm<Values>({
    initialValues: toValues(begun),
    validate: {
      name: (name) => (name.trim() === '' ? 'A tool has a name' : null),
    },
  });
  const save = useChange({
    change: ({ name, workspaceId, description, server, ...members }: Values) =>
      saveEntry({
        workspaceId,
        name: name.trim(),
        // A further entry of a name leaves the description of that name.
        ...((isListed || description.trim() !== '') && { description: description.trim() }),
        before: isListed ? entry : null,
        after: { ...entry, ...members, server: server.trim() === '' ? null : server.trim() },
      }),
    refresh: ['tools'],
    form,
    note: isListed ? 'The entry is saved' : 'The tool is listed',
  });
  return (
    <DialogButton
      label={label}
      title={isListed ? `Edit ${begun.tool.name}` : 'List a tool'}
      submitLabel={isListed ? 'Save' : 'List it'}
      form={{
        onSubmit: form.onSubmit,
        // It may have changed since the page was drawn first.
        reset() {
          setEntry(begun.entry);
          form.setValues(toValues(begun));
          form.clearErrors();
        },
      }}
      mutation={save}
      {...(buttonProps && { buttonProps })}
    >
      {!isListed && (
        <Alert color="gray" variant="outline">
          An unlisted tool counts as doing everything: remove what this one does not do. For a name
          that is listed, an entry is added.
        </Alert>
      )}
      <TextInput
        label="Name"
        description="As agents call it"
        maxLength={200}
        required
        readOnly={isListed}
        data-autofocus={!isListed}
        {...form.getInputProps('name')}
      />
      <TextInput label="Description" maxLength={500} {...form.getInputProps('description')} />
      {!isListed && <WorkspaceSelect {...form.getInputProps('workspaceId')} />}
      <TextInput
        label="MCP server"
        description="Empty: a tool of this name on any server, or on none"
        maxLength={200}
        {...form.getInputProps('server')}
      />
      <EntryFields form={form} />
    </DialogButton>
  );
}

function EntryFields({
  form,
}: {
  form: Pick<UseFormReturnType<Values>, 'getInputProps'>;
}): ReactNode {
  return (
    <>
      <MultiSelect
        label="Does"
        description="What a call does; none: it only reads"
        data={[...EFFECTS]}
        {...form.getInputProps('does')}
      />
      <TagsInput
        label="Gives"
        description="What its result may hold; words of your own are possible"
        data={[...COMMON_LABELS]}
        maxTags={8}
        {...form.getInputProps('gives')}
      />
      <TagsInput
        label="Needs before"
        description="Tools that the session has to have used before"
        maxTags={50}
        {...form.getInputProps('after')}
      />
      <Switch
        label="Its result lists known names"
        description="Such as a directory of members"
        {...form.getInputProps('directory', { type: 'checkbox' })}
      />
    </>
  );
}

/** Opens the form for a tool that is not listed. */
export function ListButton({ label, tool = NEW_TOOL, server = null, ...more }: ListProps) {
  const entry = { ...STRICTEST, server };
  return <ToolDialog label={label} tool={tool} entry={entry} isListed={false} {...more} />;
}

interface ListProps extends Pick<Props, 'label' | 'buttonProps'> {
  tool?: Props['tool'];
  server?: string | null;
}
