// The link that a row of a table is: a click anywhere on the row follows it.
import { createLink } from '@tanstack/react-router';
import type { ComponentProps, ReactNode } from 'react';
import whole from '../whole-link.module.css';

const RowAnchor = (props: ComponentProps<'a'>): ReactNode => (
  <a {...props} data-row="" className={`${whole.link} row-name`} />
);

export const RowLink = createLink(RowAnchor);
