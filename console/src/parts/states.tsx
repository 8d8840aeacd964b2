// What a page shows instead of its contents: loading, nothing yet, a failure with what to do about it.
import {
  Alert,
  Button,
  Center,
  Code,
  Group,
  Loader,
  Paper,
  Stack,
  Text,
  Title,
} from '@mantine/core';
import { type ReactNode, useEffect, useRef } from 'react';
import { describeRemedy, ApiError } from '../api/api-error.ts';
import { Icon, type IconName } from './icons.tsx';
import { formatDuration, useNow } from './time.tsx';

export function Loading({ label = 'Loading' }: { label?: string }): ReactNode {
  return (
    <Center mih={160} role="status" aria-label={label}>
      <Loader size="sm" />
    </Center>
  );
}

interface EmptyProps {
  icon: IconName;
  title: string;
  /** What would be here, and how it comes here. */
  children: ReactNode;
  action?: ReactNode;
  /** Whether it is the whole page. */
  isPage?: boolean;
}

export function Empty({ icon, title, children, action, isPage = false }: EmptyProps): ReactNode {
  return (
    <Paper p="xl">
      <Stack align="center" gap="xs" maw={520} mx="auto" ta="center">
        <Text c="dimmed" span>
          <Icon name={icon} size={28} />
        </Text>
        <Title order={isPage ? 1 : 2}>{title}</Title>
        <Text c="dimmed" size="sm" component="div">
          {children}
        </Text>
        {action}
      </Stack>
    </Paper>
  );
}

interface ProblemProps {
  error: unknown;
  onRetry?: () => void;
}

/** A failure: what happened, what to do, and the id to report. */
export function Problem({ error, onRetry }: ProblemProps): ReactNode {
  const { message } = error instanceof Error ? error : { message: String(error) };
  const known = error instanceof ApiError ? error : null;
  const limitedUntil = known?.limitedUntil ?? null;
  if (limitedUntil !== null && onRetry) return <Limited at={limitedUntil} onRetry={onRetry} />;
  return (
    <Alert
      role="alert"
      color="red"
      variant="outline"
      title={message}
      icon={<Icon name="incidents" />}
    >
      <Stack gap="xs" align="flex-start">
        <Text size="sm">{describeRemedy(error)}</Text>
        {known?.requestId && (
          <Text size="xs" c="dimmed">
            {known.code} · request <Code>{known.requestId}</Code>
          </Text>
        )}
        {onRetry && (
          <Group>
            <Button variant="default" size="xs" onClick={onRetry}>
              Try again
            </Button>
          </Group>
        )}
      </Stack>
    </Alert>
  );
}

interface RetryProps {
  at: number;
  onRetry: () => void;
  children?: ReactNode;
}

/** Past the limit of requests: it goes on by itself when the service takes the next one, and says when. */
export function Limited({ at, onRetry, children }: RetryProps): ReactNode {
  const now = useNow();
  const latest = useRef(onRetry);
  useEffect(() => {
    latest.current = onRetry;
  });
  useEffect(() => {
    const timer = setTimeout(() => latest.current(), Math.max(0, at - Date.now()));
    return () => clearTimeout(timer);
  }, [at]);
  return (
    <Alert role="alert" color="gray" variant="outline" title="Too many requests in a short time">
      <Group gap={4}>
        {children}
        <Text size="sm" className="numbers" aria-live="off">
          It is tried again in {formatDuration(Math.max(0, at - now) + 999)}.
        </Text>
      </Group>
    </Alert>
  );
}

interface QueryLike<T> {
  data: T | undefined;
  error: unknown;
  refetch: () => unknown;
}

interface QueryViewProps<T> {
  query: QueryLike<T>;
  children: (data: T) => ReactNode;
  /** Shown until the first answer; default a loader. */
  waiting?: ReactNode;
}

/** Shows a query's data once it is there; before, a loader or the failure. */
export function QueryView<T>({ query, children, waiting }: QueryViewProps<T>): ReactNode {
  if (query.data !== undefined) return children(query.data);
  if (query.error) return <Problem error={query.error} onRetry={() => void query.refetch()} />;
  return waiting ?? <Loading />;
}
