// The items of the queue. A row is drawn again only when it changes, so that a key is answered at once.
import { Group, Paper, Text } from '@mantine/core';
import { lazy, memo, type MouseEvent, type ReactNode, Suspense, useEffect, useRef } from 'react';
import { describeActionWith } from '../../parts/decision-text.ts';
import { ShowMore } from '../../parts/lists/paged-list.tsx';
import { Loading } from '../../parts/states.tsx';
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
/** Up to here all rows are drawn; what draws those in view alone is loaded for longer lists. */
const SHORT = 100;
const LongItems = lazy(async () => ({ default: (await import('./long-items.tsx')).LongItems }));

export function ReviewList(props: Props): ReactNode {
  const { items, chosen, selected, opened, onChoose, onToggle, pages } = props;
  const renderRow = (item: ReviewItem): ReactNode => (
    <Row
      item={item}
      isChosen={item._id === chosen?._id}
      isSelected={selected.has(item._id)}
      isOpened={opened.has(item._id)}
      onChoose={onChoose}
      onToggle={onToggle}
    />
  );
  const isShort = !pages.hasNextPage && items.length <= SHORT;
  const List = isShort ? ShortItems : LongItems;
  return (
    <Paper className={classes.frame}>
      <Suspense fallback={<Loading />}>
        <List items={items} chosen={chosen} pages={pages} renderRow={renderRow} />
      </Suspense>
      {pages.hasNextPage && (
        <div className={classes.more}>
          <ShowMore list={pages} />
        </div>
      )}
    </Paper>
  );
}

export interface ItemsProps extends Pick<Props, 'items' | 'chosen' | 'pages'> {
  renderRow: (item: ReviewItem) => ReactNode;
}

/** All items of a short list. */
function ShortItems({ items, chosen, renderRow }: ItemsProps): ReactNode {
  const list = useRef<HTMLOListElement>(null);
  useEffect(() => {
    list.current?.querySelector('[data-selected="true"]')?.scrollIntoView({ block: 'nearest' });
  }, [chosen?._id]);
  return (
    <div className={classes.scroller}>
      <ol ref={list} aria-label="Decisions to review" className={classes.list}>
        {items.map((item) => (
          <li key={item._id}>{renderRow(item)}</li>
        ))}
      </ol>
    </div>
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
    <div className={classes.item} data-selected={isChosen}>
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
            {item.approvals && (
              <Text span size="xs">
                {item.approvals.given} of {item.approvals.needed}
              </Text>
            )}
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
    </div>
  );
});
