// A table that scrolls sideways by itself on a phone, and is reached by keyboard.
import { Paper, Table } from '@mantine/core';
import type { ReactNode } from 'react';

interface Props {
  label: string;
  columns: readonly string[];
  /** Rows of `Table.Tr`. */
  children: ReactNode;
  minWidth?: number;
}

export function DataTable({ label, columns, children, minWidth = 640 }: Props): ReactNode {
  return (
    <Paper>
      <Table.ScrollContainer
        minWidth={minWidth}
        scrollAreaProps={{
          offsetScrollbars: false,
          viewportProps: { tabIndex: 0, 'aria-label': label, role: 'group' },
        }}
      >
        <Table aria-label={label} highlightOnHover>
          <Table.Thead>
            <Table.Tr>
              {columns.map((name) => (
                <Table.Th key={name}>{name}</Table.Th>
              ))}
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>{children}</Table.Tbody>
        </Table>
      </Table.ScrollContainer>
    </Paper>
  );
}
