// The flow as a picture: each node and ribbon leads to its decisions. It is loaded when it is shown.
import { useElementSize } from '@mantine/hooks';
import { createLink, type LinkComponent } from '@tanstack/react-router';
import type { ComponentProps, ReactNode } from 'react';
import { markInvisible } from '../../../parts/text.tsx';
import { formatCount } from '../../../parts/words.ts';
import type { FlowData, OverviewData } from '../overview-queries.ts';
import {
  findFilters,
  findLinkTone,
  findTone,
  formatNode,
  type Node,
  STAGE_TITLES,
  STAGES,
} from './flow-words.ts';
import { NODE_WIDTH, type PlacedLink, type PlacedNode, computeLayout } from './sankey-layout.ts';
import classes from './sankey.module.css';

type Link = FlowData['links'][number];

const ROW_PX = 40;
const LEAST_PX = 260;
const NAME_MAX = 26;
/** The titles of the stages, above. */
const HEAD_PX = 24;

/** An anchor of SVG. */
const PlainArea = (props: ComponentProps<'a'>): ReactNode => <a {...props} />;
const Area: LinkComponent<typeof PlainArea> = createLink(PlainArea);

interface Props {
  flow: FlowData;
  people: ReadonlyMap<string, string>;
}

export function Sankey({ flow, people }: Props): ReactNode {
  const { ref, width } = useElementSize<HTMLDivElement>();
  const most = Math.max(
    ...STAGES.map((stage) => flow.nodes.filter((node) => node.stage === stage).length),
  );
  const height = Math.max(LEAST_PX, most * ROW_PX);
  const { nodes, links } = computeLayout(flow, STAGES, { width: Math.max(width, 1), height });
  const byKey = new Map(flow.nodes.map((node) => [`${node.stage} ${node.key}`, node]));
  return (
    <div className={classes.frame} ref={ref}>
      {width > 0 && (
        <svg
          className={classes.picture}
          width={width}
          height={height + HEAD_PX + 4}
          aria-label={`Flow of ${formatCount(flow.total, 'decision')} from agents to outcomes`}
          role="group"
        >
          {STAGES.map((stage, at) => (
            <text
              key={stage}
              className={classes.head}
              x={(width * at) / (STAGES.length - 1)}
              y={12}
              textAnchor={at === STAGES.length - 1 ? 'end' : 'start'}
              aria-hidden="true"
            >
              {STAGE_TITLES[stage]}
            </text>
          ))}
          <g transform={`translate(0 ${HEAD_PX})`}>
            {links.map((placed) => (
              <Ribbon
                key={toKey(placed.link)}
                placed={placed}
                byKey={byKey}
                people={people}
                span={flow.span}
              />
            ))}
            {nodes.map((placed) => (
              <Bar
                key={`${placed.node.stage} ${placed.node.key}`}
                placed={placed}
                name={formatNode(placed.node, people)}
                span={flow.span}
              />
            ))}
          </g>
        </svg>
      )}
    </div>
  );
}

const toKey = ({ stage, from, to }: Link): string => `${stage} ${from} ${to}`;

interface WayProps {
  filters: Record<string, string> | null;
  span: OverviewData['span'];
  label: string;
  children: ReactNode;
  /** A ribbon; its nodes are reached by the keyboard. */
  isSkipped?: boolean;
  className?: string | undefined;
}

function Way({
  filters,
  span,
  label,
  children,
  isSkipped = false,
  className,
}: WayProps): ReactNode {
  const shared = {
    'aria-label': label,
    ...(isSkipped && { tabIndex: -1 }),
    ...(className !== undefined && { className }),
  };
  if (filters === null)
    return (
      <Area to="/review/{-$traceId}" {...shared}>
        {children}
      </Area>
    );
  return (
    <Area to="/live" search={{ ...filters, from: span.from, to: span.to }} {...shared}>
      {children}
    </Area>
  );
}

interface RibbonProps {
  placed: PlacedLink<Link>;
  byKey: ReadonlyMap<string, Node>;
  people: ReadonlyMap<string, string>;
  span: OverviewData['span'];
}

function Ribbon({ placed: { link, path }, byKey, people, span }: RibbonProps): ReactNode {
  const next = STAGES[STAGES.indexOf(link.stage) + 1] ?? 'outcome';
  const from = byKey.get(`${link.stage} ${link.from}`);
  const to = byKey.get(`${next} ${link.to}`);
  if (!from || !to) return null;
  const [first, second] = [findFilters(from), findFilters(to)];
  const filters = first === null || second === null ? null : { ...first, ...second };
  const label = `${formatNode(from, people)} → ${formatNode(to, people)}: ${formatCount(link.count, 'decision')}`;
  return (
    <Way filters={filters} span={span} label={markInvisible(label)} isSkipped>
      <path className={classes.ribbon} d={path} fill={`var(--assay-${findLinkTone(link)})`}>
        <title>{markInvisible(label)}</title>
      </path>
    </Way>
  );
}

interface BarProps {
  placed: PlacedNode<Node>;
  name: string;
  span: OverviewData['span'];
}

function Bar({ placed: { node, x, y, height, isLast }, name, span }: BarProps): ReactNode {
  const text = markInvisible(name);
  const short = text.length > NAME_MAX ? `${text.slice(0, NAME_MAX - 1)}…` : text;
  const counted = formatCount(node.count, 'decision');
  // What is seen is part of what is said.
  const label = `${STAGE_TITLES[node.stage]} ${short} ${counted}`;
  return (
    <Way filters={findFilters(node)} span={span} label={label} className={classes.node}>
      <rect
        x={x}
        y={y}
        width={NODE_WIDTH}
        height={height}
        rx={2}
        fill={`var(--assay-${findTone(node.stage, node.key)})`}
      />
      <text
        className={classes.name}
        x={isLast ? x - 6 : x + NODE_WIDTH + 6}
        y={y + height / 2}
        dominantBaseline="middle"
        textAnchor={isLast ? 'end' : 'start'}
      >
        {short} <tspan className={classes.number}>{node.count.toLocaleString('en')}</tspan>
      </text>
    </Way>
  );
}
