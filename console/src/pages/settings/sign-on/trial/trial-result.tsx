// What a provider sent in a test of the sign-on: whether the person would come in, as whom, or why not.
import { Alert, Code, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import type { components } from '../../../../api/schema.gen.d.ts';
import { Facts } from '../../../../parts/layout/facts.tsx';
import { DataTable } from '../../../../parts/lists/data-table.tsx';
import { markInvisible } from '../../../../parts/text.tsx';
import { Sign } from '../../../../parts/verdict.tsx';

type Result = NonNullable<components['schemas']['SignOnTest']['result']>;

const FOUND = {
  linked: 'A member who is linked to this person',
  address: 'The member with this address',
  new: 'A new member',
} as const;

const markText = (text: string | null | undefined): string | null =>
  text ? markInvisible(text) : null;

export function TrialResult({ result }: { result: Result }): ReactNode {
  const { wouldSignIn, problems, person, received } = result;
  return (
    <>
      <Sign tone={wouldSignIn ? 'good' : 'bad'}>
        {wouldSignIn ? 'This person would come in' : 'This person would be refused'}
      </Sign>
      {problems.map(({ code, message }) => (
        <Alert key={code} role="alert" variant="outline" color="red">
          <Text size="sm">
            {markInvisible(message)} (<Code>{code}</Code>)
          </Text>
        </Alert>
      ))}
      {person && <Person person={person} result={result} />}
      {received.length > 0 && (
        <DataTable
          label="What the provider sent"
          isPlain
          rows={received}
          toKey={({ name }) => name}
          columns={[
            { title: 'Claim or attribute', cell: ({ name }) => <Code>{markInvisible(name)}</Code> },
            {
              title: 'Value',
              cell: ({ values }) => (
                <Text size="sm" className="stored-text">
                  {markInvisible(values.join(', '))}
                </Text>
              ),
            },
          ]}
        />
      )}
    </>
  );
}

interface PersonProps {
  person: NonNullable<Result['person']>;
  result: Result;
}

function Person({ person, result: { member, role, rule } }: PersonProps): ReactNode {
  const { subject, subjectFormat, email, name, groups } = person;
  return (
    <Facts
      items={[
        ['Subject', markText(subject)],
        ['Named by', markText(subjectFormat)],
        ['E-mail', markText(email)],
        ['Name', markText(name)],
        ['Groups', groups === null ? 'Not listed: roles would stay' : markText(groups.join(', '))],
        ['Comes in as', member && FOUND[member]],
        ['Role', role],
        ['By the rule', rule && markText(`${rule.pattern}, which fits ${rule.group}`)],
      ]}
    />
  );
}
