// The flow as lists: every stage with its parts, their counts and shares.
import { Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { TextLink } from '../../../parts/links.tsx';
import { StoredLine } from '../../../parts/text.tsx';
import { formatCount } from '../../../parts/words.ts';
import type { FlowData } from '../overview-queries.ts';
import {
  findFilters,
  findTone,
  formatNode,
  type Node,
  type Stage,
  STAGE_TITLES,
  STAGES,
} from './flow-words.ts';
import classes from './stage-lists.module.css';

interface Props {
  flow: FlowData;
  people: ReadonlyMap<string, string>;
}

export function StageLists({ flow, people }: Props): ReactNode {
  return (
    <div className={classes.stages}>
      {STAGES.map((stage) => (
        <StageList key={stage} stage={stage} flow={flow} people={people} />
      ))}
    </div>
  );
}

function StageList({ stage, flow, people }: Props & { stage: Stage }): ReactNode {
  return (
    <div>
      <Text component="h3" size="xs" c="dimmed" fw={600} m={0}>
        {STAGE_TITLES[stage]}
      </Text>
      <ul className={classes.list} aria-label={STAGE_TITLES[stage]}>
        {flow.nodes
          .filter((node) => node.stage === stage)
          .map((node) => (
            <Row key={node.key} node={node} name={formatNode(node, people)} flow={flow} />
          ))}
      </ul>
    </div>
  );
}

function Row({ node, name, flow }: { node: Node; name: string; flow: FlowData }): ReactNode {
  const { from, to } = flow.span;
  const filters = findFilters(node);
  const share = (100 * node.count) / Math.max(1, flow.total);
  const text = <StoredLine value={name} />;
  return (
    <li title={`${formatCount(node.count, 'decision')}, ${share.toFixed(1)} %`}>
      <div className={classes.row}>
        <span className={classes.name}>
          {filters === null ? (
            <TextLink to="/review/{-$traceId}" size="sm">
              {text}
            </TextLink>
          ) : (
            <TextLink to="/live" search={{ ...filters, from, to }} size="sm">
              {text}
            </TextLink>
          )}
        </span>
        <span className="numbers">{node.count.toLocaleString('en')}</span>
      </div>
      <div className={classes.track}>
        <div
          className={classes.bar}
          style={{
            inlineSize: `${share}%`,
            background: `var(--assay-${findTone(node.stage, node.key)})`,
          }}
        />
      </div>
    </li>
  );
}
