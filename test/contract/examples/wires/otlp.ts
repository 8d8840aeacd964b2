// Exports of OpenTelemetry.
import { generateHex } from '../../../../src/platform/ids.ts';
import { agentKeys } from '../access.ts';
import { type Example, type ResourceExamples, sendNothing } from '../example.ts';

/** A tool call of the tenant's agent, so that keys of that agent may report it. */
const exportSpan: Example = ({ agentId, mark }) => ({
  body: {
    resourceSpans: [
      {
        scopeSpans: [
          {
            scope: { name: `${mark} scope` },
            spans: [
              {
                traceId: generateHex(16),
                spanId: generateHex(8),
                name: `execute_tool ${mark}`,
                attributes: [
                  { key: 'gen_ai.operation.name', value: { stringValue: 'execute_tool' } },
                  { key: 'gen_ai.agent.name', value: { stringValue: agentId } },
                ],
              },
            ],
          },
        ],
      },
    ],
  },
});

const prefixes = ['/v1', '/api/v1/otlp/v1'];
const byPath = <T>(path: string, value: T): Record<string, T> =>
  Object.fromEntries(prefixes.map((prefix) => [`POST ${prefix}/${path}`, value]));

export const otlp: ResourceExamples = {
  access: {
    ...byPath('traces', agentKeys),
    ...byPath('logs', agentKeys),
    ...byPath('metrics', agentKeys),
  },
  examples: {
    ...byPath('traces', exportSpan),
    ...byPath('logs', sendNothing),
    ...byPath('metrics', sendNothing),
  },
};
