// The items of the queue. A row is drawn again only when it changes, so that a thousand of them answer to a key at once.
import { Group, Paper, Text } from '@mantine/core';
import { memo, type MouseEvent, type ReactNode, useEffect, useRef } from 'react';
import { describeActionWith } from '../../parts/decision-text.ts';
import { ShowMore } from '../../parts/lists/paged-list.tsx';
import { markInvisible, StoredLine } from '../../parts/text.tsx';
import { Ago, Due } from '../../parts/time.tsx';
import classes from './review-list.module.css';
import { parseAction, readMember, type ReviewItem } from './review-queries.ts';

interface Continued {
  hasNextPage: boolean;
  isFetchingNextPage: boolean;
  fetchNextPage: () => unknown;
}

interface Props {
  items: readonly ReviewItem[];
  chosen: ReviewItem | undefined;
  selected: ReadonlySet<string>;
  /** Only what was opened can be decided together with others. */
  opened: ReadonlyMap<string, ReviewItem>;
  onChoose: (item: ReviewItem) => void;
  onToggle: ((id: string) => void) | undefined;
  pages: Continued;
}

const COLOURS = {
  critical: 'var(--assay-blocked)',
  high: 'var(--assay-held)',
  medium: 'dimmed',
  low: 'dimmed',
} as const;
/** So far from its end the list goes on. */
const AHEAD_PX = 800;

export function ReviewList({
  items,
  chosen,
  selected,
  opened,
  onChoose,
  onToggle,
  pages,
}: Props): ReactNode {
  const list = useRef<HTMLOListElement>(null);
  const { hasNextPage, isFetchingNextPage, fetchNextPage } = pages;
  useEffect(() => {
    list.current?.querySelector('[data-selected="true"]')?.scrollIntoView({ block: 'nearest' });
  }, [chosen?._id]);
  function loadAtEnd(): void {
    const { scrollHeight = 0, scrollTop = 0, clientHeight = 0 } = list.current ?? {};
    const isNear = scrollHeight - scrollTop - clientHeight < AHEAD_PX;
    if (isNear && hasNextPage && !isFetchingNextPage) void fetchNextPage();
  }
  return (
    <Paper className={classes.frame}>
      <ol ref={list} aria-label="Decisions to review" className={classes.list} onScroll={loadAtEnd}>
        {items.map((item) => (
          <Row
            key={item._id}
            item={item}
            isChosen={item._id === chosen?._id}
            isSelected={selected.has(item._id)}
            isOpened={opened.has(item._id)}
            onChoose={onChoose}
            onToggle={onToggle}
          />
        ))}
      </ol>
      {hasNextPage && (
        <div className={classes.more}>
          <ShowMore list={pages} />
        </div>
      )}
    </Paper>
  );
}

interface RowProps extends Pick<Props, 'onChoose' | 'onToggle'> {
  item: ReviewItem;
  isChosen: boolean;
  isSelected: boolean;
  isOpened: boolean;
}

function explainLocked({ selfReview }: ReviewItem, isOpened: boolean): string | undefined {
  if (selfReview !== undefined) return 'Another person decides it';
  return isOpened ? undefined : 'Open it first';
}

const Row = memo(function Row(props: RowProps): ReactNode {
  const { item, isChosen, isSelected, isOpened, onChoose, onToggle } = props;
  const agent = item.agentId?.name ?? item.agentIdStr;
  const policy = readMember(readMember(item.context, 'matchedPolicy'), 'name');
  function choose(event: MouseEvent): void {
    // A click that opens a tab is the browser's.
    if (event.metaKey || event.ctrlKey || event.shiftKey || event.button !== 0) return;
    event.preventDefault();
    onChoose(item);
  }
  return (
    <li data-selected={isChosen} className={classes.item}>
      <input
        type="checkbox"
        className={classes.box}
        aria-label={`Select the decision of ${agent}`}
        checked={isSelected}
        disabled={!onToggle || !isOpened || item.selfReview !== undefined}
        title={onToggle && explainLocked(item, isOpened)}
        onChange={() => onToggle?.(item._id)}
      />
      <div className={classes.text}>
        <a
          href={`/console/review/${item.traceId}${location.search}`}
          aria-current={isChosen ? 'true' : undefined}
          className={classes.link}
          onClick={choose}
        >
          <StoredLine
            value={
              item.payloadOmitted
                ? 'A large action: open it to read it'
                : describeActionWith(parseAction(item), readMember(item.context, 'rationale'))
            }
          />
        </a>
        <Group gap={8} wrap="nowrap">
          <Text span size="xs" c="dimmed" className="clamp" flex={1} miw={0}>
            {markInvisible(typeof policy === 'string' ? `${policy} · ${agent}` : agent)}
          </Text>
          <Group gap={8} wrap="nowrap">
            <Text span size="xs" fw={600} c={COLOURS[item.priority]}>
              {item.priority}
            </Text>
            {item.slaDeadline === null || item.status !== 'pending' ? (
              <Ago at={item.createdAt} />
            ) : (
              <Due at={item.slaDeadline} />
            )}
          </Group>
        </Group>
      </div>
    </li>
  );
});
