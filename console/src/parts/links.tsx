// Links of the router in the looks of the component library.
import { Anchor, type AnchorProps, Button, type ButtonProps } from '@mantine/core';
import { createLink } from '@tanstack/react-router';
import type { ComponentProps, ReactNode } from 'react';

type WithAnchor<P> = Omit<P, 'href'> & Omit<ComponentProps<'a'>, keyof P | 'href'>;

const PlainAnchor = (props: WithAnchor<AnchorProps>): ReactNode => <Anchor {...props} />;
const AnchorButton = (props: WithAnchor<ButtonProps>): ReactNode => (
  <Button component="a" {...props} />
);

export const TextLink = createLink(PlainAnchor);
export const ButtonLink = createLink(AnchorButton);
