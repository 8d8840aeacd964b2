// The search box: leads to any page, agent, policy or decision, and does what is often wanted.
import { Spotlight, spotlight, type SpotlightActionGroupData } from '@mantine/spotlight';
import { type ReactNode, useEffect, useState } from 'react';
import '@mantine/spotlight/styles.css';
import { LazyStopDialog } from '../../parts/halts/stop-button.tsx';
import { Icon } from '../../parts/icons.tsx';
import { useActs } from './acts.tsx';
import classes from './search-box.module.css';
import { useFoundDecisions } from './found-decisions.tsx';
import { usePlaces } from './places.tsx';

const SHOWN_MAX = 30;

/** Opens whenever `asked` grows. */
export function SearchBox({ asked }: { asked: number }): ReactNode {
  const [query, setQuery] = useState('');
  const [isStopping, setStopping] = useState(false);
  useEffect(() => spotlight.open(), [asked]);
  const { decisions, fault } = useFoundDecisions(query);
  const places = { group: 'Go to', actions: usePlaces(query) };
  const acts = { group: 'Do', actions: useActs(() => setStopping(true)) };
  // The pages stand beside it already.
  const known = query === '' ? [acts, places] : [places, acts];
  const groups: readonly SpotlightActionGroupData[] = [
    ...known,
    { group: 'Decisions', actions: decisions },
  ];
  return (
    <>
      <Spotlight
        query={query}
        onQueryChange={setQuery}
        actions={groups.filter(({ actions }) => actions.length > 0)}
        limit={SHOWN_MAX}
        shortcut={null}
        scrollable
        maxHeight={440}
        nothingFound={fault ?? 'Nothing found'}
        highlightQuery
        classNames={{ actionsGroup: classes.group ?? '' }}
        searchProps={{
          leftSection: <Icon name="search" />,
          placeholder: 'Page, agent, policy, act, or decisions: tool:cancel_* status:held',
          'aria-label': 'Search',
        }}
      />
      <LazyStopDialog isOpen={isStopping} target={null} onClose={() => setStopping(false)} />
    </>
  );
}
