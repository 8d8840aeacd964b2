// A small trend: a bar for each count, the earliest first. The numbers stand beside it.
import type { ReactNode } from 'react';

interface Props {
  counts: readonly number[];
  label: string;
  width?: number;
  height?: number;
}

/** A count that is not 0 is seen, however large the others are. */
const LEAST = 2;

export function TrendBars({ counts, label, width = 96, height = 24 }: Props): ReactNode {
  const most = Math.max(1, ...counts);
  const step = width / Math.max(1, counts.length);
  const gap = Math.min(2, step / 3);
  return (
    <svg role="img" aria-label={label} width={width} height={height}>
      <line x1={0} x2={width} y1={height - 0.5} y2={height - 0.5} stroke="var(--assay-line)" />
      {counts.map((count, at) => {
        const tall = count === 0 ? 0 : Math.max(LEAST, (count / most) * height);
        const place = { x: at * step + gap / 2, y: height - tall };
        return (
          <rect key={at} {...place} width={step - gap} height={tall} fill="var(--assay-chart)" />
        );
      })}
    </svg>
  );
}
