// The field that says what an agent does, the same wherever an agent is set up or changed.
import { Textarea, type TextareaProps } from '@mantine/core';
import type { ReactNode } from 'react';

export const DescriptionField = (props: TextareaProps): ReactNode => (
  <Textarea label="What it does" autosize minRows={2} maxLength={500} {...props} />
);
