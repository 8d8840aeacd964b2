// The agent status roll: limits, hysteresis, minimum sample, window.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  rollStatus,
  statusWindow,
  type ComputedStatus,
} from '../../../src/domain/agents/agent-status.ts';

const decisions = (size: number, stopped: number, confidenceScore = 0.9) =>
  Array.from({ length: size }, (_, index) => {
    const stop = index % 2 ? 'blocked' : 'flagged';
    return { status: index < stopped ? stop : 'approved', confidenceScore };
  });

describe('rollStatus', () => {
  test.each<[ComputedStatus, number, number, ComputedStatus]>([
    ['healthy', 9, 0.9, 'healthy'],
    ['healthy', 10, 0.9, 'degraded'],
    ['degraded', 9, 0.9, 'degraded'],
    ['degraded', 5, 0.9, 'degraded'],
    ['degraded', 4, 0.9, 'healthy'],
    ['healthy', 25, 0.9, 'critical'],
    ['degraded', 24, 0.9, 'degraded'],
    ['critical', 24, 0.9, 'critical'],
    ['critical', 20, 0.9, 'critical'],
    ['critical', 19, 0.9, 'degraded'],
    ['critical', 4, 0.9, 'healthy'],
    ['healthy', 0, 0.6, 'healthy'],
    ['healthy', 0, 0.59, 'degraded'],
    ['degraded', 0, 0.64, 'degraded'],
    ['degraded', 0, 0.65, 'healthy'],
    ['healthy', 0, 0.39, 'critical'],
    ['critical', 0, 0.44, 'critical'],
    ['critical', 0, 0.45, 'degraded'],
  ])(
    '%s, with %d of 50 stopped at confidence %d, becomes %s',
    (...[current, stopped, confidence, next]) => {
      expect(rollStatus(current, decisions(50, stopped, confidence))).toBe(next);
    },
  );

  test('a small sample changes nothing', () => {
    expect(rollStatus('healthy', decisions(statusWindow.minimum - 1, 9, 0))).toBe('healthy');
    expect(rollStatus('critical', [])).toBe('critical');
    expect(rollStatus('healthy', decisions(statusWindow.minimum, 10, 0))).toBe('critical');
  });

  test('only the newest decisions count', () => {
    expect(rollStatus('degraded', [...decisions(50, 0), ...decisions(500, 500, 0)])).toBe(
      'healthy',
    );
  });

  const status = fc.constantFrom<ComputedStatus>('healthy', 'degraded', 'critical');
  const window = fc.array(
    fc.record({
      status: fc.constantFrom('approved', 'flagged', 'blocked', 'success'),
      confidenceScore: fc.double({ min: 0, max: 1, noNaN: true }),
    }),
    { maxLength: 60 },
  );

  test('the same decisions again change nothing', () => {
    fc.assert(
      fc.property(
        status,
        window,
        (current, seen) =>
          rollStatus(rollStatus(current, seen), seen) === rollStatus(current, seen),
      ),
    );
  });

  test('a worse previous status never leads to a better new one', () => {
    const rank = { healthy: 0, degraded: 1, critical: 2 };
    fc.assert(
      fc.property(
        window,
        (seen) =>
          rank[rollStatus('healthy', seen)] <= rank[rollStatus('degraded', seen)] &&
          rank[rollStatus('degraded', seen)] <= rank[rollStatus('critical', seen)],
      ),
    );
  });
});
