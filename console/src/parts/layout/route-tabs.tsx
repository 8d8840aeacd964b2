// Tabs of a page whose choice stands in the address.
import { Tabs } from '@mantine/core';
import type { ReactNode } from 'react';
import classes from './tabs.module.css';

interface Props<T extends string> {
  label: string;
  value: T;
  tabs: readonly { value: T; label: string }[];
  onChange: (value: T) => void;
  children: ReactNode;
}

export function RouteTabs<T extends string>(props: Props<T>): ReactNode {
  const { label, value, tabs, onChange, children } = props;
  return (
    <Tabs
      unstyled
      value={value}
      onChange={(chosen) => onChange(chosen as T)}
      keepMounted={false}
      classNames={{ list: classes.tabs ?? '', tab: classes.tab ?? '' }}
    >
      <Tabs.List aria-label={label} mb="md">
        {tabs.map((tab) => (
          <Tabs.Tab key={tab.value} value={tab.value}>
            {tab.label}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      <Tabs.Panel value={value}>{children}</Tabs.Panel>
    </Tabs>
  );
}
