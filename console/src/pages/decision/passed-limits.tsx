// The limits that a decision would have passed: in words, with what was left, and when there is more.
import { Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { describeLeft, describeLimit, type LimitNotice } from '../../parts/limits/limit-words.ts';
import { TextLink } from '../../parts/links.tsx';
import { markInvisible } from '../../parts/text.tsx';

interface Props {
  limits: readonly LimitNotice[];
  /** Names of policies by their ids. */
  names: ReadonlyMap<string, string>;
}

export function PassedLimits({ limits, names }: Props): ReactNode {
  if (limits.length === 0) return null;
  return (
    <div>
      <Text size="sm" fw={600}>
        {limits.length === 1
          ? 'It would have passed a limit'
          : `It would have passed ${limits.length} limits`}
      </Text>
      <ul className="link-list" aria-label="Limits that it would have passed">
        {limits.map((limit) => {
          const name = names.get(limit.policy);
          return (
            <li key={`${limit.policy} ${limit.at}`}>
              <Text size="sm" className="stored-text">
                {name !== undefined && `${markInvisible(name)}: `}
                {markInvisible(describeLimit(limit))}. {describeLeft(limit)}.{' '}
                <TextLink to="/budgets" search={{ policy: limit.policy }} size="sm">
                  See its budget
                </TextLink>
              </Text>
            </li>
          );
        })}
      </ul>
    </div>
  );
}
