// Where the nodes and links of a flow are drawn: stages from left to right, heights by counts.

interface Counted {
  stage: string;
  count: number;
}
interface NodeIn extends Counted {
  key: string;
}
interface LinkIn extends Counted {
  from: string;
  to: string;
}

export interface PlacedNode<N> {
  node: N;
  x: number;
  y: number;
  height: number;
  /** Whether its name stands on its left. */
  isLast: boolean;
}

export interface PlacedLink<L> {
  link: L;
  /** An SVG path: a ribbon. */
  path: string;
}

export const NODE_WIDTH = 10;
const GAP = 14;
/** A node of one decision among a million is seen, too. */
const THINNEST = 3;

interface Size {
  width: number;
  height: number;
}

export interface Layout<N, L> {
  nodes: PlacedNode<N>[];
  links: PlacedLink<L>[];
}

export function computeLayout<N extends NodeIn, L extends LinkIn>(
  { nodes, links }: { nodes: readonly N[]; links: readonly L[] },
  stages: readonly string[],
  { width, height }: Size,
): Layout<N, L> {
  const total = sumStage(nodes, stages[0]);
  const columns = stages.map((stage) => nodes.filter((node) => node.stage === stage));
  const fullest = Math.max(1, ...columns.map((column) => column.length));
  const scale = Math.max(0, height - (fullest - 1) * GAP - fullest * THINNEST) / Math.max(1, total);
  const step = (width - NODE_WIDTH) / Math.max(1, stages.length - 1);
  const placed = new Map<string, PlacedNode<N>>();
  for (const [at, column] of columns.entries()) {
    let y = 0;
    for (const node of column) {
      const size = THINNEST + node.count * scale;
      const isLast = at === stages.length - 1;
      placed.set(`${node.stage} ${node.key}`, { node, x: at * step, y, height: size, isLast });
      y += size + GAP;
    }
  }
  return { nodes: [...placed.values()], links: computeLinks(links, { placed, stages }) };
}

const sumStage = (nodes: readonly Counted[], stage: string | undefined): number =>
  nodes.filter((node) => node.stage === stage).reduce((sum, { count }) => sum + count, 0);

interface Placed<N> {
  placed: ReadonlyMap<string, PlacedNode<N>>;
  stages: readonly string[];
}

/** Links leave and reach a node in the order of the nodes at their other ends, so that few cross. */
function computeLinks<N extends NodeIn, L extends LinkIn>(
  links: readonly L[],
  { placed, stages }: Placed<N>,
): PlacedLink<L>[] {
  const ends = links.flatMap((link) => {
    const next = stages[stages.indexOf(link.stage) + 1] ?? '';
    const [from, to] = [placed.get(`${link.stage} ${link.from}`), placed.get(`${next} ${link.to}`)];
    return from && to ? [{ link, from, to }] : [];
  });
  const left = new Map<PlacedNode<N>, number>();
  const reached = new Map<PlacedNode<N>, number>();
  ends.sort((a, b) => a.from.y - b.from.y || a.to.y - b.to.y);
  const starts = new Map(ends.map(({ link, from }) => [link, take(left, from, link.count)]));
  ends.sort((a, b) => a.to.y - b.to.y || a.from.y - b.from.y);
  return ends.map(({ link, from, to }) => {
    const start = starts.get(link) ?? { y: from.y, height: 0 };
    const end = take(reached, to, link.count);
    return { link, path: drawRibbon({ x: from.x + NODE_WIDTH, ...start }, { x: to.x, ...end }) };
  });
}

/** The part of a node's side that is next, as high as its share of the node. */
function take<N extends Counted>(
  taken: Map<PlacedNode<N>, number>,
  node: PlacedNode<N>,
  count: number,
): { y: number; height: number } {
  const before = taken.get(node) ?? 0;
  const height = (node.height * count) / Math.max(1, node.node.count);
  taken.set(node, before + height);
  return { y: node.y + before, height };
}

interface End {
  x: number;
  y: number;
  height: number;
}

function drawRibbon(from: End, to: End): string {
  const middle = (from.x + to.x) / 2;
  const round = (value: number): string => value.toFixed(1);
  const drawCurve = (fromY: number, x: number, y: number): string =>
    `C${round(middle)} ${round(fromY)} ${round(middle)} ${round(y)} ${round(x)} ${round(y)}`;
  return [
    `M${round(from.x)} ${round(from.y)}`,
    drawCurve(from.y, to.x, to.y),
    `V${round(to.y + to.height)}`,
    drawCurve(to.y + to.height, from.x, from.y + from.height),
    'Z',
  ].join('');
}
